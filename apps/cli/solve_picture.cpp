// A configuration on a map: dots in the colours of their values.
#include "pictures/map.hpp"
#include "pictures/svg.hpp"
#include "solve_output.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kleene::cli {

namespace {

constexpr double border = 56, legend_line = 140, below_heading = 176, most_pixels = 1000, narrowest = 640, bottom = 74;
constexpr double legend_letters = 15, legend_gap = 24;
// Colours of values, by lightness too; more than these begin again.
constexpr std::array<std::string_view, 6> palette = {road, "#2f6db3", "#e3a72f", "#3b8f5a", "#7a4f9e", "#1f2733"};

struct dot {
  double x = 0, y = 0;
};

struct placed_dots {
  std::vector<dot> at;
  double width = 0, height = 0;  // of the picture
};

// Degrees, where all are, are drawn with their true proportions at the mean latitude.
placed_dots place_dots(const matrix<double>& xy) {
  placed_dots placed;
  double left = 0, right = 0, low = 0, high = 0, sum = 0;
  for (index_t v = 0; v < xy.rows(); ++v) {
    const double x = xy(v, 0), y = xy(v, 1);
    left = v == 0 ? x : std::min(left, x), right = v == 0 ? x : std::max(right, x);
    low = v == 0 ? y : std::min(low, y), high = v == 0 ? y : std::max(high, y);
    sum += y;
  }
  const double mean = sum / std::max(1.0, static_cast<double>(xy.rows()));
  const double stretch = are_degrees(xy) ? std::max(0.01, std::cos(mean * std::numbers::pi / 180)) : 1;
  const double span = std::max((right - left) * stretch, high - low);
  const double scale = span > 0 ? most_pixels / span : 1, wide = (right - left) * stretch * scale;
  placed.width = std::max(wide, narrowest) + 2 * border;
  placed.height = below_heading + (high - low) * scale + bottom;
  for (index_t v = 0; v < xy.rows(); ++v)
    placed.at.push_back(
        {(placed.width - wide) / 2 + (xy(v, 0) - left) * stretch * scale, below_heading + (high - xy(v, 1)) * scale});
  return placed;
}

// The colour of a vertex; faint where it is not chosen.
std::string_view colour_of(solve_kind kind, std::int32_t value) {
  if (problem_row_of(kind).chooses) return value == 1 ? palette[0] : faint;
  return palette[static_cast<std::size_t>(value) % palette.size()];
}

// Whether the edge is what the answer is about: between the sides of a cut, in a clique, of one colour.
bool stands_out(solve_kind kind, std::int32_t u, std::int32_t v) {
  if (kind == solve_kind::cut) return u != v;
  if (kind == solve_kind::coloring) return u == v;
  return kind == solve_kind::clique && u == 1 && v == 1;
}

void draw_edges(svg_document& svg, const solve_input& input, const solve_flags& flags, const solve_answer& answer,
                const std::vector<dot>& at, bool standing_out, double stroke) {
  std::string d;
  for (const auto& [u, v] : input.graph.edges) {
    const std::size_t a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    if (stands_out(flags.kind, answer.configuration[a], answer.configuration[b]) != standing_out) continue;
    fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}L{:.1f} {:.1f}", at[a].x, at[a].y, at[b].x, at[b].y);
  }
  if (!d.empty())
    svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="{:.2f}" stroke-linecap="round"/>)", d,
            standing_out ? ink : faint, stroke);
}

// What stands_out() finds, in words; empty: nothing.
std::string_view edge_words(solve_kind kind) {
  if (kind == solve_kind::cut) return "between the sides";
  if (kind == solve_kind::coloring) return "with one colour at both ends";
  return kind == solve_kind::clique ? "in the clique" : "";
}

// What the colours of dots and lines mean, on one line.
void draw_legend(svg_document& svg, const solve_flags& flags, const solve_answer& answer) {
  double x = border;
  const auto label = [&](const std::string& words) {
    svg.text(x, legend_line + 5, words, {.size = legend_letters, .colour = quiet_ink});
    x += text_width(words, legend_letters) + legend_gap;
  };
  const auto add_dot = [&](std::string_view colour, double radius, const std::string& words) {
    svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}" fill="{}"/>)", x + 6 - radius,
            legend_line - radius, 2 * radius, 2 * radius, radius, colour);
    x += 18;
    label(words);
  };
  const solve_row& row = problem_row_of(flags.kind);
  if (row.chooses) {
    add_dot(palette[0], 6, "chosen");
    add_dot(faint, 4, "not chosen");
  } else {
    const std::int32_t most = answer.configuration.empty() ? 0 : *std::ranges::max_element(answer.configuration);
    const auto values = static_cast<std::int32_t>(palette.size());
    for (std::int32_t value = 0; value <= std::min(most, values - 1); ++value)
      add_dot(palette[static_cast<std::size_t>(value)], 6,
              fmt::format("{} {}", value_title(flags.kind), shown_value(flags.kind, value)) +
                  (value + values <= most ? fmt::format(", {}, ...", shown_value(flags.kind, value + values)) : ""));
  }
  if (edge_words(flags.kind).empty()) return;
  svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="22" height="2.6" fill="{}"/>)", x, legend_line - 1.3, ink);
  x += 28;
  label(std::string("an edge ") + std::string(edge_words(flags.kind)));
}

}  // namespace

std::string draw_solution(const solve_input& input, const solve_flags& flags, const solve_answer& answer,
                          const matrix<double>& coordinates) {
  const placed_dots placed = place_dots(coordinates);
  std::string problem = problem_row_of(flags.kind).name;
  std::ranges::replace(problem, '_', ' ');
  const std::string title = fmt::format("{}: {}", file_stem(input.path), problem);
  const std::string subtitle = fmt::format("value {}: {}", answer.value.shown, aim_of(flags));
  svg_document svg(placed.width, placed.height, spoken(title, subtitle));
  svg.heading(border, title, subtitle, configuration_words(input, flags, answer));
  draw_legend(svg, flags, answer);
  const double crowd = std::log10(std::max<double>(10, static_cast<double>(placed.at.size())));
  const double stroke = std::clamp(2.1 - 0.3 * crowd, 0.5, 1.6), radius = std::clamp(9 - 2 * crowd, 1.0, 7.0);
  for (const bool standing_out : {false, true})
    draw_edges(svg, input, flags, answer, placed.at, standing_out, standing_out ? 1.6 * stroke : stroke);
  for (std::size_t v = 0; v < placed.at.size(); ++v) {
    const std::string_view colour = colour_of(flags.kind, answer.configuration[v]);
    const double r = colour == faint ? 0.6 * radius : radius;
    svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}"/>)", placed.at[v].x, placed.at[v].y, r, colour);
  }
  svg.signature(border);
  return svg.str();
}

}  // namespace kleene::cli
