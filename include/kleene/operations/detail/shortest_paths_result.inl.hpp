// The queries of an apsp_result: rows, paths, a summary.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/operations/paths.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace kleene {

namespace detail {

// Refuses queries of a result in which a cycle improves without end.
template <class S>
void require_distances(const apsp_result<S>& r, const char* asked) {
  if (r.negative_cycle.empty()) return;
  constexpr std::size_t most = 16;
  std::string cycle;
  for (std::size_t i = 0; i < r.negative_cycle.size() && i < most; ++i)
    cycle += std::to_string(r.negative_cycle[i]) + " -> ";
  if (r.negative_cycle.size() > most) cycle += "... (" + std::to_string(r.negative_cycle.size()) + " vertices) -> ";
  throw value_error(std::string(asked) + ": there are no distances, as the cycle " + cycle +
                    std::to_string(r.negative_cycle.front()) + " (0-based) improves without end");
}

// The weight of the arc u -> v; null where the graph has no such arc.
template <class S>
const value_of<S>* arc_weight(const apsp_result<S>& r, std::int32_t u, std::int32_t v) noexcept {
  if (!r.dense_graph.is_null()) {
    const value_of<S>* const weight = &r.dense_graph(u, v);
    return *weight == S::zero() ? nullptr : weight;
  }
  const auto& g = r.sparse_graph;
  const auto first = g.columns.begin() + g.offsets[u], last = g.columns.begin() + g.offsets[u + 1];
  const auto at = std::lower_bound(first, last, v);
  return at == last || *at != v ? nullptr : &g.values[at - g.columns.begin()];
}

// Vertices of the path from s to t: 0 where there is none, -1 where following the predecessors does not reach s.
template <class S>
index_t path_length(const apsp_result<S>& r, index_t row, std::int32_t s, std::int32_t t) noexcept {
  index_t length = 1;
  for (std::int32_t v = t; v != s; ++length) {
    v = r.predecessors(row, v);
    if (v == -1 && length == 1) return 0;
    if (v < 0 || v >= r.vertices || length >= r.vertices) return -1;
  }
  return length;
}

// Fills in a path of the right length. False where the graph lacks one of its arcs.
template <class S>
bool trace_path(const apsp_result<S>& r, index_t row, std::int32_t t, path_result<value_of<S>>& path) noexcept {
  path.cost = S::zero();
  if (path.vertices.empty()) return true;
  std::int32_t v = t;
  for (std::size_t at = path.vertices.size(); at > 0; v = r.predecessors(row, v)) path.vertices[--at] = v;
  auto cost = widen<S>(S::one());
  for (std::size_t i = 1; i < path.vertices.size(); ++i) {
    const value_of<S>* weight = arc_weight(r, path.vertices[i - 1], path.vertices[i]);
    if (!weight) return false;
    cost = S::mul(cost, widen<S>(*weight));
  }
  path.cost = normalise<S>(cost);
  return true;
}

using path_ends = std::pair<std::int32_t, std::int32_t>;

// Paths, measured, given memory, and filled in.
template <class S>
std::vector<path_result<value_of<S>>> trace_paths(const apsp_result<S>& r, std::span<const path_ends> pairs,
                                                  int threads) {
  const index_t count = static_cast<index_t>(pairs.size());
  std::vector<index_t> rows(pairs.size()), lengths(pairs.size());
  std::vector<path_result<value_of<S>>> found(pairs.size());
  for (index_t i = 0; i < count; ++i) {
    rows[i] = r.row_of(pairs[i].first);
    if (const std::int32_t t = pairs[i].second; t < 0 || t >= r.vertices)
      throw value_error("vertex " + std::to_string(t) + " is not in a graph of " + std::to_string(r.vertices) +
                        " (0-based)");
  }
  const auto for_each_pair = [&](const auto& work) {
    task_queue queue;
    run_tasks(threads, [&](const team_member&) {
      for (index_t i; (i = queue.next()) < count;) work(i);
    });
  };
  for_each_pair([&](index_t i) { lengths[i] = path_length(r, rows[i], pairs[i].first, pairs[i].second); });
  for (index_t i = 0; i < count; ++i) {
    if (lengths[i] < 0)
      throw error(fault_code::internal, "predecessors of " + std::to_string(pairs[i].second) + " do not lead back to " +
                                            std::to_string(pairs[i].first));
    found[i].vertices.resize(static_cast<std::size_t>(lengths[i]));
  }
  for_each_pair([&](index_t i) { lengths[i] = trace_path(r, rows[i], pairs[i].second, found[i]); });
  for (index_t i = 0; i < count; ++i)
    if (lengths[i] == 0)
      throw error(fault_code::internal, "the path from " + std::to_string(pairs[i].first) + " to " +
                                            std::to_string(pairs[i].second) +
                                            " uses an arc that the graph does not have (did the graph change?)");
  return found;
}

template <class S>
std::vector<path_result<value_of<S>>> checked_paths(const apsp_result<S>& r, std::span<const path_ends> pairs,
                                                    int threads) {
  require_distances(r, "path");
  if (r.predecessors.empty() && !r.distances.empty() && !pairs.empty())
    throw argument_error("path() and paths() need predecessors: ask for them in the options");
  const double each = sizeof(path_result<value_of<S>>) + 2 * sizeof(index_t) + 32 * sizeof(std::int32_t);
  return with_memory("paths", static_cast<double>(pairs.size()) * each, [&] { return trace_paths(r, pairs, threads); });
}

// What one row adds to a summary.
template <class S>
struct row_summary {
  using T = value_of<S>;
  std::conditional_t<std::is_floating_point_v<T>, long double, __int128> sum = 0;  // of the finite distances
  index_t reachable = 0, finite = 0;
  T worst{};             // of the finite distances,
  std::int32_t to = -1;  // the first of them; -1: there is none

  static bool better(const T& a, const T& b) { return !(S::add(widen<S>(b), widen<S>(a)) == widen<S>(b)); }

  void add(const T& d, index_t j) {
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
row_summary<S> summarise_row(const apsp_result<S>& r, index_t i) {
  row_summary<S> s;
  const index_t source = r.sources[i];
  for (index_t j = 0; j < source; ++j) s.add(r.distances(i, j), j);
  for (index_t j = source + 1; j < r.distances.cols(); ++j) s.add(r.distances(i, j), j);
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

template <class S>
apsp_summary<value_of<S>> summarise_rows(const apsp_result<S>& r, const context& ctx) {
  using T = value_of<S>;
  const index_t count = static_cast<index_t>(r.sources.size());  // 0 of a result that was moved from
  std::vector<row_summary<S>> rows(count);
  task_queue queue;
  const double elements = static_cast<double>(r.distances.size());
  run_tasks(threads_for(elements, elements_per_thread, ctx.threads()), [&](const team_member&) {
    for (index_t i; (i = queue.next()) < count;) rows[i] = summarise_row(r, i);
  });

  apsp_summary<T> s;
  decltype(rows[0].sum) sum = 0;
  index_t finite = 0;
  for (index_t i = 0; i < count; ++i) {
    const row_summary<S>& row = rows[i];
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
    s.distance_sum = decimal(sum);
  }
  return s;
}

}  // namespace detail

template <class S>
index_t apsp_result<S>::row_of(std::int32_t s) const {
  if (s >= 0 && s < static_cast<std::int32_t>(sources.size()) && sources[s] == s) return s;
  const auto at = std::find(sources.begin(), sources.end(), s);
  if (at == sources.end()) throw value_error("vertex " + std::to_string(s) + " was not among the sources");
  return at - sources.begin();
}

template <class S>
path_result<value_of<S>> apsp_result<S>::path(std::int32_t s, std::int32_t t) const {
  return std::move(detail::checked_paths(*this, std::array{detail::path_ends{s, t}}, 1).front());
}

template <class S>
std::vector<path_result<value_of<S>>> apsp_result<S>::paths(
    const context& ctx, std::span<const std::pair<std::int32_t, std::int32_t>> pairs) const {
  const double count = static_cast<double>(pairs.size());
  return detail::checked_paths(*this, pairs, threads_for(count, detail::paths_per_thread, ctx.threads()));
}

template <class S>
apsp_summary<value_of<S>> summarise(const apsp_result<S>& r, const context& ctx) {
  detail::require_distances(r, "summarise");
  const double bytes = static_cast<double>(r.distances.rows()) * sizeof(detail::row_summary<S>);
  return detail::with_memory("the summary of shortest paths", bytes, [&] { return detail::summarise_rows(r, ctx); });
}

}  // namespace kleene
