// Shortest paths over a contracted graph: whether that is possible and worth it, and the run of the sweeps.
//
// Lengths are summed along arcs that stand for paths, in another order than along the path itself: so this is for
// integers, whose sums are the same in any order.
#pragma once

#include "kleene/kernels/cpu/sweeps/launch.inl.hpp"
#include "kleene/operations/detail/hierarchy/make_hierarchy.inl.hpp"
#include "kleene/operations/detail/shortest_paths_problem.inl.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace kleene::detail {

template <class S>
inline constexpr bool can_sweep = adds_integers<S> && sizeof(value_of<S>) >= 4;

// What a contraction and its sweeps have to know of the arcs, beyond that none improves a path.
template <class S>
struct sweep_facts {
  std::string free;    // the first arc that costs nothing, in words: chains of predecessors could go along it and back
  double longest = 0;  // of all weights, in magnitude

  template <class Where>
  void add(index_t i, index_t j, const value_of<S>& weight, const Where& where) {
    if constexpr (can_sweep<S>) {
      if (weight == S::zero()) return;
      if (weight == S::one() && i != j && free.empty()) free = where();
      longest = std::max(longest, std::abs(static_cast<double>(weight)));
    }
  }
  // Why sweeps are not for this graph, which has n vertices; empty: they are.
  std::string unfit(index_t n, bool predecessors) const {
    if constexpr (can_sweep<S>) {
      if (predecessors && !free.empty()) return free + " costs nothing: predecessors could go round in a circle";
      if (2 * longest * static_cast<double>(n) >= static_cast<double>(S::range::limit))
        return "sums of two paths could leave " + std::string(type_name<value_of<S>>);
      return {};
    }
    return "it is for sums of i32 or i64";
  }
};

template <class T>
struct made_hierarchy {
  kernels::cpu::hierarchy<T> hierarchy;
  double seconds = 0;  // by estimate, of the contraction and the sweeps, on one core
};

// The hierarchy of a graph, if paths from so many sources come in half of `seconds` by it; given up after a tenth.
// The context's progress callback may end it: without limits a graph without small separators takes n^3 steps.
template <class S>
std::optional<made_hierarchy<value_of<S>>> make_hierarchy(const context& ctx, apsp_problem<S>& problem, index_t arcs,
                                                          index_t sources, double seconds) {
  const index_t n = problem.vertices();
  const double groups = static_cast<double>(ceil_div(sources, index_t{kernels::cpu::sweep_lanes}));
  const double without_arcs = groups * kernels::cpu::sweep_seconds(n, 0) + hierarchy_seconds(n, 0);
  const double an_edge = 2 * groups * kernels::cpu::sweep_seconds(0, 1);
  const hierarchy_limits limits{(0.5 * seconds - without_arcs) / an_edge, 0.1 * seconds / hierarchy_seconds(0, 1)};
  if (!(limits.edges >= static_cast<double>(arcs) / 2)) return {};
  hierarchy_maker<S> run(problem.arcs());
  std::function<void()> pause;
  if (ctx.progress())
    pause = [&] {
      if (!ctx.progress()(0, 2.0 * static_cast<double>(arcs) * static_cast<double>(sources)))
        throw error(fault_code::usage, "interrupted");
    };
  if (!run.run(limits, pause)) return {};
  made_hierarchy<value_of<S>> made{run.result()};
  made.seconds = groups * kernels::cpu::sweep_seconds(n, made.hierarchy.arcs()) + hierarchy_seconds(n, run.pairs());
  return made;
}

// Its rows by sweeps. report as of launch_sweeps; false: it stopped them.
template <class S>
bool sweep(const context& ctx, const kernels::cpu::hierarchy<value_of<S>>& graph, const apsp_result<S>& r,
           const std::function<bool(index_t)>& report) {
  std::vector<kernels::cpu::sweep_source> sources(r.sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {graph.rank[r.sources[i]], static_cast<index_t>(i)};
  std::ranges::sort(sources, {}, &kernels::cpu::sweep_source::rank);
  const index_t count = static_cast<index_t>(sources.size());
  void* workspace = ctx.workspace(kernels::cpu::sweeps_workspace(graph, count, ctx.threads()));
  return kernels::cpu::launch_sweeps<S>(graph, sources, r.distances, r.predecessors, ctx.threads(), ctx.isa(), report,
                                        workspace);
}

}  // namespace kleene::detail
