#include "route.hpp"

#include "svg.hpp"
#include "text.hpp"

#include <algorithm>

namespace kleene::cli {

namespace {

// The canvas is as wide as it is shown, so that letters keep their size.
constexpr double canvas_width = 900, margin = 40, first_row = 206, row_height = 132, footer = 84, radius = 8;
constexpr double name_size = 14, number_size = 13, side = 18;  // side: where rows are joined, from the edge
constexpr double short_name = 130, longest_name = 190;         // pixels
constexpr std::size_t few_stops = 12, most_spurs = 3;

struct point {
  double x = 0, y = 0;
};

struct layout {
  std::size_t per_row = 1, rows = 1;
  double pitch = 100;

  explicit layout(const std::vector<shown_stop>& shown) {
    double widest = 40;
    for (const shown_stop& s : shown) {
      if (!s.stop) continue;
      const double most = shown.size() > few_stops ? short_name : longest_name;
      widest = std::max(widest, std::min(most, text_width(s.stop->name, name_size, 600)) + 14);
      widest = std::max(widest, text_width(s.stop->cost, number_size) + 14);
      widest = std::max(widest, text_width(s.stop->weight, number_size) + 2 * radius + 30);
    }
    const double room = canvas_width - 2 * margin;
    const auto fit = static_cast<std::size_t>(std::max(2.0, std::floor(room / std::clamp(widest, 80.0, 200.0))));
    rows = (shown.size() + fit - 1) / fit;
    per_row = (shown.size() + rows - 1) / rows;
    pitch = std::min(room / static_cast<double>(per_row), 280.0);
  }
  point at(std::size_t k) const {
    return {margin + pitch * (static_cast<double>(k % per_row) + 0.5),
            first_row + row_height * static_cast<double>(k / per_row)};
  }
};

void draw_head(svg_document& svg, point tip, std::string_view colour) {
  svg.add(R"(<path d="M{:.1f} {:.1f}l-9 -5v10z" fill="{}"/>)", tip.x, tip.y, colour);
}

// The arc from the k-th to the next, with its weight above; from the end of a row around to the start of the next.
void draw_arc(svg_document& svg, const layout& l, std::size_t k, const std::string& weight, bool whole) {
  const point from = l.at(k), to = l.at(k + 1);
  const std::string_view colour = whole ? road : faint;
  const char* dashes = whole ? "" : R"( stroke-dasharray="2 6" stroke-linecap="round")";
  const double end = to.x - radius - 1;
  const text_style style{.size = number_size, .anchor = "middle"};
  if (from.y == to.y) {
    svg.add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="{}" stroke-width="3"{}/>)", from.x + radius, from.y, end - 6,
            colour, dashes);
    svg.text_within(to.x - from.x - 2 * radius - 8, (from.x + to.x) / 2, from.y - 8, weight, style);
  } else {
    const double between = from.y + 64;
    svg.add(R"(<path d="M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}V{:.1f}H{:.1f}" fill="none" stroke="{}" stroke-width="3")"
            R"( stroke-linejoin="round"{}/>)",
            from.x + radius, from.y, canvas_width - side, between, side, to.y, end - 6, colour, dashes);
    svg.text(from.x - l.pitch / 2, between - 6, weight, style);  // not below a total
  }
  if (whole) draw_head(svg, {end, to.y}, colour);
}

// Short lines for the arcs beside the route: above the vertex those that leave it, below those that enter.
void draw_spurs(svg_document& svg, point at, const route_stop& stop) {
  const auto fan = [&](index_t count, int side, const char* what) {
    const index_t drawn = std::min<index_t>(count, most_spurs);
    if (drawn == 0) return;
    svg.add("<g><title>{} more {} {} {}</title>", grouped(count), count == 1 ? "arc" : "arcs",
            count == 1 ? (side < 0 ? "leaves" : "enters") : what, xml_escaped(stop.name));
    for (index_t k = 0; k < drawn; ++k) {
      const double lean = (static_cast<double>(k) - static_cast<double>(drawn - 1) / 2) * 0.6;
      svg.add(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}" stroke-width="1.5"/>)", at.x + lean * radius,
              at.y + side * radius, at.x + lean * 24, at.y + side * 22.0, faint);
    }
    svg.add("</g>");
  };
  fan(stop.leaving, -1, "leave");
  fan(stop.entering, 1, "enter");
}

void draw_stop(svg_document& svg, const layout& l, point at, const route_stop& stop, bool end) {
  draw_spurs(svg, at, stop);
  svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:g}" fill="{}" stroke="{}" stroke-width="3"/>)", at.x, at.y, radius,
          end ? road : paper, road);
  const std::string name = fitted(stop.name, l.pitch - 8, name_size, 600);
  svg.text(at.x, at.y - 30, name,
           {.size = name_size, .anchor = "middle", .weight = 600, .whole = name == stop.name ? "" : stop.name});
  svg.text_within(l.pitch - 6, at.x, at.y + 38, stop.cost,
                  {.size = number_size, .colour = quiet_ink, .anchor = "middle"});
}

std::string caption(const route_picture& route) {
  const bool spurs = std::ranges::any_of(route.stops, [](const auto& s) { return s.leaving + s.entering > 0; });
  std::string words;
  if (!route.stops.back().cost.empty() && !route.broken)
    words = route.stops.size() > 1 ? "on the arcs their weights, below the vertices the total so far"
                                   : "below the vertex the total";
  if (spurs)
    words += fmt::format("{}grey: other arcs, up to {} that leave (above) and enter (below)", words.empty() ? "" : "; ",
                         most_spurs);
  return words;
}

}  // namespace

std::vector<shown_stop> shown_stops(const route_picture& route) {
  std::vector<shown_stop> shown;
  const std::size_t n = route.stops.size(), head = most_stops / 2, tail = most_stops - head - 1;
  for (std::size_t k = 0; k < n; ++k) {
    if (n > most_stops && k == head) {
      shown.push_back({nullptr, n - head - tail});
      k = n - tail;
    }
    shown.push_back({&route.stops[k]});
  }
  return shown;
}

std::string draw_svg(const route_picture& route) {
  if (route.stops.empty()) {
    svg_document svg(canvas_width, first_row, spoken(route.title, route.subtitle));
    svg.heading(margin, route.title, route.subtitle, route.facts);
    svg.signature(margin);
    return svg.str();
  }
  const std::vector<shown_stop> shown = shown_stops(route);
  const layout l(shown);
  const double height = first_row + row_height * static_cast<double>(l.rows - 1) + 46 + footer;
  svg_document svg(canvas_width, height, spoken(route.title, route.subtitle));
  svg.heading(margin, route.title, route.subtitle, route.facts);
  for (std::size_t k = 0; k + 1 < shown.size(); ++k) {
    const bool whole = shown[k].stop && shown[k + 1].stop && !route.broken;
    draw_arc(svg, l, k, route.broken ? "no path" : whole ? shown[k].stop->weight : "", whole);
  }
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const point at = l.at(k);
    if (shown[k].stop) draw_stop(svg, l, at, *shown[k].stop, k == 0 || k + 1 == shown.size());
    else {
      svg.text(at.x, at.y - 30, grouped(static_cast<index_t>(shown[k].left_out)),
               {.size = name_size, .anchor = "middle", .weight = 600});
      svg.text(at.x, at.y + 38, "left out", {.size = number_size, .colour = quiet_ink, .anchor = "middle"});
    }
  }
  svg.text(margin, height - 50, caption(route), {.size = 13, .colour = quiet_ink});
  svg.signature(margin);
  return svg.str();
}

}  // namespace kleene::cli
