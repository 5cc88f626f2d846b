// The heat map of a distance matrix.
#include "pictures.hpp"

#include "svg.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace kleene::cli {

namespace {

constexpr double margin = 56, left = 112, header = 150, footer = 64, plot_size = 768, least_height = 180, bar_gap = 34,
                 bar_width = 20;
constexpr std::string_view paper = "#fbfaf7", ink = "#1f2733", quiet_ink = "#66707f", unreachable_colour = "#dcd9d3";
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

struct range {
  double low = 0, high = 1;
  bool clipped = false;  // some cells lie above high and look like it
  double share(double value) const { return (value - low) / (high - low); }
};

// From the smallest cell, or 0 if that is near, to the largest; few outliers do not darken all the others: the range
// then ends at the 99th percentile.
range range_of(const std::vector<double>& cells) {
  std::vector<double> finite;
  std::ranges::copy_if(cells, std::back_inserter(finite), [](double c) { return std::isfinite(c); });
  if (finite.empty()) return {};
  std::ranges::sort(finite);
  range r{finite.front(), finite.back()};
  const double most = finite[(finite.size() - 1) * 99 / 100];
  if (r.low > 0 && r.low < most / 3) r.low = 0;
  if (most - r.low < 0.7 * (r.high - r.low) && most > r.low) r.high = most, r.clipped = true;
  if (r.low == r.high) r.low = std::min(0.0, r.low), r.high = std::max(r.low + 1, r.high);
  return r;
}

// One path for each colour: runs of equal cells become one stroke.
void draw_cells(svg_document& svg, const heat_map& map, const range& r, double pixel_x, double pixel_y) {
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
          left, header, pixel_x, pixel_y);
  for (int key = 0; key <= levels; ++key)
    if (!strokes[key].empty())
      svg.add(R"(<path d="{}" stroke="{}"/>)", strokes[key],
              key == levels ? std::string(unreachable_colour) : colour((key + 0.5) / levels));
  svg.add("</g>");
}

void draw_colour_bar(svg_document& svg, const range& r, double x, double height, bool has_unreachable) {
  const double step = height / levels;
  for (int key = 0; key < levels; ++key)
    svg.add(R"(<rect x="{:g}" y="{:.2f}" width="{:g}" height="{:.2f}" fill="{}"/>)", x,
            header + height - (key + 1) * step, bar_width, step + 0.5, colour((key + 0.5) / levels));
  const double power = std::pow(10, std::floor(std::log10((r.high - r.low) / 4)));
  const double coarse = (r.high - r.low) / 4 / power;
  const double tick = power * (coarse >= 5 ? 5 : coarse >= 2 ? 2 : 1);
  for (double value = std::ceil(r.low / tick) * tick; value <= r.high + tick * 1e-9; value += tick) {
    const double y = header + height * (1 - r.share(value));
    svg.add(R"(<path d="M{:g} {:.1f}h6" stroke="{}"/>)", x + bar_width, y, quiet_ink);
    svg.text(x + bar_width + 11, y + 5, fmt::format("{:.6g}", std::abs(value) < tick * 1e-9 ? 0.0 : value),
             {.size = 14, .colour = quiet_ink});
  }
  if (r.clipped) svg.text(x, header - 10, "and more", {.size = 14, .colour = quiet_ink});
  if (!has_unreachable) return;
  svg.add(R"(<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill="{}"/>)", x, header + height + 22, bar_width,
          bar_width, unreachable_colour);
  svg.text(x + bar_width + 11, header + height + 37, "no path", {.size = 14, .colour = quiet_ink});
}

// Vertex numbers at both ends and the middle of an axis.
void draw_axes(svg_document& svg, const heat_map& map, double width, double height) {
  // What does not fit between the axis and the edge is cut.
  const auto name = [&](index_t vertex) { return shortened(map.name(vertex), 11); };
  const text_style small{.size = 14, .colour = quiet_ink, .anchor = "middle"};
  const double pixel_x = width / static_cast<double>(map.source_cols),
               pixel_y = height / static_cast<double>(map.source_rows);
  for (index_t j : {index_t{0}, map.source_cols / 2, map.source_cols - 1})
    svg.text(left + (static_cast<double>(j) + 0.5) * pixel_x, header - 10, name(j), small);
  svg.text(left + width / 4, header - 10, "to vertex", small);
  text_style at_left = small;
  at_left.anchor = "end";
  const bool low = height < 60;
  for (index_t i : {index_t{0}, map.source_rows / 2, map.source_rows - 1})
    if (!low || i == 0)
      svg.text(left - 10, header + (static_cast<double>(i) + 0.5) * pixel_y + 5, name(map.row_vertices[i]), at_left);
  if (!low) svg.text(left - 10, header + height / 4 + 5, "from", at_left);
}

}  // namespace

void draw_heat_map(const std::string& path, const heat_map& map) {
  const double pixel_x = std::max(1.0, std::floor(plot_size / static_cast<double>(std::max<index_t>(map.cols, 1))));
  const double width = pixel_x * static_cast<double>(map.cols);
  const double pixel_y =
      map.rows * 16 < map.cols ? std::ceil(24.0 / static_cast<double>(std::max<index_t>(map.rows, 1))) : pixel_x;
  const double height = pixel_y * static_cast<double>(map.rows);
  const double canvas_height = header + std::max(height, least_height) + footer;
  svg_document svg(left + width + bar_gap + bar_width + 60 + margin, canvas_height, paper,
                   map.title + ", " + map.subtitle);
  svg.text(margin, 54, map.title, {.size = 29, .colour = ink, .weight = 700});
  svg.text(margin, 83, map.subtitle, {.size = 16.5, .colour = quiet_ink});
  if (!map.cells.empty()) {
    const range r = range_of(map.cells);
    const bool has_unreachable = std::ranges::any_of(map.cells, [](double c) { return std::isinf(c); });
    draw_cells(svg, map, r, pixel_x, pixel_y);
    draw_axes(svg, map, width, height);
    draw_colour_bar(svg, r, left + width + bar_gap, std::max(height, least_height), has_unreachable);
  }
  svg.text(left, canvas_height - 24, "kleene", {.size = 14, .colour = "#a3abb5"});
  svg.write(path);
}

}  // namespace kleene::cli
