// The closure of one small block: Gauss-Jordan elimination over the semiring on a contiguous copy, a whole row at a
// time. Rows are padded to the leaf's width with zero(), which no step changes, so that the trip count is a constant
// and the loops vectorise whatever the optimisation level.
#pragma once

#include "kleene/kernels/cpu/closure/launch.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

namespace kleene::kernels::cpu {

template <class S>
struct leaf_worker {
  using A = accumulator_of<S>;
  using T = value_of<S>;
  static constexpr index width = closure_leaf;

  leaf_worker(const matrix_view<T>& block, const matrix_view<std::int32_t>& from) : a(block), predecessors(from) {}

  const matrix_view<T>& a;
  const matrix_view<std::int32_t>& predecessors;
  leaf_status result{};
  alignas(64) T value[width * width];
  alignas(64) std::int32_t before[width * width];  // predecessors
  int overflow = 0;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index n = a.rows();
    const bool with_predecessors = !predecessors.is_null();
    for (index i = 0; i < n; ++i) {
      for (index j = 0; j < n; ++j) value[i * width + j] = a(i, j);
      for (index j = n; j < width; ++j) value[i * width + j] = S::zero();
      if (with_predecessors)
        for (index j = 0; j < n; ++j) before[i * width + j] = predecessors(i, j);
    }
    for (index k = 0; k < n; ++k)
      if (!eliminate(n, k, with_predecessors)) {
        result = {status::diverges, k};
        return;
      }
    for (index i = 0; i < n; ++i) {
      for (index j = 0; j < n; ++j) a(i, j) = value[i * width + j];
      if (with_predecessors)
        for (index j = 0; j < n; ++j) predecessors(i, j) = before[i * width + j];
    }
    if (overflow) result.state = status::overflow;
  }

 private:
  // All paths through vertex k; false if its star does not exist.
  [[gnu::always_inline]] bool eliminate(index n, index k, bool with_predecessors) {
    T* pivot_row = value + k * width;
    const A pivot = widen<S>(pivot_row[k]);
    if (!star_exists<S>(pivot)) return false;
    const A loop = star<S>(pivot);
    if constexpr (!has_unit_star<S>)
      for (index j = 0; j < width; ++j) pivot_row[j] = put(S::mul(loop, widen<S>(pivot_row[j])));
    pivot_row[k] = put(loop);
    for (index i = 0; i < n; ++i) {
      if (i == k) continue;
      T* row = value + i * width;
      const A left = widen<S>(row[k]);
      if constexpr (has_unit_star<S>) {
        if (row[k] == S::zero()) continue;  // sparse graphs: no path to k yet
        if (with_predecessors) step_with_predecessors(row, before + i * width, left, pivot_row, before + k * width);
        else step(row, left, pivot_row);
      } else {
        row[k] = S::zero();  // its share comes with the loop: a_ik (x) loop
        step(row, left, pivot_row);
      }
    }
    return true;
  }

  // row = row (+) left (x) pivot_row
  [[gnu::always_inline]] void step(T* __restrict row, A left, const T* __restrict pivot_row) {
    for (index j = 0; j < width; ++j) row[j] = put(S::add(widen<S>(row[j]), S::mul(left, widen<S>(pivot_row[j]))));
  }
  [[gnu::always_inline]] void step_with_predecessors(T* __restrict row, std::int32_t* __restrict from, A left,
                                                     const T* __restrict pivot_row,
                                                     const std::int32_t* __restrict pivot_from) {
    for (index j = 0; j < width; ++j) {
      const T next = put(S::add(widen<S>(row[j]), S::mul(left, widen<S>(pivot_row[j]))));
      from[j] = next == row[j] ? from[j] : pivot_from[j];
      row[j] = next;
    }
  }
  [[gnu::always_inline]] T put(const A& sum) {
    if constexpr (can_overflow<S>) overflow |= S::overflows(sum);
    return normalise<S>(sum);
  }
};

template <class S>
leaf_status close_leaf(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& predecessors,
                       instruction_set isa) noexcept {
  leaf_worker<S> worker(a, predecessors);
  run_on(isa, worker);
  return worker.result;
}

}  // namespace kleene::kernels::cpu
