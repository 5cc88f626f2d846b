// How central a vertex is: closeness centrality, the reciprocal of the mean distance to the others. Of a vertex that
// reaches r of n - 1 others it is r / sum times r / (n - 1), so that few near ones do not make a centre: Wasserman and
// Faust, "Social Network Analysis", 1994, formula 5.22. Distances lead away from the vertex.
#pragma once

#include "kleene/operations/shortest_paths.hpp"
#include "labels.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kleene::cli {

struct closeness_row {
  std::int32_t vertex;
  index_t reached = 0;  // other vertices
  double sum = 0;       // of their distances
  double closeness = 0;
};

// Of each source, the most central first; equal ones in the order of the sources.
template <class S>
std::vector<closeness_row> make_closeness(const apsp_result<S>& result) {
  std::vector<closeness_row> rows;
  const index_t n = result.distances.cols();
  for (index_t i = 0; i < result.distances.rows(); ++i) {
    closeness_row row{.vertex = result.sources[i]};
    for (index_t j = 0; j < n; ++j) {
      if (j == row.vertex || result.distances(i, j) == S::zero()) continue;
      ++row.reached;
      row.sum += static_cast<double>(result.distances(i, j));
    }
    const auto reached = static_cast<double>(row.reached);
    if (row.sum > 0) row.closeness = reached / row.sum * (reached / static_cast<double>(n - 1));
    rows.push_back(row);
  }
  std::ranges::stable_sort(rows, std::greater{}, &closeness_row::closeness);
  return rows;
}

// .csv or .tsv, a line a vertex.
void write_closeness(const std::string& path, const std::vector<closeness_row>& rows, const labels& names);

}  // namespace kleene::cli
