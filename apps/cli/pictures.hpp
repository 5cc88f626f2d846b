// The two pictures of the command line: a network with a route on it, and a matrix of distances as a heat map.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"

#include <cmath>
#include <concepts>
#include <functional>
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

// Coordinates within +-180, +-90 are taken for longitude and latitude in degrees: drawn equirectangular with its true
// scale at the mean latitude, with a scale bar in km. Others are drawn as they are, one scale for both axes.
void draw_map(const std::string& path, const network_map& map);

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

struct heat_map {
  index_t rows = 0, cols = 0;  // cells
  index_t source_rows = 0, source_cols = 0;
  std::vector<double>
      cells;  // row by row: the mean of a cell's finite values; infinity: none is reachable; NaN: no pair
  std::vector<std::int32_t> row_vertices;    // the vertex of each source row
  std::function<std::string(index_t)> name;  // of a vertex
  std::string title, subtitle;
};

void draw_heat_map(const std::string& path, const heat_map& map);

// Averages distances into at most 256 x 256 cells. Pairs of a vertex with itself are left out.
template <class T>
heat_map make_heat_map(const matrix_view<T>& distances, T unreachable, const std::vector<std::int32_t>& row_vertices) {
  constexpr index_t most = 256;
  heat_map map;
  map.source_rows = distances.rows(), map.source_cols = distances.cols();
  map.rows = std::min(most, distances.rows()), map.cols = std::min(most, distances.cols());
  map.row_vertices = row_vertices;
  std::vector<double> sum(map.rows * map.cols);
  std::vector<index_t> pairs(sum.size()), finite(sum.size());
  for (index_t i = 0; i < distances.rows(); ++i)
    for (index_t j = 0; j < distances.cols(); ++j) {
      if (j == row_vertices[i]) continue;
      const index_t cell = i * map.rows / distances.rows() * map.cols + j * map.cols / distances.cols();
      const T d = distances(i, j);
      ++pairs[cell];
      if (d == unreachable || !std::isfinite(static_cast<double>(d))) continue;
      ++finite[cell];
      sum[cell] += static_cast<double>(d);
    }
  for (std::size_t c = 0; c < sum.size(); ++c)
    map.cells.push_back(finite[c] ? sum[c] / static_cast<double>(finite[c]) : pairs[c] ? INFINITY : NAN);
  return map;
}

}  // namespace kleene::cli
