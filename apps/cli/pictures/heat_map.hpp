// A matrix of distances as a heat map, with the names of its vertices.
#pragma once

#include "kleene/data/matrix.hpp"
#include "terminal.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace kleene::cli {

struct heat_map {
  index_t rows = 0, cols = 0;  // cells
  index_t source_rows = 0, source_cols = 0;
  // Row by row: the mean of a cell's finite values; infinity: none is reachable; NaN: no pair of two vertices.
  std::vector<double> cells;
  std::vector<std::int32_t> row_vertices{};    // the vertex of each source row
  std::function<std::string(index_t)> name{};  // of a vertex
  std::string title{}, subtitle{}, facts{}, unit{};
  bool only_reaches = false;  // a value says no more than that there is a path
};

// The values that the colours go from and to.
struct heat_range {
  double low = 0, high = 1;
  bool clipped = false;  // some cells lie above high and look like it
  bool single = false;   // all finite cells are `low`
  bool empty = false;    // there are none
  double share(double value) const { return (value - low) / (high - low); }
};
heat_range range_of(const std::vector<double>& cells);

std::string draw_svg(const heat_map& map);
// As many cells as fit the terminal are what plot_size says.
std::string draw_plot(const heat_map& map, const terminal& to);
index_t plot_size(const terminal& to);

// Averages distances into at most `most` x `most` cells. Pairs of a vertex with itself are left out.
template <class T>
heat_map make_heat_map(const matrix_view<T>& distances, T unreachable, const std::vector<std::int32_t>& row_vertices,
                       index_t most) {
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
