// A task by rows: dot products of a few rows at a time with a part of x.
#pragma once

#include "kleene/kernels/cpu/gemv/inspect.inl.hpp"
#include "kleene/kernels/cpu/gemv/load.inl.hpp"

#include <algorithm>
#include <bit>

namespace kleene::kernels::cpu {

// Four rows of the matrix, or fewer: then the last of them is there several times, at no cost beside the memory's.
template <class S, int Bytes, bool First>
struct row_group {
  using T = value_of<S>;
  using A = accumulator_of<S>;
  using V = vector_of<A, Bytes>;
  static constexpr int width = lanes<A, Bytes>::count;
  static constexpr int rows = 4;
  static constexpr int chains = 2;  // sums of a row that do not wait for each other
  static constexpr bool is_vector = !std::is_same_v<V, A>;

  const T* row[rows];
  V acc[rows][chains];

  [[gnu::always_inline]] row_group(const T* first, index_t row_stride, index_t count) {
    V zero;
    if constexpr (is_vector) zero = widen<S>(S::zero()) - V{};
    else zero = widen<S>(S::zero());
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      row[r] = first + std::min<index_t>(r, count - 1) * row_stride;
#pragma GCC unroll 8
      for (int c = 0; c < chains; ++c) acc[r][c] = zero;
    }
  }

  [[gnu::always_inline]] A sum(int r) const {
    V all = acc[r][0];
    for (int c = 1; c < chains; ++c) add_to<S>(all, acc[r][c]);
    return fold_lanes<S>(all);
  }

  // Steps [begin, end) of k; a multiple of width * chains, but for the last call.
  [[gnu::always_inline]] void add(const A* x, index_t begin, index_t end) {
    index_t k = begin;
#pragma GCC unroll 1
    for (; k + width * chains <= end; k += width * chains)
#pragma GCC unroll 8
      for (int c = 0; c < chains; ++c) add_vector(x, k + c * width, c);
    if constexpr (is_vector) {
      if (end - begin < width) return add_few(x, k, end);
      if (k + width <= end) add_vector(x, k, 0), k += width;
      if (k < end) add_last(x, k, end);
    } else {
      for (; k < end; ++k) add_vector(x, k, 0);
    }
  }

  // The smallest k in [k, end) whose product is `value`; there is one.
  [[gnu::always_inline]] index_t find(int r, const A* x, index_t k, index_t end, const A& value) const {
    if constexpr (is_vector) {
      const V wanted = value - V{};
#pragma GCC unroll 1
      for (; k + width <= end; k += width) {
        V matrix, vector, term;
        load_widened<S>(matrix, row[r] + k);
        load(vector, x + k);
        form_term<S, First>(term, matrix, vector);
        if (const std::uint64_t lanes_equal = lane_bits(term == wanted)) return k + std::countr_zero(lanes_equal);
      }
    }
    for (; k < end; ++k) {
      A term;
      form_term<S, First>(term, widen<S>(row[r][k]), x[k]);
      if (term == value) break;
    }
    return k;
  }

 private:
  [[gnu::always_inline]] void add_vector(const A* x, index_t k, int chain) {
    V vector;
    std::memcpy(&vector, x + k, sizeof(V));
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      V matrix;
      load_widened<S>(matrix, row[r] + k);
      add_term<S, First>(acc[r][chain], matrix, vector);
    }
  }

  // Fewer steps than a vector has lanes, after others: the last whole vector again, with zero() for what is done.
  [[gnu::always_inline]] void add_last(const A* x, index_t k, index_t end) {
    using I = vector_of<counter_of<A>, Bytes>;
    const index_t first = end - width;
    I lane{};
    for (int l = 0; l < width; ++l) lane[l] = static_cast<counter_of<A>>(l);
    const I done = lane < static_cast<counter_of<A>>(k - first) - I{};
    const V zero = widen<S>(S::zero()) - V{};
    V vector;
    std::memcpy(&vector, x + first, sizeof(V));
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      V matrix, term;
      load_widened<S>(matrix, row[r] + first);
      form_term<S, First>(term, matrix, vector);
      const V left = done ? zero : term;
      add_to<S>(acc[r][0], left);
    }
  }

  [[gnu::always_inline]] void add_few(const A* x, index_t k, index_t end) {
#pragma GCC unroll 1
    for (int r = 0; r < rows; ++r) {
      A sum = acc[r][0][0];
      for (index_t s = k; s < end; ++s) add_term<S, First>(sum, widen<S>(row[r][s]), x[s]);
      acc[r][0][0] = sum;
    }
  }
};

// How many steps are looked at, or searched for a witness, while they are in the first-level cache.
inline constexpr index_t stretch = 512;
// How many of them are looked at in one row after the other: memory gives more to four streams than to one.
inline constexpr index_t inspected = 256;

// sums[r] and, where asked for, winners[r] for up to four rows and k < count of this part, which begins at `first_k`.
// False: an element is not as it should be.
template <class S, int Bytes, bool First>
[[gnu::always_inline]] inline bool sum_rows(const value_of<S>* a, index_t row_stride, int rows,
                                            const accumulator_of<S>* x, index_t count, matrix_inspection<S>* inspection,
                                            accumulator_of<S>* sums, std::int32_t* winners, index_t first_k) {
  using A = accumulator_of<S>;
  using T = value_of<S>;
  row_group<S, Bytes, First> group(a, row_stride, rows);
  const bool at_once = !inspection && !winners;
  A best[4];
  for (int r = 0; r < rows; ++r) best[r] = widen<S>(S::zero());
  if (winners) std::fill_n(winners, rows, -1);
  index_t k = 0;
  do {  // once even for k = 0
    const index_t end = at_once ? count : std::min(k + stretch, count);
    if constexpr (matrix_inspection<S>::looks)
      if (inspection)
        for (index_t n = k; n < end; n += inspected)
          for (int r = 0; r < rows; ++r)
            if (const T* row = group.row[r]; !inspection->look(row + n, std::min(inspected, end - n))) return false;
    group.add(x, k, end);
    if constexpr (is_selective<S>)
      if (winners)
        for (int r = 0; r < rows; ++r)
          if (const A now = group.sum(r); !(now == best[r])) {
            best[r] = now;
            winners[r] = static_cast<std::int32_t>(first_k + group.find(r, x, k, end, now));
          }
    k = end;
  } while (k < count);
  for (int r = 0; r < rows; ++r) sums[r] = group.sum(r);
  return true;
}

}  // namespace kleene::kernels::cpu
