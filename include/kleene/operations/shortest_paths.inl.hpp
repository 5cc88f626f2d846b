// Definition of shortest_paths: checks, choice of method, and the result. Include this for an algebra of your own.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/dijkstra/launch.inl.hpp"
#include "kleene/operations/closure.inl.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "kleene/operations/shortest_paths_cycle.inl.hpp"
#include "kleene/operations/shortest_paths_result.inl.hpp"

#include <chrono>
#include <optional>

namespace kleene::detail {

// A graph, sparse or dense, as shortest_paths looks at it.
template <class S>
struct apsp_problem {
  using T = value_of<S>;
  csr_view<T> sparse;
  matrix_view<const T> dense;
  csr<T> arcs_of_dense{};  // made when a search wants arcs and the graph is a matrix

  bool is_dense() const { return !dense.is_null(); }
  index vertices() const { return is_dense() ? dense.rows() : sparse.rows; }

  // Calls visit(i, j, weight) for each arc; stops when it returns false.
  template <class Visit>
  void for_each_arc(const Visit& visit) const {
    for (index i = 0; i < vertices(); ++i)
      if (is_dense()) {
        for (index j = 0; j < dense.cols(); ++j)
          if (!(dense(i, j) == S::zero()) && !visit(i, j, dense(i, j))) return;
      } else {
        for (index e = sparse.offsets[i]; e < sparse.offsets[i + 1]; ++e)
          if (!visit(i, index{sparse.columns[e]}, sparse.values[e])) return;
      }
  }

  const csr_view<T> arcs() {
    if (!is_dense()) return sparse;
    if (arcs_of_dense.rows == 0 && vertices() > 0) {
      arcs_of_dense.rows = arcs_of_dense.cols = vertices();
      for (index i = 0; i < vertices(); ++i) {
        for (index j = 0; j < vertices(); ++j)
          if (!(dense(i, j) == S::zero())) {
            arcs_of_dense.columns.push_back(static_cast<std::int32_t>(j));
            arcs_of_dense.values.push_back(dense(i, j));
          }
        arcs_of_dense.offsets.push_back(static_cast<index>(arcs_of_dense.values.size()));
      }
    }
    return arcs_of_dense;
  }

  matrix<T> as_matrix() const {
    matrix<T> a(vertices(), vertices(), S::zero());
    for_each_arc([&](index i, index j, const T& weight) {
      a(i, j) = normalise<S>(S::add(widen<S>(a(i, j)), widen<S>(weight)));
      return true;
    });
    return a;
  }
};

struct arc_facts {
  index count = 0;
  std::string improving;  // the first arc that improves a path, in words; empty: searches are valid
};

// One pass over the arcs: refuses NaN and what is outside the domain, and looks for arcs that improve a path.
template <class S>
arc_facts inspect_arcs(const apsp_problem<S>& problem) {
  using T = value_of<S>;
  arc_facts facts;
  problem.for_each_arc([&](index i, index j, const T& weight) {
    const auto where = [&] { return "the arc " + std::to_string(i) + " -> " + std::to_string(j) + " (0-based)"; };
    if (!(weight == weight)) throw value_error(where() + " has weight NaN");
    if constexpr (has_domain<S>)
      if (!S::in_domain(weight))
        throw value_error(where() + " has weight " + to_text(weight) + ", outside the domain of " + name_of<S>() +
                          (std::is_integral_v<T> ? " on " + std::string(type_name<T>) : std::string()));
    if (facts.improving.empty() && !(S::add(widen<S>(S::one()), widen<S>(weight)) == widen<S>(S::one())))
      facts.improving = where() + " has weight " + to_text(weight);
    ++facts.count;
    return true;
  });
  return facts;
}

// Estimated seconds of each method on one core of a current server; only their ratio matters. Measured: a relaxed arc costs
// 4 ns, a settled vertex 35 ns (rome99, 8870 arcs: 150 us a source); the elimination runs at 28 Gpairs/s on 512-bit vectors
// of f32, in proportion on others, and at 0.6 of that with predecessors.
struct apsp_costs {
  double search, elimination;
};
inline apsp_costs estimate(index n, index arcs, index sources, std::size_t element, bool predecessors, instruction_set isa) {
  const double vertices = static_cast<double>(n);
  const double wide = isa == instruction_set::avx512 ? 1 : isa == instruction_set::avx2 ? 0.6 : 0.25;
  const double pairs = 28e9 * wide * 4.0 / static_cast<double>(element) * (predecessors ? 0.6 : 1.0);
  return {static_cast<double>(sources) * (4e-9 * static_cast<double>(arcs) + 35e-9 * vertices),
          vertices * vertices * vertices / pairs};
}

inline void require_memory(double bytes, const char* what) {
  if (const double free = static_cast<double>(available_memory()); bytes > free)
    throw error(fault_code::memory, std::string(what) + " needs " + std::to_string(static_cast<std::uint64_t>(std::min(bytes, 1.8e19))) +
                                        " bytes; " + std::to_string(static_cast<std::uint64_t>(free)) + " are available");
}

template <class S>
std::vector<std::int32_t> checked_sources(std::span<const std::int32_t> asked, index n) {
  std::vector<std::int32_t> sources(asked.begin(), asked.end());
  for (std::int32_t s : sources)
    if (s < 0 || s >= n)
      throw value_error("source " + std::to_string(s) + " is no vertex of a graph of " + std::to_string(n) + " (0-based)");
  if (asked.empty()) {
    sources.resize(n);
    std::iota(sources.begin(), sources.end(), 0);
  }
  return sources;
}

// The elimination: all pairs, then the rows that were asked for.
template <class S>
void run_floyd_warshall(const context& ctx, apsp_problem<S>& problem, apsp_result<S>& r, const apsp_options& options) {
  const index n = r.vertices;
  matrix<value_of<S>> a = problem.as_matrix();
  matrix<std::int32_t> p;
  if (options.predecessors) p = matrix<std::int32_t>(n, n, uninitialised{});
  const closure_info info = options.predecessors ? closure(ctx, S{}, a, p, options.closure)
                                                 : closure(ctx, S{}, a, options.closure);
  r.operations = info.operations;
  if (!info.exists) {
    r.negative_cycle = improving_cycle<S>(problem.arcs());
    if (r.negative_cycle.empty()) r.negative_cycle = cycle_of_elimination<S>(problem.as_matrix());
    if (r.negative_cycle.empty()) r.negative_cycle = {static_cast<std::int32_t>(info.diverging)};
    return;
  }
  if (options.sources.empty()) {
    r.distances = std::move(a);
    r.predecessors = std::move(p);
    return;
  }
  const index rows = static_cast<index>(r.sources.size());
  r.distances = matrix<value_of<S>>(rows, n, uninitialised{});
  if (options.predecessors) r.predecessors = matrix<std::int32_t>(rows, n, uninitialised{});
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < n; ++j) {
      r.distances(i, j) = a(r.sources[i], j);
      if (options.predecessors) r.predecessors(i, j) = p(r.sources[i], j);
    }
}

template <class S>
void run_dijkstra(const context& ctx, apsp_problem<S>& problem, apsp_result<S>& r, const apsp_options& options) {
  const index rows = static_cast<index>(r.sources.size()), n = r.vertices;
  r.distances = matrix<value_of<S>>(rows, n, uninitialised{});
  if (options.predecessors) r.predecessors = matrix<std::int32_t>(rows, n, uninitialised{});
  std::function<bool(index)> report;
  const double per_source = 2.0 * static_cast<double>(r.arcs);
  if (ctx.progress())
    report = [&](index done) { return ctx.progress()(per_source * double(done), per_source * double(rows)); };
  bool overflow = false;
  const matrix_view<std::int32_t> p = options.predecessors ? r.predecessors.view() : matrix_view<std::int32_t>{};
  if (!kernels::cpu::launch_dijkstra<S>(problem.arcs(), r.sources, r.distances.view(), p, ctx.threads(), report, overflow))
    throw error(fault_code::usage, "interrupted");
  if (overflow)
    throw value_error(name_of<S>() + ": a distance is too large for the element type; use a wider one");
  r.operations = per_source * static_cast<double>(rows);
}

template <class S>
apsp_result<S> run_shortest_paths(const context& ctx, apsp_problem<S> problem, const apsp_options& options) {
  require_cpu(ctx, "shortest_paths");
  const auto start = std::chrono::steady_clock::now();
  using T = value_of<S>;
  const index n = problem.vertices();
  const index cols = problem.is_dense() ? problem.dense.cols() : problem.sparse.cols;
  if (n != cols)
    throw shape_error("a graph is a square matrix; this one is " + std::to_string(n) + "x" + std::to_string(cols));
  if (n > std::numeric_limits<std::int32_t>::max())
    throw shape_error("vertices are int32: " + std::to_string(n) + " are too many");

  apsp_result<S> r;
  r.vertices = n;
  r.sparse_graph = problem.sparse;
  r.dense_graph = problem.dense;
  r.sources = checked_sources<S>(options.sources, n);
  const arc_facts arcs = inspect_arcs(problem);
  r.arcs = arcs.count;

  const apsp_costs cost = estimate(n, r.arcs, static_cast<index>(r.sources.size()), sizeof(T), options.predecessors, ctx.isa());
  r.method = options.method;
  if (r.method == apsp_method::dijkstra && !arcs.improving.empty())
    throw value_error("dijkstra: " + arcs.improving + ", which improves a path; use floyd_warshall");
  if (r.method != apsp_method::automatic) {
    r.reason = "as asked";
  } else if (!arcs.improving.empty()) {
    r.method = apsp_method::floyd_warshall;
    r.reason = arcs.improving + ", which improves a path";
  } else {
    r.method = cost.search <= cost.elimination ? apsp_method::dijkstra : apsp_method::floyd_warshall;
    char text[96];
    std::snprintf(text, sizeof text, "estimated %.2g s against %.2g s on one core", std::min(cost.search, cost.elimination),
                  std::max(cost.search, cost.elimination));
    r.reason = text;
  }

  const double each = static_cast<double>(sizeof(T) + (options.predecessors ? sizeof(std::int32_t) : 0));
  const bool elimination = r.method == apsp_method::floyd_warshall;
  const double rows = static_cast<double>(r.sources.size());
  const double block = static_cast<double>(std::min<index>(n, options.closure.block > 0 ? options.closure.block : closure_block));
  const double bytes = double(n) * each * ((elimination ? double(n) + 5 * block : 0) + (elimination && options.sources.empty() ? 0 : rows));
  require_memory(bytes, "all-pairs shortest paths");
  if (explain_enabled())
    explain("shortest_paths " + name_of<S>() + " " + type_name<T> + ": " + std::to_string(n) + " vertices, " +
            std::to_string(r.arcs) + " arcs: " + to_string(r.method) + " (" + r.reason + "), " + ctx.describe());

  if (elimination) run_floyd_warshall(ctx, problem, r, options);
  else run_dijkstra(ctx, problem, r, options);
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return r;
}

}  // namespace kleene::detail

namespace kleene {

template <class S>
apsp_result<S> shortest_paths(const context& ctx, S, const csr_view<value_of<S>>& graph, const apsp_options& options) {
  return detail::run_shortest_paths<S>(ctx, {graph, {}}, options);
}
template <class S>
apsp_result<S> shortest_paths(const context& ctx, S, const matrix_view<const value_of<S>>& graph,
                              const apsp_options& options) {
  return detail::run_shortest_paths<S>(ctx, {{}, graph}, options);
}

}  // namespace kleene
