#include "histogram.hpp"

#include "scale.hpp"
#include "svg.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

constexpr double canvas_width = 900, canvas_height = 560, margin = 40, left = 110, right = 32, top = 196, bottom = 92,
                 plot_width = canvas_width - left - right, plot_height = canvas_height - top - bottom;
constexpr std::string_view bar_colour = "#5b8db8", mark_colour = "#8a3b00";

// From values and counts to pixels.
struct plane {
  double low = 0, high = 1, most = 1;
  double x(double value) const { return left + plot_width * ((value - low) / (high - low)); }
  double y(double pairs) const { return top + plot_height * (1 - pairs / most); }
};

plane plane_of(const histogram& h) {
  const double around = h.bars.single ? 0.5 : 0;
  plane p{.low = h.bars.at(-around), .high = h.bars.at(static_cast<double>(h.bars.count) - around)};
  for (const index_t pairs : h.pairs) p.most = std::max(p.most, static_cast<double>(pairs) * 1.04);
  return p;
}

void draw_axes(svg_document& svg, const histogram& h, const plane& p) {
  const double step_y = std::max(1.0, round_step(p.most, 5));
  for (const double pairs : multiples(0, p.most, step_y)) {
    svg.add(R"(<path d="M{:g} {:.1f}H{:g}" stroke="{}" stroke-width="{}"/>)", left, p.y(pairs), left + plot_width,
            faint, pairs > 0 ? 0.4 : 1.2);
    svg.text(left - 10, p.y(pairs) + 5, grouped(std::lround(pairs)), {.size = 14, .anchor = "end"});
  }
  // Bars of one value each are named by whole bars.
  const double span = p.high - p.low;
  double step_x = round_step(span, 9);
  if (h.bars.single) step_x = std::max(h.bars.width, step_x);
  const bool alone = h.bars.single && h.bars.count == 1;
  for (const double value : alone ? std::vector{h.bars.first} : multiples(p.low, p.high, step_x)) {
    svg.add(R"(<path d="M{:.1f} {:g}v6" stroke="{}"/>)", p.x(value), top + plot_height, quiet_ink);
    svg.text(p.x(value), top + plot_height + 24, alone ? decimal_text(value) : tick_text(value, step_x),
             {.size = 14, .anchor = "middle"});
  }
  svg.text_within(plot_width, left + plot_width / 2, top + plot_height + 50,
                  h.quantity + (h.unit.empty() ? "" : " in " + h.unit),
                  {.size = 15, .colour = quiet_ink, .anchor = "middle"});
  svg.text(left - 10, top - 14, "pairs", {.size = 15, .colour = quiet_ink, .anchor = "end"});
}

void draw_bars(svg_document& svg, const histogram& h, const plane& p) {
  const double around = h.bars.single ? 0.5 : 0;
  for (index_t k = 0; k < h.bars.count; ++k) {
    if (h.pairs[k] == 0) continue;
    const auto bar = static_cast<double>(k);
    const double from = p.x(h.bars.at(bar - around)), until = p.x(h.bars.at(bar + 1 - around));
    const double wide = std::min(until - from - 1.5, 120.0), pairs = static_cast<double>(h.pairs[k]);
    const double height = std::max(1.0, p.y(0) - p.y(pairs));
    svg.add(R"(<g><title>{}{}: {} {}</title><rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}")"
            R"( fill="{}"/></g>)",
            xml_escaped(decimal_text(h.bars.at(bar))),
            h.bars.single ? "" : " to " + xml_escaped(decimal_text(h.bars.at(bar + 1))), grouped(h.pairs[k]),
            h.pairs[k] == 1 ? "pair" : "pairs", (from + until - wide) / 2, p.y(0) - height, wide, height, bar_colour);
  }
}

// A line at a value, named above the plot: the two have a line of text each.
void draw_mark(svg_document& svg, const plane& p, double value, double y, const std::string& words,
               std::string_view dashes) {
  const double x = p.x(value), half = text_width(words, 15, 600) / 2;
  svg.add(R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}" stroke="{3}" stroke-width="2" stroke-dasharray="{4}"/>)", x, y + 5,
          p.y(0), mark_colour, dashes);
  svg.text(std::clamp(x, left + half, canvas_width - 12 - half), y, words,
           {.size = 15, .colour = mark_colour, .anchor = "middle", .weight = 600, .halo = paper});
}

}  // namespace

histogram_bars bars_between(double least, double longest, bool whole, index_t most) {
  const double span = longest - least;
  if (span == 0) return {.first = least, .width = 1, .count = 1, .single = true};
  if (whole && span < static_cast<double>(most))
    return {.first = least, .width = 1, .count = static_cast<index_t>(span) + 1, .single = true};
  double width = round_step(span, static_cast<double>(most - 1));
  if (whole) width = std::max(1.0, width);
  const double first = std::floor(least / width) * width;
  const auto count = static_cast<index_t>(std::floor((longest - first) / width)) + 1;
  return {.first = first, .width = width, .count = std::clamp<index_t>(count, 1, most)};
}

std::string draw_svg(const histogram& h) {
  svg_document svg(canvas_width, canvas_height, spoken(h.title, h.subtitle));
  svg.heading(margin, h.title, h.subtitle, h.facts);
  if (h.pairs.empty()) {
    svg.text(margin, top, "no pair has a path", {.size = 19});
  } else {
    const plane p = plane_of(h);
    const std::string unit = h.unit.empty() ? "" : " " + shortened(h.unit, 12);
    draw_axes(svg, h, p);
    draw_bars(svg, h, p);
    const std::string longest = h.most_word + " " + decimal_text(h.longest) + unit;
    if (h.median < h.longest) draw_mark(svg, p, h.median, top - 34, "median " + decimal_text(h.median) + unit, "7 4");
    draw_mark(svg, p, h.longest, top - 14, h.median < h.longest ? longest : "median and " + longest, "2 3");
  }
  svg.signature(margin);
  return svg.str();
}

}  // namespace kleene::cli
