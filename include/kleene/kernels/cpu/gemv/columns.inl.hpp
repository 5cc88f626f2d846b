// A task by columns: sums of a block of rows grow in the first-level cache, a few columns at a time.
#pragma once

#include "kleene/kernels/cpu/gemv/inspect.inl.hpp"
#include "kleene/kernels/cpu/gemv/load.inl.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

// `Columns` columns, from their element in row 0 on, and what x has for them.
template <class S, int Bytes, int Columns, bool First>
struct column_group {
  using T = value_of<S>;
  using A = accumulator_of<S>;
  using V = vector_of<A, Bytes>;
  using I = std::conditional_t<std::is_same_v<V, A>, counter_of<A>, vector_of<counter_of<A>, Bytes>>;
  static constexpr int width = lanes<A, Bytes>::count;
  static constexpr int columns = Columns;

  const T* a;
  index_t column_stride;
  const A* x;
  index_t first_k;  // of the first column

  [[gnu::always_inline]] const T* column(int c) const { return a + c * column_stride; }

  // sums[i] (+)= A(i, k) x[k] for rows [i, end) and these columns; winners where asked for.
  template <bool Witness>
  [[gnu::always_inline]] void add(index_t i, index_t end, A* sums, [[maybe_unused]] std::int32_t* winners) const {
    if constexpr (!std::is_same_v<V, A>) {
      V factor[Columns]{};
#pragma GCC unroll 8
      for (int c = 0; c < Columns; ++c) factor[c] = x[c] - V{};
      constexpr int together = Witness ? 4 : 1;  // vectors that share the question whether any sum has changed
#pragma GCC unroll 1
      while (i + width <= end) {
        const index_t vectors = std::min<index_t>(together, (end - i) / width);
        [[maybe_unused]] I changed[together], any{};
#pragma GCC unroll 1
        for (index_t n = 0; n < vectors; ++n) {
          V sum;
          load(sum, sums + i + n * width);
          [[maybe_unused]] const V before = sum;
#pragma GCC unroll 8
          for (int c = 0; c < Columns; ++c) {
            V matrix;
            load_widened<S>(matrix, column(c) + i + n * width);
            add_term<S, First>(sum, matrix, factor[c]);
          }
          store(sums + i + n * width, sum);
          if constexpr (Witness) any |= changed[n] = sum != before;
        }
        if constexpr (Witness)
          if (lane_bits(any) != 0)
            for (index_t n = 0; n < vectors; ++n)
              if (lane_bits(changed[n]) != 0) find(i + n * width, factor, sums, changed[n], winners);
        i += vectors * width;
      }
    }
#pragma GCC unroll 1
    for (; i < end; ++i) add_one<Witness>(i, sums[i], winners);
  }

 private:
  // The first of these columns that gave each sum that has changed.
  [[gnu::always_inline]] void find(index_t i, const V (&factor)[Columns], const A* sums, const I& changed,
                                   std::int32_t* winners) const {
    I first{};
    V sum;
    load(sum, sums + i);
#pragma GCC unroll 1
    for (int c = Columns - 1; c >= 0; --c) {
      V matrix, term;
      load_widened<S>(matrix, column(c) + i);
      form_term<S, First>(term, matrix, factor[c]);
      first = (term == sum) ? static_cast<counter_of<A>>(c) - I{} : first;
    }
    for (int l = 0; l < width; ++l)
      winners[i + l] = changed[l] ? static_cast<std::int32_t>(first_k + first[l]) : winners[i + l];
  }

  template <bool Witness>
  [[gnu::always_inline]] void add_one(index_t i, A& sum, [[maybe_unused]] std::int32_t* winners) const {
    [[maybe_unused]] const A before = sum;
#pragma GCC unroll 1
    for (int c = 0; c < Columns; ++c) add_term<S, First>(sum, widen<S>(column(c)[i]), x[c]);
    if constexpr (Witness) {
      if (sum == before) return;
#pragma GCC unroll 1
      for (int c = 0; c < Columns; ++c) {
        A term;
        form_term<S, First>(term, widen<S>(column(c)[i]), x[c]);
        if (!(term == sum)) continue;
        winners[i] = static_cast<std::int32_t>(first_k + c);
        return;
      }
    }
  }
};

// Rows that are looked at before they are added, while they are in the first-level cache.
inline constexpr index_t inspected_rows = 256;

template <class S, bool Witness, class Group>
[[gnu::always_inline]] inline bool add_columns(const Group& group, index_t rows, matrix_inspection<S>* inspection,
                                               accumulator_of<S>* sums, std::int32_t* winners) {
  const index_t together = inspection ? inspected_rows : rows;
#pragma GCC unroll 1
  for (index_t i = 0; i < rows; i += together) {
    const index_t end = std::min(i + together, rows);
    if constexpr (matrix_inspection<S>::looks)
      if (inspection)
#pragma GCC unroll 1
        for (int c = 0; c < Group::columns; ++c)
          if (!inspection->look(group.column(c) + i, end - i)) return false;
    group.template add<Witness>(i, end, sums, winners);
  }
  return true;
}

// sums[i] and, with Witness, winners[i] for i < rows and k < count of this part, which begins at `first_k`. False:
// an element is not as it should be.
template <class S, int Bytes, bool First, bool Witness>
[[gnu::always_inline]] inline bool sum_columns(const value_of<S>* a, index_t depth_stride, const accumulator_of<S>* x,
                                               index_t rows, index_t count, matrix_inspection<S>* inspection,
                                               accumulator_of<S>* sums, std::int32_t* winners, index_t first_k) {
  constexpr int columns = 8;
  std::fill_n(sums, rows, widen<S>(S::zero()));
  if constexpr (Witness) std::fill_n(winners, rows, -1);
  index_t k = 0;
#pragma GCC unroll 1
  for (; k + columns <= count; k += columns) {
    const column_group<S, Bytes, columns, First> several{a + k * depth_stride, depth_stride, x + k, first_k + k};
    if (!add_columns<S, Witness>(several, rows, inspection, sums, winners)) return false;
  }
#pragma GCC unroll 1
  for (; k < count; ++k) {
    const column_group<S, Bytes, 1, First> one{a + k * depth_stride, depth_stride, x + k, first_k + k};
    if (!add_columns<S, Witness>(one, rows, inspection, sums, winners)) return false;
  }
  return true;
}

}  // namespace kleene::kernels::cpu
