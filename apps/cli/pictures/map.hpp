// A network with coordinates, and a route on it.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kleene::cli {

struct network_map {
  matrix<double> coordinates;  // vertices x 2: longitude and latitude, or planar x and y
  std::vector<std::pair<std::int32_t, std::int32_t>> segments;
  std::vector<std::int32_t> route;           // may be empty
  std::function<std::string(index_t)> name;  // of a vertex
  std::string title, subtitle, facts;        // top to bottom
};

// Whether x and y are longitudes and latitudes in degrees: all lie within +-180 and +-90, and they are neither all
// whole numbers (a lattice) nor all in [0, 1] (points of the unit square).
bool are_degrees(const matrix<double>& xy);

// Degrees are drawn equirectangular with their true scale at the mean latitude, with a scale bar in km. Other
// coordinates are drawn as they are, one scale for both axes, without a bar.
std::string draw_svg(const network_map& map);

// n x 2 coordinates for a graph of n vertices; shape_error when they are of another number.
matrix<double> read_map_coordinates(const std::string& path, index_t vertices);

// One segment for each pair of vertices that an arc joins, self loops left out.
template <class T>
std::vector<std::pair<std::int32_t, std::int32_t>> segments_of(const csr<T>& graph) {
  std::vector<std::pair<std::int32_t, std::int32_t>> segments;
  const auto row = [&](index_t u) {
    return std::span(graph.columns).subspan(graph.offsets[u], graph.offsets[u + 1] - graph.offsets[u]);
  };
  for (std::int32_t u = 0; u < graph.rows; ++u)
    for (std::int32_t v : row(u)) {
      const bool drawn_from_v = v < u && std::ranges::binary_search(row(v), u);
      if (v != u && !drawn_from_v) segments.emplace_back(u, v);
    }
  return segments;
}

}  // namespace kleene::cli
