#include "map.hpp"

#include "kleene/io/graph.hpp"
#include "svg.hpp"
#include "text.hpp"

#include <algorithm>
#include <numbers>

namespace kleene::cli {

namespace {

constexpr double margin = 56, header = 158, footer = 74, map_width = 1000, map_height = 1000, least_width = 640;
constexpr double km_per_degree = 6371.0088 * std::numbers::pi / 180;  // of a great circle; IUGG mean radius

struct point {
  double x = 0, y = 0;
};

// From coordinates to pixels.
struct projection {
  bool geographic = false;
  point low, high;                                     // corners of the coordinates
  double stretch = 1, scale = 1;                       // of x before scaling; pixels per unit of y
  double width = 0, height = 0, left = 0, canvas = 0;  // of the map in pixels, its left edge, the canvas' width

  point operator()(double x, double y) const {
    return {left + (x - low.x) * stretch * scale, header + (high.y - y) * scale};
  }
};

projection fit(const matrix<double>& xy) {
  projection p;
  if (xy.rows() > 0) p.low = p.high = {xy(0, 0), xy(0, 1)};
  double latitudes = 0;
  for (index_t v = 0; v < xy.rows(); ++v) {
    p.low = {std::min(p.low.x, xy(v, 0)), std::min(p.low.y, xy(v, 1))};
    p.high = {std::max(p.high.x, xy(v, 0)), std::max(p.high.y, xy(v, 1))};
    latitudes += xy(v, 1);
  }
  p.geographic = are_degrees(xy);
  const double mean_latitude = latitudes / std::max<double>(1, static_cast<double>(xy.rows()));
  if (p.geographic) p.stretch = std::max(0.01, std::cos(mean_latitude * std::numbers::pi / 180));
  const double wide = (p.high.x - p.low.x) * p.stretch, tall = p.high.y - p.low.y;
  if (wide > 0 || tall > 0) p.scale = std::min(map_width / std::max(wide, 1e-300), map_height / std::max(tall, 1e-300));
  p.width = wide * p.scale, p.height = tall * p.scale;
  p.canvas = std::max(p.width, least_width) + 2 * margin;
  p.left = (p.canvas - p.width) / 2;
  return p;
}

std::string polyline(const std::vector<point>& points) {
  std::string d;
  for (const point& at : points) d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", at.x, at.y);
  return d;
}

void draw_network(svg_document& svg, const network_map& map, const std::vector<point>& at) {
  // Lines thin out as they crowd: from 1.6 pixels for a handful to 0.5 for a hundred thousand.
  const double crowd = std::log10(std::max<double>(10, static_cast<double>(map.segments.size())));
  const double width = std::clamp(2.1 - 0.3 * crowd, 0.5, 1.6);
  std::string d;
  for (const auto& [u, v] : map.segments)
    fmt::format_to(std::back_inserter(d), "M{:.1f} {:.1f}L{:.1f} {:.1f}", at[u].x, at[u].y, at[v].x, at[v].y);
  svg.add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="{:.2f}" stroke-linecap="round"/>)", d, faint, width);
  if (at.size() <= 200)
    for (const point& vertex : at)
      svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>)", vertex.x, vertex.y, faint);
}

// The number of an end point, on the side that the route does not use: beside it where the canvas has room, else above
// or below.
void label_end(svg_document& svg, const projection& p, const std::vector<point>& route, const std::string& label) {
  const point at = route.front();
  const auto leaves = std::ranges::find_if(route, [&](point q) { return std::hypot(q.x - at.x, q.y - at.y) > 40; });
  const point next = leaves == route.end() ? route.back() : *leaves;
  const double width = text_width(label, 21, 700), room = 20 + width;
  const bool to_right = at.x >= next.x;
  const bool beside = to_right ? at.x + room < p.canvas - 10 : at.x - room > 10;
  const double x = beside ? at.x + (to_right ? 18 : -18) : std::clamp(at.x, width / 2 + 10, p.canvas - width / 2 - 10);
  const double y = at.y + (beside ? 7 : at.y > next.y + 20 ? 34 : -19);
  svg.text(x, y, label,
           {.size = 21,
            .anchor = !beside    ? "middle"
                      : to_right ? "start"
                                 : "end",
            .weight = 700,
            .halo = paper});
}

void draw_route(svg_document& svg, const network_map& map, const projection& p, const std::vector<point>& at) {
  if (map.route.empty()) return;
  std::vector<point> line;
  for (std::int32_t v : map.route) line.push_back(at[v]);
  const std::string d = polyline(line);
  svg.add(R"(<g fill="none" stroke-linecap="round" stroke-linejoin="round">)");
  svg.add(R"(<path d="{}" stroke="{}" stroke-width="11" stroke-opacity="0.9"/>)", d, paper);
  svg.add(R"(<path d="{}" stroke="{}" stroke-width="4.2"/></g>)", d, road);
  const point start = line.front(), end = line.back();
  svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="8" fill="{}" stroke="{}" stroke-width="4"/>)", start.x, start.y, paper,
          road);
  svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="9.5" fill="{}" stroke="{}" stroke-width="3"/>)", end.x, end.y, road,
          paper);
  const auto name = [&](std::int32_t v) { return fitted(map.name(v), 300, 21, 700); };
  label_end(svg, p, line, name(map.route.front()));
  std::ranges::reverse(line);
  if (line.size() > 1) label_end(svg, p, line, name(map.route.back()));
}

// A round number of kilometres, about a fifth of the map wide.
void draw_scale(svg_document& svg, const projection& p) {
  if (!p.geographic || p.width <= 0) return;
  const double pixels_per_km = p.scale / km_per_degree, aim = std::max(p.width, least_width) / 5 / pixels_per_km;
  const double power = std::pow(10, std::floor(std::log10(aim)));
  const double km = aim >= 5 * power ? 5 * power : aim >= 2 * power ? 2 * power : power;
  const double x = margin, y = header + p.height + 46, length = km * pixels_per_km;
  svg.add(R"(<path d="M{0:.1f} {2:.1f}v7H{1:.1f}v-7" fill="none" stroke="{3}" stroke-width="1.6"/>)", x, x + length,
          y - 7, quiet_ink);
  svg.text(x + length + 10, y + 4, km >= 1 ? fmt::format("{:g} km", km) : fmt::format("{:g} m", 1000 * km),
           {.size = 15, .colour = quiet_ink});
}

}  // namespace

bool are_degrees(const matrix<double>& xy) {
  bool fit = true, whole = true, of_unit_square = true;
  for (index_t v = 0; v < xy.rows(); ++v) {
    fit &= std::abs(xy(v, 0)) <= 180 && std::abs(xy(v, 1)) <= 90;
    for (const double c : {xy(v, 0), xy(v, 1)}) {
      whole &= c == std::floor(c);
      of_unit_square &= c >= 0 && c <= 1;
    }
  }
  return fit && !whole && !of_unit_square;
}

matrix<double> read_map_coordinates(const std::string& path, index_t vertices) {
  matrix<double> coordinates = io::read_coordinates(path);
  if (coordinates.rows() != vertices || coordinates.cols() != 2)
    throw shape_error(fmt::format("{}: coordinates are {} x {}, the graph has {}: expected {} x 2", path,
                                  coordinates.rows(), coordinates.cols(), counted(vertices, "vertex", "vertices"),
                                  vertices));
  for (index_t v = 0; v < vertices; ++v)
    if (!std::isfinite(coordinates(v, 0)) || !std::isfinite(coordinates(v, 1)))
      throw value_error(fmt::format("{}: row {} is not finite", path, v + 1));
  return coordinates;
}

std::string draw_svg(const network_map& map) {
  const projection p = fit(map.coordinates);
  std::vector<point> at;
  for (index_t v = 0; v < map.coordinates.rows(); ++v) at.push_back(p(map.coordinates(v, 0), map.coordinates(v, 1)));
  svg_document svg(p.canvas, header + p.height + footer, spoken(map.title, map.subtitle));
  svg.heading(margin, map.title, map.subtitle, map.facts);
  draw_network(svg, map, at);
  draw_route(svg, map, p, at);
  draw_scale(svg, p);
  svg.signature(margin);
  return svg.str();
}

}  // namespace kleene::cli
