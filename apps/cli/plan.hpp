// The longest path over max_plus, as of a project's plan: its vertices, and by how much each vertex may be late.
// Critical path method: Kelley and Walker, "Critical-path planning and scheduling", 1959.
#pragma once

#include "graph_input.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace kleene::cli {

// Of one vertex, as numbers written out: the longest path that ends there (the earliest time), the latest time that
// makes the longest path no longer, and the difference.
struct plan_row {
  std::string earliest, latest, slack;
};
struct plan {
  std::vector<plan_row> rows{};          // of each vertex; empty: not of all sources
  std::vector<std::int32_t> critical{};  // the longest path
  std::string longest_slack{};           // for people
  std::int32_t least_urgent = -1;        // the vertex that has it
  index_t without_slack = 0;
};

// Distances from all vertices, with predecessors; from, to: of the longest path. Of floats a slack within their
// rounding is 0. O(vertices^2).
template <class S>
plan make_plan(const apsp_result<S>& result, std::int32_t from, std::int32_t to) {
  using T = value_of<S>;
  const index_t n = result.distances.cols();
  plan made;
  if (from >= 0 && !result.predecessors.empty()) made.critical = result.path(from, to).vertices;
  if (result.distances.rows() != n) return made;
  std::vector<T> before(static_cast<std::size_t>(n), T(0)), after(static_cast<std::size_t>(n), T(0));
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      const T length = result.distances(i, j);
      if (length == S::zero()) continue;
      after[i] = std::max(after[i], length);
      before[j] = std::max(before[j], length);
    }
  const T longest = n > 0 ? std::ranges::max(before) : T(0);
  T most = T(-1);
  for (index_t v = 0; v < n; ++v) {
    T slack = longest - after[v] - before[v];
    if constexpr (std::is_floating_point_v<T>)
      if (std::abs(slack) <= longest * std::numeric_limits<T>::epsilon() * T(16)) slack = 0;
    made.rows.push_back({fmt::format("{}", before[v]), fmt::format("{}", before[v] + slack), fmt::format("{}", slack)});
    made.without_slack += slack == T(0);
    if (slack <= most) continue;
    most = slack;
    made.least_urgent = static_cast<std::int32_t>(v);
    made.longest_slack = number_text(slack);
  }
  return made;
}

// "slack" of every vertex, and "critical_path".
void add_plan(json_object& json, const plan& made, const labels& names);
void add_plan(answer& text, const plan& made, const labels& names, const std::string& unit);
// .csv or .tsv, a line a vertex.
void write_slack(const std::string& path, const plan& made, const labels& names);

}  // namespace kleene::cli
