// What shortest_paths on the CPU and on a device share: the graph, the memory of the results, and the cycle that is
// reported where there are no distances.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/operations/detail/checks/paths.hpp"
#include "kleene/operations/detail/shortest_paths_cycle.inl.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "kleene/operations/shortest_paths.hpp"

namespace kleene::detail {

// Calls work(i) for each row of a matrix, on as many threads as its elements are worth. work must not throw.
template <class Work>
void for_each_row(index_t rows, index_t elements, int threads, const Work& work) {
  task_queue queue;
  run_tasks(threads_for(static_cast<double>(elements), elements_per_thread, threads), [&](const team_member&) {
    for (index_t i; (i = queue.next()) < rows;) work(i);
  });
}

// A graph, sparse or dense, as shortest_paths reads it.
template <class S>
struct apsp_problem {
  using T = value_of<S>;
  csr_view<T> sparse;
  matrix_view<const T> dense;
  csr<T> arcs_of_dense{};                             // made when a search wants arcs and the graph is a matrix
  std::function<std::string(index_t)> vertex_name{};  // as messages have it

  bool is_dense() const { return !dense.is_null(); }  // a null pointer with extents is refused
  index_t vertices() const { return is_dense() ? dense.rows() : sparse.rows; }
  // Two vertices as messages have them.
  std::string ends(index_t i, const char* between, index_t j) const { return two_vertices(vertex_name, i, between, j); }

  // Calls visit(i, j, weight) for each arc, or those that leave i; stops, and returns false, when visit does.
  template <class Visit>
  bool for_each_arc_of(index_t i, const Visit& visit) const {
    if (is_dense()) {
      for (index_t j = 0; j < dense.cols(); ++j)
        if (!(dense(i, j) == S::zero()) && !visit(i, j, dense(i, j))) return false;
    } else {
      for (index_t e = sparse.offsets[i]; e < sparse.offsets[i + 1]; ++e)
        if (!visit(i, index_t{sparse.columns[e]}, sparse.values[e])) return false;
    }
    return true;
  }
  template <class Visit>
  bool for_each_arc(const Visit& visit) const {
    for (index_t i = 0; i < vertices(); ++i)
      if (!for_each_arc_of(i, visit)) return false;
    return true;
  }

  const csr_view<T> arcs() {
    if (!is_dense()) return sparse;
    if (arcs_of_dense.rows == 0 && vertices() > 0) {
      arcs_of_dense.rows = arcs_of_dense.cols = vertices();
      for (index_t i = 0; i < vertices(); ++i) {
        for (index_t j = 0; j < vertices(); ++j)
          if (!(dense(i, j) == S::zero())) {
            arcs_of_dense.columns.push_back(static_cast<std::int32_t>(j));
            arcs_of_dense.values.push_back(dense(i, j));
          }
        arcs_of_dense.offsets.push_back(static_cast<index_t>(arcs_of_dense.values.size()));
      }
    }
    return arcs_of_dense;
  }

  // The graph as a matrix: zero() where there is no arc. Rows in parallel: the first touch of memory takes longest.
  void spread(const matrix_view<T>& a, int threads) const {
    const index_t n = vertices();
    const auto add = [&](index_t i, index_t j, const T& weight) {
      a(i, j) = normalise<S>(S::add(widen<S>(a(i, j)), widen<S>(weight)));
    };
    for_each_row(n, n * n, threads, [&](index_t i) {
      for (index_t j = 0; j < n; ++j) a(i, j) = S::zero();
      if (is_dense())
        for (index_t j = 0; j < n; ++j) add(i, j, dense(i, j));
      else
        for (index_t e = sparse.offsets[i]; e < sparse.offsets[i + 1]; ++e) add(i, sparse.columns[e], sparse.values[e]);
    });
  }
  matrix<T> as_matrix(int threads) const {
    matrix<T> a(vertices(), vertices(), uninitialised{});
    spread(a, threads);
    return a;
  }
};

inline void require_memory(double bytes, const char* what) {
  if (const double free = static_cast<double>(available_memory()); bytes > free)
    throw error(fault_code::memory,
                std::string(what) + " needs " + std::to_string(static_cast<std::uint64_t>(std::min(bytes, 1.8e19))) +
                    " bytes; " + std::to_string(static_cast<std::uint64_t>(free)) + " are available");
}

// The caller's matrix if there is one, else a new one in `own`.
template <class T>
matrix_view<T> place(const matrix_view<T>& target, matrix<T>& own, index_t rows, index_t cols) {
  if (!target.is_null()) return target;
  own = matrix<T>(rows, cols, uninitialised{});
  return own;
}

// Makes the result one cycle that improves without end, and nothing else; overflow_error where the elimination only met
// lengths that integers do not hold. p: null, or the predecessors that the elimination left.
template <class S>
void find_cycle(apsp_problem<S>& problem, apsp_result<S>& r, index_t diverging, int threads,
                const matrix_view<std::int32_t>& p = {}) {
  std::vector<std::int32_t> went_round = cycle_through(diverging, p);  // p may be the result's
  r.distances = {};
  r.predecessors = {};
  r.own_distances = matrix<value_of<S>>();
  r.own_predecessors = matrix<std::int32_t>();
  r.negative_cycle = improving_cycle<S>(problem.arcs());
  if (sums_cycles_exactly<S> && r.negative_cycle.empty()) refuse_overflow<S>();
  if (r.negative_cycle.empty()) r.negative_cycle = cycle_of_elimination<S>(problem.as_matrix(threads));
  if (r.negative_cycle.empty()) r.negative_cycle = std::move(went_round);
  if (r.negative_cycle.empty()) r.negative_cycle = {static_cast<std::int32_t>(diverging)};
}

}  // namespace kleene::detail
