// What can be asked of an apsp_result: rows, paths, a summary.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kleene {

namespace detail {

// The weight of the arc u -> v, which is known to exist.
template <class S>
value_of<S> arc_weight(const apsp_result<S>& r, std::int32_t u, std::int32_t v) {
  if (!r.dense_graph.is_null()) return r.dense_graph(u, v);
  const auto& g = r.sparse_graph;
  const auto first = g.columns.begin() + g.offsets[u], last = g.columns.begin() + g.offsets[u + 1];
  const auto at = std::lower_bound(first, last, v);
  if (at == last || *at != v)
    throw error(fault_code::internal, "a path uses the arc " + std::to_string(u) + " -> " + std::to_string(v) +
                                          ", which the graph does not have (did the graph change?)");
  return g.values[at - g.columns.begin()];
}

template <class S>
path_result<value_of<S>> trace_path(const apsp_result<S>& r, index row, std::int32_t s, std::int32_t t) {
  path_result<value_of<S>> path{{}, S::zero()};
  if (s != t && r.predecessors(row, t) < 0) return path;
  for (std::int32_t v = t; v != s; v = r.predecessors(row, v)) {
    path.vertices.push_back(v);
    if (v < 0 || static_cast<index>(path.vertices.size()) > r.vertices)
      throw error(fault_code::internal, "predecessors from " + std::to_string(s) + " do not lead home");
  }
  path.vertices.push_back(s);
  std::reverse(path.vertices.begin(), path.vertices.end());
  auto cost = widen<S>(S::one());
  for (std::size_t i = 1; i < path.vertices.size(); ++i)
    cost = S::mul(cost, widen<S>(arc_weight(r, path.vertices[i - 1], path.vertices[i])));
  path.cost = normalise<S>(cost);
  return path;
}

// What one row adds to a summary.
template <class S>
struct row_summary {
  using T = value_of<S>;
  std::conditional_t<std::is_floating_point_v<T>, long double, __int128> sum = 0;  // of the finite distances
  index reachable = 0, finite = 0;
  T worst{};              // of the finite distances,
  std::int32_t to = -1;   // the first of them; -1: there is none

  static bool better(const T& a, const T& b) { return !(S::add(widen<S>(b), widen<S>(a)) == widen<S>(b)); }

  void add(const T& d, index j) {
    if (d == S::zero()) return;
    ++reachable;
    if constexpr (std::is_floating_point_v<T>)
      if (std::isinf(d)) return;
    ++finite;
    sum += d;
    if (to >= 0 && !better(worst, d)) return;
    worst = d;
    to = static_cast<std::int32_t>(j);
  }
};

template <class S>
row_summary<S> summarise_row(const apsp_result<S>& r, index i) {
  row_summary<S> s;
  const index source = r.sources[i];
  for (index j = 0; j < source; ++j) s.add(r.distances(i, j), j);
  for (index j = source + 1; j < r.distances.cols(); ++j) s.add(r.distances(i, j), j);
  return s;
}

// Exact decimal digits of a 128-bit sum.
inline std::string decimal(__int128 sum) {
  const bool negative = sum < 0;
  std::string digits;
  for (unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(sum) : static_cast<unsigned __int128>(sum);
       rest > 0 || digits.empty(); rest /= 10)
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
  if (negative) digits.push_back('-');
  return {digits.rbegin(), digits.rend()};
}

}  // namespace detail

template <class S>
index apsp_result<S>::row_of(std::int32_t s) const {
  if (s >= 0 && s < static_cast<std::int32_t>(sources.size()) && sources[s] == s) return s;
  const auto at = std::find(sources.begin(), sources.end(), s);
  if (at == sources.end()) throw value_error("vertex " + std::to_string(s) + " was not among the sources");
  return at - sources.begin();
}

template <class S>
path_result<value_of<S>> apsp_result<S>::path(std::int32_t s, std::int32_t t) const {
  if (predecessors.empty() && !distances.empty())
    throw argument_error("path() needs predecessors: ask for them in the options");
  const index row = row_of(s);
  if (t < 0 || t >= vertices)
    throw value_error("vertex " + std::to_string(t) + " is not in a graph of " + std::to_string(vertices) + " (0-based)");
  return detail::trace_path(*this, row, s, t);
}

template <class S>
std::vector<path_result<value_of<S>>> apsp_result<S>::paths(
    const context& ctx, std::span<const std::pair<std::int32_t, std::int32_t>> pairs) const {
  std::vector<index> rows;
  for (const auto& [s, t] : pairs) {
    rows.push_back(row_of(s));
    if (t < 0 || t >= vertices) (void)path(s, t);  // throws
  }
  if (predecessors.empty() && !pairs.empty()) throw argument_error("paths() needs predecessors: ask for them in the options");
  std::vector<path_result<T>> found(pairs.size());
  task_queue queue;
  run_team(pairs.size() > 64 ? ctx.threads() : 1, [&](const team_member&) {
    for (index i; (i = queue.next()) < static_cast<index>(pairs.size());)
      found[i] = detail::trace_path(*this, rows[i], pairs[i].first, pairs[i].second);
  });
  return found;
}

template <class S>
apsp_summary<value_of<S>> summarise(const apsp_result<S>& r, const context& ctx) {
  using T = value_of<S>;
  const index count = r.distances.rows();
  std::vector<detail::row_summary<S>> rows(count);
  task_queue queue;
  run_team(r.distances.size() > (1 << 16) ? ctx.threads() : 1, [&](const team_member&) {
    for (index i; (i = queue.next()) < count;) rows[i] = detail::summarise_row(r, i);
  });

  apsp_summary<T> s;
  decltype(rows[0].sum) sum = 0;
  index finite = 0;
  for (index i = 0; i < count; ++i) {
    const detail::row_summary<S>& row = rows[i];
    s.reachable_pairs += row.reachable;
    s.unreachable_pairs += r.distances.cols() - 1 - row.reachable;
    finite += row.finite;
    sum += row.sum;
    if (row.to < 0 || (s.any_finite && !row.better(s.diameter, row.worst))) continue;
    s.any_finite = true;
    s.diameter = row.worst;
    s.diameter_from = r.sources[i];
    s.diameter_to = row.to;
  }
  if (finite > 0) s.distance_mean = static_cast<double>(sum) / static_cast<double>(finite);
  if constexpr (std::is_floating_point_v<T>) {
    char text[48];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(sum));
    s.distance_sum = text;
  } else {
    s.distance_sum = detail::decimal(sum);
  }
  return s;
}

}  // namespace kleene
