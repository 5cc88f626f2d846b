// shortest_paths on a grid: all pairs of one graph by all workers, in the words of operations/shortest_paths.hpp.
//
//   const grid g = grid::cuda({0, 1, 2, 3});                       // or of threads, or of MPI's ranks
//   g.run([&](worker& w) {
//     auto r = shortest_paths(w, min_plus<float>{}, graph, {.predecessors = true});
//     if (w.rank() == 0) show(r.path(s, t));                       // the result is worker 0's
//   });
//
// Method: the elimination of grid/closure.hpp, or on devices of grid/device_closure.hpp.
//
// Contract, beside that of operations/shortest_paths.hpp
//   collective   All workers give the same graph and options: each takes its share of the arcs from the graph as it has
//                it. Worker 0 looks at the weights, and what is wrong all throw.
//   result       at worker 0, in its targets where it gives some; others get one without matrices.
//   checkpoints  of the closure, as there: its predecessors are saved on CPUs. resume goes on in the blocks of the
//                checkpoint, on a grid of any shape.
//   methods      floyd_warshall, whatever the weights; dijkstra and hierarchy are refused (argument_error).
//   blocks       closure.block of the options; unsaid, sixteen a side for each worker, of 64 to 2,048 vertices on
//                devices and to 384 on CPUs. The distances have the bits of closure(ctx, S{}, a, {.block = ...}).
//   memory       Each worker has its share of the matrices; worker 0 also the rows that were asked for. Across
//                processes worker 0 holds whole matrices for a moment.
//   algebras     the catalog's
#pragma once

#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/detail/host/one_process.hpp"
#include "kleene/grid/detail/host/share_rows.hpp"
#include "kleene/grid/device_closure.hpp"
#include "kleene/operations/own/shortest_paths.inl.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kleene {

namespace detail {

inline bool is_on_device(const worker& w) { return w.context().kind() == device_kind::cuda; }

// Sixteen blocks a side for each worker, where those are of a size that suits its products (docs/scale.md).
inline index_t even_block(index_t extent, int rows, int cols, index_t largest) {
  const auto side = static_cast<std::uint64_t>(extent / std::max(rows, cols) / 16);
  return std::clamp<index_t>(static_cast<index_t>(std::bit_floor(side)), 64, largest);
}
inline constexpr index_t largest_device_block = 2048;

// A's share becomes that of the graph as a matrix.
template <class S, class Matrix>
void spread_arcs(const apsp_problem<S>& problem, Matrix& a) {
  using T = value_of<S>;
  const cyclic_axis cols = a.col_axis();
  const int col = a.at().col();
  write_rows(a, [&](index_t row, T* to) {
    std::fill_n(to, cols.numroc(col), S::zero());
    problem.for_each_arc_of(row, [&](index_t, index_t j, const T& weight) {
      if (cols.indxg2p(j) != col) return true;
      T& at = to[cols.indxg2l(j)];
      at = normalise<S>(S::add(widen<S>(at), widen<S>(weight)));
      return true;
    });
  });
}

template <class T>
matrix<T> gathered(const distributed_matrix<T>& a) {
  return a.gather();
}
template <class T>
matrix<T> gathered(const distributed_device_matrix<T>& a) {
  return to_host(a).gather();
}

// Rows of a matrix on the grid, in their order, and where worker 0 wants them.
template <class T>
struct wanted_rows {
  std::vector<std::pair<index_t, index_t>> places;  // row, and its place there; ascending
  matrix_view<T> to;

  wanted_rows(const std::vector<std::int32_t>& rows, const matrix_view<T>& target) : to(target) {
    for (std::size_t k = 0; k < rows.size(); ++k) places.emplace_back(rows[k], static_cast<index_t>(k));
    std::ranges::sort(places);
  }
  // take(place) for each place of a row.
  template <class Take>
  void for_each_place(index_t row, const Take& take) const {
    for (auto at = std::ranges::lower_bound(places, std::pair{row, index_t{0}}); at != places.end() && at->first == row;
         ++at)
      take(at->second);
  }
};

// Each worker writes its part of the rows where it sees worker 0's memory; else they are sent there.
template <class T, class Matrix>
void collect(worker& w, const Matrix& a, wanted_rows<T>& wanted) {
  if (const wanted_rows<T>* const first = of_first_worker(w, wanted); is_one_process(w)) {
    read_rows(a, [&](index_t row, const T* from) {
      first->for_each_place(row, [&](index_t place) {
        a.col_axis().for_each_run(w.col(), [&](index_t local, index_t global, index_t count) {
          for (index_t j = 0; j < count; ++j) first->to(place, global + j) = from[local + j];
        });
      });
    });
    return w.comm().barrier();  // worker 0's memory is whole
  }
  const matrix<T> whole = gathered(a);
  if (w.rank() == 0)
    for (const auto& [row, place] : wanted.places)
      for (index_t j = 0; j < whole.cols(); ++j) wanted.to(place, j) = whole(row, j);
}

// As asked; or those of the checkpoint that the closure goes on from; or what suits the grid.
inline index_t block_of_paths(worker& w, index_t n, index_t asked, const checkpoint_options& save) {
  if (asked > 0) return asked;
  std::optional<checkpoint_record> saved;
  if (save.resume && !save.folder.empty()) w.together([&] { saved = read_record(save.folder + "/checkpoint"); });
  if (saved && saved->block > 0) return saved->block;
  return even_block(n, w.rows(), w.cols(), is_on_device(w) ? largest_device_block : closure_block);
}

// Closes the graph's matrix on the grid, and leaves what comes of it in worker 0's result.
template <class S, template <class> class Matrix>
void close_graph(worker& w, apsp_problem<S>& problem, const apsp_options& options, const checkpoint_options& save,
                 const arc_facts<S>& arcs, apsp_result<S>& r) {
  using T = value_of<S>;
  const index_t n = problem.vertices(), block = block_of_paths(w, n, options.closure.block, save);
  const distribution layout{n, n, block, block};
  Matrix<T> a(w, layout);
  std::optional<Matrix<std::int32_t>> p;
  if (options.predecessors) p.emplace(w, layout);
  spread_arcs(problem, a);
  closure_info info;
  bool is_too_large = false;  // a length, which all workers are told
  try {
    info = p ? closure(w, S{}, a, *p, {.check_domain = false, .checkpoint = save})
             : closure(w, S{}, a, {.check_domain = false, .checkpoint = save});
  } catch (const value_error&) {
    is_too_large = true;
  }
  r.operations = info.operations;
  if (is_too_large || !info.exists)
    return w.together([&] {
      if (w.rank() != 0) return;
      // Lengths that leave the type may be those of walks round a cycle.
      if (is_too_large && (!sums_cycles_exactly<S> || arcs.improving.empty())) refuse_overflow<S>();
      find_cycle(problem, r, info.diverging, host_threads(w));
    });
  wanted_rows<T> distances(r.sources, r.distances);
  collect(w, a, distances);
  if (!p) return;
  wanted_rows<std::int32_t> predecessors(r.sources, r.predecessors);
  collect(w, *p, predecessors);
}

// Worker 0's part in the beginning: what is wrong with the call, what the result will be, and where.
template <class S>
arc_facts<S> begin_grid_paths(const worker& w, apsp_problem<S>& problem, const apsp_options& options,
                              const apsp_targets<value_of<S>>& targets, apsp_result<S>& r) {
  const index_t n = problem.vertices(), cols = problem.is_dense() ? problem.dense.cols() : problem.sparse.cols;
  if (n != cols || n > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a graph on a grid is a square matrix of int32 vertices; this one is " + std::to_string(n) + "x" +
                      std::to_string(cols));
  if (options.method == apsp_method::dijkstra || options.method == apsp_method::hierarchy)
    throw argument_error(to_string(options.method) +
                         std::string(" searches on one machine: on a grid all pairs are eliminated at once"));
  problem.vertex_name = options.vertex_name;
  if (problem.is_dense()) require_data("the graph", problem.dense);
  else require_rows(problem.sparse, options.check_indices);
  r.sources = checked_sources(options.sources, n);
  const auto rows = static_cast<index_t>(r.sources.size());
  check_targets(problem, targets, options.predecessors, rows);
  const arc_facts<S> arcs = inspect_arcs(problem);
  r.vertices = n, r.arcs = arcs.count;
  r.sparse_graph = problem.sparse, r.dense_graph = problem.dense;
  r.method = apsp_method::floyd_warshall;
  r.reason = "all pairs at once, on a grid of " + std::to_string(w.rows()) + " x " + std::to_string(w.cols()) +
             (is_on_device(w) ? " devices" : " workers");
  r.distances = place(targets.distances, r.own_distances, rows, n);
  if (options.predecessors) r.predecessors = place(targets.predecessors, r.own_predecessors, rows, n);
  if (explain_enabled())
    explain("shortest_paths " + name_of<S>() + " " + type_name<value_of<S>> + ": " + std::to_string(n) + " vertices, " +
            std::to_string(r.arcs) + " arcs: " + r.reason);
  return arcs;
}

template <class S>
apsp_result<S> run_grid_paths(worker& w, apsp_problem<S> problem, const apsp_options& options,
                              const apsp_targets<value_of<S>>& targets, const checkpoint_options& save) {
  const auto start = std::chrono::steady_clock::now();
  apsp_result<S> r;
  arc_facts<S> arcs;
  w.together([&] {
    if (w.rank() == 0) arcs = begin_grid_paths(w, problem, options, targets, r);
  });
  if (is_on_device(w)) close_graph<S, distributed_device_matrix>(w, problem, options, save, arcs, r);
  else close_graph<S, distributed_matrix>(w, problem, options, save, arcs, r);
  w.together([&] {
    if (w.rank() == 0 && r.negative_cycle.empty() && arcs.weights.can_overflow(r.vertices))
      refuse_too_far(problem, r, arcs.weights.infinite, host_threads(w));
  });
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return r;
}

}  // namespace detail

template <closed_semiring S>
requires is_selective<S> && has_unit_star<S>
apsp_result<S> shortest_paths(worker& w, S, const csr_view<value_of<S>>& graph, const apsp_options& options = {},
                              const apsp_targets<value_of<S>>& targets = {},
                              const checkpoint_options& checkpoint = {}) {
  return detail::run_grid_paths<S>(w, {graph, {}}, options, targets, checkpoint);
}
template <closed_semiring S>
requires is_selective<S> && has_unit_star<S>
apsp_result<S> shortest_paths(worker& w, S, const matrix_view<const value_of<S>>& graph,
                              const apsp_options& options = {}, const apsp_targets<value_of<S>>& targets = {},
                              const checkpoint_options& checkpoint = {}) {
  return detail::run_grid_paths<S>(w, {{}, graph}, options, targets, checkpoint);
}

// Owners.
template <class S, class T>
requires std::is_same_v<T, value_of<S>>
apsp_result<S> shortest_paths(worker& w, S s, const csr<T>& graph, const apsp_options& options = {},
                              const apsp_targets<T>& targets = {}, const checkpoint_options& checkpoint = {}) {
  return shortest_paths(w, s, graph.view(), options, targets, checkpoint);
}
template <class S, class T>
requires std::is_same_v<T, value_of<S>>
apsp_result<S> shortest_paths(worker& w, S s, const matrix<T>& graph, const apsp_options& options = {},
                              const apsp_targets<T>& targets = {}, const checkpoint_options& checkpoint = {}) {
  return shortest_paths(w, s, graph.view(), options, targets, checkpoint);
}

}  // namespace kleene
