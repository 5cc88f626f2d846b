// Definition of shortest_paths: checks, choice of method, and the result. Include this for an algebra of your own.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/dijkstra/launch.inl.hpp"
#include "kleene/operations/detail/checks/paths.hpp"
#include "kleene/operations/detail/hierarchy/shortest_paths_swept.inl.hpp"
#include "kleene/operations/detail/shortest_paths_device.inl.hpp"
#include "kleene/operations/detail/shortest_paths_problem.inl.hpp"
#include "kleene/operations/detail/shortest_paths_range.inl.hpp"
#include "kleene/operations/detail/shortest_paths_result.inl.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace kleene::detail {

struct shortest_paths_definitions {};

template <class S>
struct arc_facts {
  index_t count = 0;
  std::string improving;  // the first arc that improves a path, in words; empty: searches are valid
  weight_range<S> weights{};
  sweep_facts<S> sweeps{};
};

// One pass over the arcs: refuses NaN and what is outside the domain, and looks for arcs that improve a path.
template <class S>
arc_facts<S> inspect_arcs(const apsp_problem<S>& problem) {
  using T = value_of<S>;
  arc_facts<S> facts;
  problem.for_each_arc([&](index_t i, index_t j, const T& weight) {
    const auto where = [&] { return "the arc " + problem.ends(i, " -> ", j); };
    if (!(weight == weight)) throw value_error(where() + " has weight NaN");
    if constexpr (has_domain<S>)
      if (!S::in_domain(weight))
        throw value_error(where() + " has weight " + to_text(weight) + ", outside the domain of " + name_of<S>() +
                          (std::is_integral_v<T> ? " on " + std::string(type_name<T>) : std::string()));
    if (facts.improving.empty() && !(S::add(widen<S>(S::one()), widen<S>(weight)) == widen<S>(S::one())))
      facts.improving = where() + " has weight " + to_text(weight);
    facts.weights.add(weight);
    facts.sweeps.add(i, j, weight, where);
    ++facts.count;
    return true;
  });
  return facts;
}

// Estimated seconds of each method on one core of a current server; only their ratio matters. Measured: the elimination
// runs at 28 Gpairs/s on 512-bit vectors of f32, in proportion on others, and at 0.6 of that with predecessors.
struct apsp_costs {
  double search, elimination;
};
inline apsp_costs estimate(index_t n, index_t arcs, index_t sources, std::size_t element, bool predecessors,
                           instruction_set isa) {
  const double vertices = static_cast<double>(n);
  const double wide = isa == instruction_set::avx512 ? 1 : isa == instruction_set::avx2 ? 0.6 : 0.25;
  const double pairs = 28e9 * wide * 4.0 / static_cast<double>(element) * (predecessors ? 0.6 : 1.0);
  return {static_cast<double>(sources) * kernels::cpu::search_seconds(n, arcs), vertices * vertices * vertices / pairs};
}

// The memory that a run takes: the rows of the result unless a target holds them and, of a search, the arcs that it
// gathers from a matrix and a heap for each thread.
template <class S>
double bytes_needed(const apsp_result<S>& r, const apsp_options& options, const apsp_targets<value_of<S>>& targets,
                    int threads) {
  const double n = static_cast<double>(r.vertices), rows = static_cast<double>(r.sources.size());
  const double distance = sizeof(value_of<S>), predecessor = options.predecessors ? sizeof(std::int32_t) : 0;
  const double results =
      rows * n * ((targets.distances.is_null() ? distance : 0) + (targets.predecessors.is_null() ? predecessor : 0));
  if (r.method != apsp_method::floyd_warshall) {
    const double arcs = static_cast<double>(r.arcs), entry = sizeof(typename kernels::cpu::search_heap<S>::entry);
    const double gathered =
        r.dense_graph.is_null() ? 0 : n * sizeof(index_t) + 2 * arcs * (distance + sizeof(std::int32_t));
    if (r.method == apsp_method::hierarchy)  // whose hierarchy is there by now
      return results + std::min<double>(threads, rows) * n * kernels::cpu::sweep_lanes * (distance + 4);
    return results + gathered + std::min<double>(threads, rows) * entry * std::min(n, arcs);
  }
  const index_t block = std::min(r.vertices, options.closure.block > 0 ? options.closure.block : closure_block);
  return results + (options.predecessors ? n * n / 8 : 0) + kept_operand<S>::bytes(r.vertices) +
         n * (distance + predecessor) * (5 * static_cast<double>(block) + (options.sources.empty() ? 0 : n));
}

template <class S>
struct apsp_choice {
  std::optional<made_hierarchy<value_of<S>>> made{};  // where that is the method
};

// Says in the result which method runs, and why. Refuses one that was asked for and cannot.
template <class S>
apsp_choice<S> choose_method(const context& ctx, apsp_problem<S>& problem, const arc_facts<S>& arcs, apsp_result<S>& r,
                             const apsp_options& options, const apsp_targets<value_of<S>>& targets) {
  using enum apsp_method;
  const bool on_device = ctx.kind() == device_kind::cuda;
  const index_t n = r.vertices, sources = static_cast<index_t>(r.sources.size());
  apsp_choice<S> choice;
  r.method = options.method;
  if (r.method == dijkstra || r.method == hierarchy) {
    const std::string name = to_string(r.method);
    if (on_device)
      throw error(fault_code::device, name + " runs on the CPU: call it with context::cpu(), not " + ctx.describe());
    if (!arcs.improving.empty())
      throw value_error(name + ": " + arcs.improving + ", which improves a path; use floyd_warshall");
  }
  const std::string unfit = arcs.sweeps.unfit(n, options.predecessors);
  if (r.method == hierarchy && !unfit.empty()) throw value_error("hierarchy: " + unfit + "; use dijkstra");
  const auto try_hierarchy = [&](double seconds) {
    if constexpr (can_sweep<S>) choice.made = make_hierarchy(ctx, problem, r.arcs, sources, seconds);
    return choice.made.has_value();
  };
  if (r.method != automatic) {
    r.reason = "as asked";
    if (r.method == hierarchy) try_hierarchy(std::numeric_limits<double>::infinity());
  } else if (on_device) {
    r.method = floyd_warshall;
    r.reason = "all pairs at once, on the device";
  } else if (!arcs.improving.empty()) {
    r.method = floyd_warshall;
    r.reason = arcs.improving + ", and dijkstra takes none that makes a path better";
  } else {
    const apsp_costs cost = estimate(n, r.arcs, sources, sizeof(value_of<S>), options.predecessors, ctx.isa());
    const bool searches = cost.search <= cost.elimination;
    double seconds = std::min(cost.search, cost.elimination);
    const apsp_method plain = searches ? dijkstra : floyd_warshall;
    std::string other = to_string(searches ? floyd_warshall : dijkstra);
    double other_seconds = std::max(cost.search, cost.elimination);
    r.method = hierarchy;
    const double bytes = bytes_needed(r, options, targets, ctx.threads());
    if (unfit.empty() && bytes <= static_cast<double>(available_memory()) && try_hierarchy(seconds)) {
      other = to_string(plain);
      other_seconds = std::exchange(seconds, choice.made->seconds);
    } else {
      r.method = plain;
    }
    r.reason = estimate_words(seconds, other_seconds, other);
  }
  return choice;
}

// The elimination: in place in the result's memory where all rows are asked for, else in a matrix beside it, from which
// the rows that were asked for are copied.
template <class S>
void run_floyd_warshall(const context& ctx, apsp_problem<S>& problem, apsp_result<S>& r, const apsp_options& options,
                        const apsp_targets<value_of<S>>& targets) {
  using T = value_of<S>;
  const index_t n = r.vertices, rows = static_cast<index_t>(r.sources.size());
  const bool all = options.sources.empty();
  matrix<T> beside;
  matrix<std::int32_t> predecessors_beside;
  const matrix_view<T> a = all ? place(targets.distances, r.own_distances, n, n) : place({}, beside, n, n);
  matrix_view<std::int32_t> p;
  if (options.predecessors)
    p = all ? place(targets.predecessors, r.own_predecessors, n, n) : place({}, predecessors_beside, n, n);
  if (!all) {
    r.distances = place(targets.distances, r.own_distances, rows, n);
    if (options.predecessors) r.predecessors = place(targets.predecessors, r.own_predecessors, rows, n);
  }
  closure_options how = options.closure;
  how.check_domain = false;                    // inspect_arcs has seen every weight
  cpu_closure<S> elimination(ctx, a, p, how);  // its memory, before a target is written
  problem.spread(a, ctx.threads());
  const closure_info info = elimination.run();
  r.operations = info.operations;
  if (!info.exists) return find_cycle(problem, r, info.diverging, ctx.threads(), p);
  if (all) {
    r.distances = a;
    r.predecessors = p;
    return;
  }
  for_each_row(rows, rows * n, ctx.threads(), [&](index_t i) {
    for (index_t j = 0; j < n; ++j) r.distances(i, j) = a(r.sources[i], j);
    if (options.predecessors)
      for (index_t j = 0; j < n; ++j) r.predecessors(i, j) = p(r.sources[i], j);
  });
}

// The rows of the result by launch(report), which searches for many at a time; it says whether it came to its end.
template <class S, class Launch>
void run_searches(const context& ctx, apsp_result<S>& r, const apsp_options& options,
                  const apsp_targets<value_of<S>>& targets, const Launch& launch) {
  const index_t rows = static_cast<index_t>(r.sources.size()), n = r.vertices;
  r.distances = place(targets.distances, r.own_distances, rows, n);
  if (options.predecessors) r.predecessors = place(targets.predecessors, r.own_predecessors, rows, n);
  std::function<bool(index_t)> report;
  std::exception_ptr thrown;  // by the callback; searches themselves throw nothing
  r.operations = 2.0 * static_cast<double>(r.arcs) * static_cast<double>(rows);
  if (ctx.progress())
    report = [&](index_t done) {
      try {
        return ctx.progress()(r.operations * (double(done) / double(rows)), r.operations);
      } catch (...) {
        thrown = std::current_exception();
        return false;
      }
    };
  const bool finished = launch(report);
  if (thrown) std::rethrow_exception(thrown);
  if (!finished) throw error(fault_code::usage, "interrupted");
}

template <class S>
void run_dijkstra(const context& ctx, apsp_problem<S>& problem, apsp_result<S>& r, const apsp_options& options,
                  const apsp_targets<value_of<S>>& targets) {
  bool overflow = false;
  run_searches(ctx, r, options, targets, [&](const std::function<bool(index_t)>& report) {
    const csr_view<value_of<S>> arcs = problem.arcs();
    const index_t rows = static_cast<index_t>(r.sources.size());
    void* workspace = ctx.workspace(kernels::cpu::dijkstra_workspace<S>(arcs, rows, ctx.threads()));
    return kernels::cpu::launch_dijkstra<S>(arcs, r.sources, r.distances, r.predecessors, ctx.threads(), report,
                                            workspace, overflow);
  });
  if (overflow) refuse_overflow<S>();
}

// Checks the caller's matrices: the right shape, and no overlap with what is read meanwhile.
template <class S>
void check_targets(const apsp_problem<S>& problem, const apsp_targets<value_of<S>>& targets, bool predecessors,
                   index_t sources) {
  const auto d = as_batch<value_of<S>>(targets.distances);
  const auto p = as_batch<std::int32_t>(targets.predecessors);
  const auto graph = as_batch<value_of<S>>(problem.dense);
  const auto check = [&](const char* name, const auto& target) {
    require_shape(name, target, 1, sources, problem.vertices());
    require_distinct_elements(name, target);
    require_disjoint("the graph", graph, name, target);
  };
  if (!targets.distances.is_null()) check("the target of the distances", d);
  if (targets.predecessors.is_null()) return;
  if (!predecessors) throw argument_error("a target of predecessors, which the options do not ask for");
  check("the target of the predecessors", p);
  require_disjoint("the target of the distances", d, "that of the predecessors", p);
}

template <class S>
void run_method(const context& ctx, apsp_problem<S>& problem, const apsp_choice<S>& choice, apsp_result<S>& r,
                const apsp_options& options, const apsp_targets<value_of<S>>& targets) {
  if (ctx.kind() == device_kind::cuda) return run_on_device(ctx, problem, r, options, targets);
  if (r.method == apsp_method::floyd_warshall) return run_floyd_warshall(ctx, problem, r, options, targets);
  if constexpr (can_sweep<S>)
    if (r.method == apsp_method::hierarchy)
      return run_searches(ctx, r, options, targets, [&](const std::function<bool(index_t)>& report) {
        return sweep<S>(ctx, choice.made->hierarchy, r, report);
      });
  run_dijkstra(ctx, problem, r, options, targets);
}

template <class S>
apsp_result<S> run_shortest_paths(const context& ctx, apsp_problem<S> problem, const apsp_options& options,
                                  const apsp_targets<value_of<S>>& targets) {
  const bool on_device = ctx.kind() == device_kind::cuda;
  const auto start = std::chrono::steady_clock::now();
  using T = value_of<S>;
  const index_t n = problem.vertices();
  const index_t cols = problem.is_dense() ? problem.dense.cols() : problem.sparse.cols;
  require_square_graph(n, cols);
  problem.vertex_name = options.vertex_name;
  if (problem.is_dense()) require_data("the graph", problem.dense);
  else require_rows(problem.sparse, options.check_indices);

  apsp_result<S> r;
  r.vertices = n;
  r.sparse_graph = problem.sparse;
  r.dense_graph = problem.dense;
  r.sources = checked_sources(options.sources, n);
  check_targets(problem, targets, options.predecessors, static_cast<index_t>(r.sources.size()));
  const arc_facts<S> arcs = inspect_arcs(problem);
  r.arcs = arcs.count;

  const apsp_choice<S> choice = choose_method(ctx, problem, arcs, r, options, targets);
  if (on_device) require_device(ctx, r, options, targets);
  else require_memory(bytes_needed(r, options, targets, ctx.threads()), "all-pairs shortest paths");
  if (explain_enabled()) explain_paths(name_of<S>(), type_name<T>, n, r.arcs, r.method, r.reason, ctx);

  try {
    run_method(ctx, problem, choice, r, options, targets);
  } catch (const overflow_error&) {
    // Lengths that leave the type may be those of walks round a cycle.
    if (!sums_cycles_exactly<S> || arcs.improving.empty()) throw;
    find_cycle(problem, r, -1, ctx.threads());
  }
  if (r.negative_cycle.empty() && arcs.weights.can_overflow(n))
    refuse_too_far(problem, r, arcs.weights.infinite, on_device ? context::cpu().threads() : ctx.threads());
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return r;
}

template <class S>
apsp_result<S> run_with_memory(const context& ctx, const csr_view<value_of<S>>& sparse,
                               const matrix_view<const value_of<S>>& dense, const apsp_options& options,
                               const apsp_targets<value_of<S>>& targets) {
  const double n = static_cast<double>(std::max(sparse.rows, dense.rows())),
               arcs = static_cast<double>(sparse.entries());
  const double rows = options.sources.empty() ? n : static_cast<double>(options.sources.size());
  const double each = sizeof(value_of<S>) + (options.predecessors ? sizeof(std::int32_t) : 0);
  return with_memory("shortest paths", rows * n * each + arcs * sizeof(value_of<S>) + n * 4 * sizeof(index_t),
                     [&] { return run_shortest_paths<S>(ctx, {sparse, dense}, options, targets); });
}

}  // namespace kleene::detail

namespace kleene {

template <class S>
apsp_result<S> shortest_paths(const context& ctx, S, const csr_view<value_of<S>>& graph, const apsp_options& options,
                              const apsp_targets<value_of<S>>& targets) {
  return detail::run_with_memory<S>(ctx, graph, {}, options, targets);
}
template <class S>
apsp_result<S> shortest_paths(const context& ctx, S, const matrix_view<const value_of<S>>& graph,
                              const apsp_options& options, const apsp_targets<value_of<S>>& targets) {
  return detail::run_with_memory<S>(ctx, {}, graph, options, targets);
}

}  // namespace kleene

// The catalog's paths are in the library, whose units define them (src/instances/shortest_paths.cpp.in); their members
// come with apsp_result, which algebras without paths do not have.
#ifndef KLEENE_SHORTEST_PATHS_UNIT
namespace kleene {
#define KLEENE_ROW(algebra, type)                                                                                     \
  extern template apsp_result<algebra<type>> shortest_paths(const context&, algebra<type>, const csr_view<type>&,     \
                                                            const apsp_options&, const apsp_targets<type>&);          \
  extern template apsp_result<algebra<type>> shortest_paths(                                                          \
      const context&, algebra<type>, const matrix_view<const type>&, const apsp_options&, const apsp_targets<type>&); \
  extern template apsp_summary<type> summarise(const apsp_result<algebra<type>>&, const context&);                    \
  namespace detail {                                                                                                  \
  extern template std::vector<path_result<type>> checked_paths(const apsp_result<algebra<type>>&,                     \
                                                               std::span<const path_ends>, int);                      \
  extern template arc_facts<algebra<type>> inspect_arcs(const apsp_problem<algebra<type>>&);                          \
  extern template void check_targets(const apsp_problem<algebra<type>>&, const apsp_targets<type>&, bool, index_t);   \
  extern template void find_cycle(apsp_problem<algebra<type>>&, apsp_result<algebra<type>>&, index_t, int,            \
                                  const matrix_view<std::int32_t>&);                                                  \
  extern template void refuse_too_far(const apsp_problem<algebra<type>>&, const apsp_result<algebra<type>>&, bool,    \
                                      int);                                                                           \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
}  // namespace kleene
#endif
