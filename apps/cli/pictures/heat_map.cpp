#include "heat_map.hpp"

#include "scale.hpp"
#include "svg.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace kleene::cli {

namespace {

// Letters of 13 pixels are 11 on a screen 900 wide; sixty names of that size go beside a plot of 768.
constexpr double canvas_width = 1056, margin = 36, plot_side = 768, least_height = 180, bar_gap = 24, bar_width = 20,
                 footer = 56, letters = 13, largest_cell = 110;
constexpr double legend_room = 120, pitch_of_all = 12.8, pitch_of_some = 26;  // from name to name
constexpr double longest_name = 156;                                          // pixels
constexpr index_t most_names = 60;
constexpr std::string_view unreachable_colour = "#d3cfc8";
constexpr int levels = 64;

// Ten samples of viridis (van der Walt and Smith, matplotlib, CC0): even steps look even, also in grey and to
// colour-blind eyes.
constexpr std::array<std::array<int, 3>, 10> viridis = {{{68, 1, 84},
                                                         {72, 40, 120},
                                                         {62, 73, 137},
                                                         {49, 104, 142},
                                                         {38, 130, 142},
                                                         {31, 158, 137},
                                                         {53, 183, 121},
                                                         {110, 206, 88},
                                                         {181, 222, 43},
                                                         {253, 231, 37}}};

std::string colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (viridis.size() - 1);
  const auto low = std::min<std::size_t>(static_cast<std::size_t>(at), viridis.size() - 2);
  const auto channel = [&](int c) {
    return static_cast<int>(
        std::lround(viridis[low][c] + (at - static_cast<double>(low)) * (viridis[low + 1][c] - viridis[low][c])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

// Where the cells are, in pixels.
struct plot_area {
  double left = 0, top = 0, width = 0, height = 0, cell_x = 1, cell_y = 1;
};

// The vertices that are named on an axis, and how wide the names are.
struct axis {
  std::vector<index_t> at;  // positions
  std::vector<std::string> names;
  double pixels = 0;  // of the longest name
};

// All vertices of a short axis, else every k-th, k a round number.
template <class Vertex>
axis named_axis(const heat_map& map, index_t count, double pixels, const Vertex& vertex) {
  axis found;
  if (count == 0) return found;
  const bool all = count <= most_names && static_cast<double>(count) * pitch_of_all <= pixels + 1e-6;
  const double some = std::max(1.0, pixels / pitch_of_some);
  const index_t step = all ? 1 : std::max<index_t>(2, std::lround(round_step(static_cast<double>(count), some)));
  for (index_t i = 0; i < count; i += step) {
    found.at.push_back(i);
    found.names.push_back(map.name(vertex(i)));
    found.pixels = std::max(found.pixels, text_width(fitted(found.names.back(), longest_name, letters), letters));
  }
  return found;
}

// Cells of whole pixels where there are many, so that all are of one size.
double cell_side(index_t count, double side) {
  const double cell = side / static_cast<double>(std::max<index_t>(count, 1));
  return count <= most_names ? std::min(cell, largest_cell) : std::max(1.0, std::floor(cell));
}

// One path for each colour: runs of equal cells become one stroke.
void draw_cells(svg_document& svg, const heat_map& map, const heat_range& r, const plot_area& p) {
  std::vector<std::string> strokes(levels + 1);  // the last: unreachable
  const auto level = [&](double c) {
    return std::isinf(c) ? levels : std::clamp(int(r.share(c) * levels), 0, levels - 1);
  };
  for (index_t i = 0; i < map.rows; ++i)
    for (index_t j = 0; j < map.cols;) {
      const index_t from = j;
      const double first = map.cells[i * map.cols + j++];
      if (std::isnan(first)) continue;
      const int key = level(first);
      while (j < map.cols && !std::isnan(map.cells[i * map.cols + j]) && level(map.cells[i * map.cols + j]) == key) ++j;
      fmt::format_to(std::back_inserter(strokes[key]), "M{} {}.5h{}", from, i, j - from);
    }
  svg.add(R"svg(<g transform="translate({:g} {:g}) scale({:g} {:g})" fill="none" stroke-width="1")svg"
          R"( shape-rendering="crispEdges">)",
          p.left, p.top, p.cell_x, p.cell_y);
  for (int key = 0; key <= levels; ++key)
    if (!strokes[key].empty())
      svg.add(R"(<path d="{}" stroke="{}"/>)", strokes[key],
              key == levels ? std::string(unreachable_colour) : colour((key + 0.5) / levels));
  svg.add("</g>");
  svg.add(R"(<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill="none" stroke="{}"/>)", p.left, p.top, p.width,
          p.height, faint);
}

void draw_swatch(svg_document& svg, double x, double y, std::string_view fill, std::string_view words) {
  svg.add(R"(<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill="{}" stroke="{}"/>)", x, y, bar_width, bar_width,
          fill, faint);
  svg.text_within(canvas_width - x - bar_width - 12, x + bar_width + 9, y + 15, words, {.size = 14});
}

// What the colours mean, from y on.
void draw_legend(svg_document& svg, const heat_map& map, const heat_range& r, const plot_area& p) {
  const double x = p.left + p.width + bar_gap, height = std::max(p.height, least_height) - 70, top = p.top + 24;
  const bool has_unreachable = std::ranges::any_of(map.cells, [](double c) { return std::isinf(c); });
  double below = top;
  if (r.single) {
    const std::string value = tick_text(r.low, std::abs(r.low)) + (map.unit.empty() ? "" : " " + map.unit);
    draw_swatch(svg, x, below, colour(std::clamp(r.share(r.low), 0.0, 1.0)), map.only_reaches ? "a path" : value);
    below += 34;
  } else if (!r.empty) {
    const double step = height / levels;
    svg.add(R"(<g shape-rendering="crispEdges">)");
    for (int key = 0; key < levels; ++key)
      svg.add(R"(<rect x="{:g}" y="{:.2f}" width="{:g}" height="{:.2f}" fill="{}"/>)", x,
              top + height - (key + 1) * step, bar_width, step, colour((key + 0.5) / levels));
    svg.add("</g>");
    const double tick = round_step(r.high - r.low, height < 200 ? 4 : 6);
    for (const double value : multiples(r.low, r.high, tick)) {
      const double y = top + height * (1 - r.share(value));
      svg.add(R"(<path d="M{:g} {:.1f}h6" stroke="{}"/>)", x + bar_width, y, quiet_ink);
      svg.text(x + bar_width + 9, y + 5, tick_text(value, tick), {.size = 14});
    }
    const std::string unit = r.clipped ? map.unit + (map.unit.empty() ? "and more" : " and more") : map.unit;
    if (!unit.empty()) svg.text_within(canvas_width - x - 4, x, top - 10, unit, {.size = 14, .colour = quiet_ink});
    below = top + height + 22;
  }
  if (has_unreachable) draw_swatch(svg, x, below, unreachable_colour, "no path");
}

void draw_names(svg_document& svg, const heat_map& map, const plot_area& p, const axis& from, const axis& to) {
  const double step_x = p.width / static_cast<double>(map.source_cols),
               step_y = p.height / static_cast<double>(map.source_rows);
  const bool lying =
      to.at.size() < 2 || to.pixels + 10 < step_x * static_cast<double>(to.at[1] - to.at[0]);  // they fit side by side
  const auto style = [&](const char* anchor) { return text_style{.size = letters, .anchor = anchor}; };
  for (std::size_t k = 0; k < to.at.size(); ++k) {
    const double x = p.left + (static_cast<double>(to.at[k]) + 0.5) * step_x;
    text_style how = style(lying ? "middle" : "start");
    how.upright = lying;
    svg.text_within(longest_name, lying ? x : x + 4.5, p.top - 8, to.names[k], how);
  }
  for (std::size_t k = 0; k < from.at.size(); ++k)
    svg.text_within(longest_name, p.left - 8, p.top + (static_cast<double>(from.at[k]) + 0.5) * step_y + 4.5,
                    from.names[k], style("end"));
  const text_style title{.size = 14, .colour = quiet_ink, .anchor = "middle"};
  svg.text(p.left + p.width / 2, p.top - 22 - (lying ? letters : to.pixels), "to", title);
  text_style rising = title;
  rising.upright = false;
  svg.text(p.left - 18 - from.pixels, p.top + p.height / 2, "from", rising);
}

}  // namespace

heat_range range_of(const std::vector<double>& cells) {
  std::vector<double> finite;
  std::ranges::copy_if(cells, std::back_inserter(finite), [](double c) { return std::isfinite(c); });
  if (finite.empty()) return {.empty = true};
  std::ranges::sort(finite);
  heat_range r{.low = finite.front(), .high = finite.back()};
  if (r.low == r.high) return {.low = r.low, .high = r.low + std::max(1.0, std::abs(r.low)), .single = true};
  // From the smallest cell, or 0 if that is near; few outliers of many cells do not darken all the others: the range
  // then ends at the 99th percentile.
  const double most = finite[(finite.size() - 1) * 99 / 100];
  if (r.low > 0 && r.low < most / 3) r.low = 0;
  if (finite.size() >= 100 && most - r.low < 0.7 * (r.high - r.low) && most > r.low) r.high = most, r.clipped = true;
  return r;
}

std::string draw_svg(const heat_map& map) {
  const auto cells = [](index_t count) { return static_cast<double>(std::max<index_t>(count, 1)); };
  const auto row_axis = [&](double pixels) {
    return named_axis(map, map.source_rows, pixels, [&](index_t i) { return map.row_vertices[i]; });
  };
  // Long names take their room from the plot.
  const double names = row_axis(plot_side).pixels;
  plot_area p{.left = margin + names + 18};
  p.cell_x = cell_side(map.cols, std::min(plot_side, canvas_width - p.left - legend_room));
  p.cell_y = map.rows <= most_names ? std::max(p.cell_x, pitch_of_all + 1) : p.cell_x;  // each row has its name
  p.width = p.cell_x * cells(map.cols), p.height = p.cell_y * cells(map.rows);
  const axis to = named_axis(map, map.source_cols, p.width, [](index_t j) { return j; });
  const axis from = row_axis(p.height);
  p.top = 138 + 30 + std::max(to.pixels, letters);
  const double height = p.top + std::max(p.height, least_height) + footer;
  svg_document svg(canvas_width, height, spoken(map.title, map.subtitle));
  svg.heading(margin, map.title, map.subtitle, map.facts);
  if (std::ranges::all_of(map.cells, [](double c) { return std::isnan(c); })) {
    svg.text(margin, p.top, "there are no pairs", {.size = 16});
  } else {
    const heat_range r = range_of(map.cells);
    draw_cells(svg, map, r, p);
    draw_names(svg, map, p, from, to);
    draw_legend(svg, map, r, p);
  }
  svg.signature(margin);
  return svg.str();
}

}  // namespace kleene::cli
