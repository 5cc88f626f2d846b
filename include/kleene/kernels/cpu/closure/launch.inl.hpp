// The closure of one small block: Gauss-Jordan elimination over the semiring on a contiguous copy, a whole row at a
// time. Rows are padded to whole chunks with zero(), which no step changes, so that loops over a chunk have a constant
// trip count and vectorise whatever the optimisation level.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/cpu/closure/launch.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <type_traits>

namespace kleene::kernels::cpu {

template <class S>
struct leaf_worker {
  using A = accumulator_of<S>;
  using T = value_of<S>;
  static constexpr index_t width = closure_leaf, chunk = 16;

  leaf_worker(const matrix_view<T>& block, const matrix_view<std::int32_t>& from) : a(block), predecessors(from) {}

  const matrix_view<T>& a;
  const matrix_view<std::int32_t>& predecessors;
  leaf_status result{};
  alignas(64) T value[width * width];
  alignas(64) std::int32_t before[width * width];  // predecessors
  int overflow = 0;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index_t n = a.rows();
    const bool with_predecessors = !predecessors.is_null();
    read(a, value, S::zero());
    if (with_predecessors) read(predecessors, before, -1);
    for (index_t k = 0; k < n; ++k)
      if (!eliminate<Bytes>(n, k, with_predecessors)) {
        result = {overflow ? status::overflow : status::diverges, k};
        return;
      }
    write(value, a);
    if (with_predecessors) write(before, predecessors);
    if (overflow) result.state = status::overflow;
  }

 private:
  template <class E>
  [[gnu::always_inline]] static void read(const matrix_view<E>& from, E* to, E edge) {
    const index_t n = from.rows();
    for (index_t i = 0; i < n; ++i, to += width) {
      const E* row = from.data() + i * from.stride(0);
      if (from.stride(1) == 1) std::copy_n(row, n, to);
      else
        for (index_t j = 0; j < n; ++j) to[j] = row[j * from.stride(1)];
      std::fill(to + n, to + round_up(n, chunk), edge);
    }
  }
  template <class E>
  [[gnu::always_inline]] static void write(const E* from, const matrix_view<E>& to) {
    const index_t n = to.rows();
    for (index_t i = 0; i < n; ++i, from += width) {
      E* row = to.data() + i * to.stride(0);
      if (to.stride(1) == 1) std::copy_n(from, n, row);
      else
        for (index_t j = 0; j < n; ++j) row[j * to.stride(1)] = from[j];
    }
  }

  // All paths through vertex k; false if its star does not exist.
  template <int Bytes>
  [[gnu::always_inline]] bool eliminate(index_t n, index_t k, bool with_predecessors) {
    T* pivot_row = value + k * width;
    const A pivot = widen<S>(pivot_row[k]);
    if (!star_exists<S>(pivot)) return false;
    const A loop = star<S>(pivot);
    if constexpr (!has_unit_star<S>)
      for (index_t j = 0; j < n; ++j) pivot_row[j] = put(S::mul(loop, widen<S>(pivot_row[j])));
    pivot_row[k] = put(loop);
    for (index_t i = 0; i < n; ++i) {
      if (i == k) continue;
      T* row = value + i * width;
      const A left = widen<S>(row[k]);
      if constexpr (has_unit_star<S>) {
        if (row[k] == S::zero()) continue;  // sparse graphs: no path to k yet
        if (with_predecessors)
          step_with_predecessors<Bytes>(n, row, before + i * width, left, pivot_row, before + k * width);
        else step(n, row, left, pivot_row);
      } else {
        row[k] = S::zero();  // its share comes with the loop: a_ik (x) loop
        step(n, row, left, pivot_row);
      }
    }
    return true;
  }

  // row = row (+) left (x) pivot_row. A chunk goes through memory that nothing else names, as its sum could otherwise
  // change what is read next: then the loop is no vector code.
  [[gnu::always_inline]] void step(index_t n, T* row, A left, const T* pivot_row) {
    for (index_t first = 0; first < n; first += chunk) {
      alignas(64) T next[chunk];
      add_chunk(next, row + first, left, pivot_row + first);
      std::copy_n(next, chunk, row + first);
    }
  }
  template <int Bytes>
  [[gnu::always_inline]] void step_with_predecessors(index_t n, T* row, std::int32_t* from, A left, const T* pivot_row,
                                                     const std::int32_t* pivot_from) {
    for (index_t first = 0; first < n; first += chunk) {
      alignas(64) T next[chunk];
      add_chunk(next, row + first, left, pivot_row + first);
      take_changes<Bytes>(row + first, from + first, next, pivot_from + first);
    }
  }
  [[gnu::always_inline]] void add_chunk(T* next, const T* row, A left, const T* pivot_row) {
    for (index_t j = 0; j < chunk; ++j) next[j] = put(S::add(widen<S>(row[j]), S::mul(left, widen<S>(pivot_row[j]))));
  }
  // row = next; where that changes it, from = pivot_from.
  template <int Bytes>
  [[gnu::always_inline]] static void take_changes(T* row, std::int32_t* from, const T* next,
                                                  const std::int32_t* pivot_from) {
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= sizeof(std::int32_t)) {
      constexpr int width = lanes<T, Bytes>::count;  // vectors by hand: GCC 12 takes a branch per element here
      using vertices = vector_of<std::int32_t, width * 4>;
      for (index_t j = 0; j < chunk; j += width) {
        vector_of<T, Bytes> old, now;
        vertices mine, other;
        load(old, row + j);
        load(now, next + j);
        load(mine, from + j);
        load(other, pivot_from + j);
        const vertices same = __builtin_convertvector(now == old, vertices);
        store(from + j, same ? mine : other);
        store(row + j, now);
      }
    } else {
      for (index_t j = 0; j < chunk; ++j) {
        from[j] = next[j] == row[j] ? from[j] : pivot_from[j];
        row[j] = next[j];
      }
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
