// A task by columns: sums of a block of rows grow in the first-level cache, a few columns at a time.
#pragma once

#include "kleene/kernels/cpu/gemv/inspect.inl.hpp"
#include "kleene/kernels/cpu/gemv/load.inl.hpp"

#include <algorithm>
#include <bit>

namespace kleene::kernels::cpu {

// `Columns` columns, from their element in row 0 on, and what x has for them.
template <class S, int Bytes, int Columns, bool First>
struct column_group {
  using T = value_of<S>;
  using A = accumulator_of<S>;
  using V = vector_of<A, Bytes>;
  using I = std::conditional_t<std::is_same_v<V, A>, counter_of<A>, vector_of<counter_of<A>, Bytes>>;
  using inspection_type = inspection_of<S, Bytes>;
  static constexpr int width = lanes<A, Bytes>::count;
  static constexpr int columns = Columns;
  static constexpr int together = 2;  // vectors of sums at a time: with one a core asks for fewer lines
  static constexpr bool is_vector = !std::is_same_v<V, A>;
  static constexpr index_t inspected = std::max(2 * width * together, 64);  // rows looked at before they are added

  const T* a;
  index_t column_stride;
  const A* x;
  index_t first_k;  // of the first column
  index_t rows;     // elements of a column

  [[gnu::always_inline]] const T* column(int c) const { return a + c * column_stride; }

  // Looks at rows [begin, end) of all columns.
  [[gnu::always_inline]] void see(index_t begin, index_t end, inspection_type& seen) const {
    for (int c = 0; c < Columns; ++c) seen.see(column(c) + begin, end - begin);
  }

  // sums[i] (+)= A(i, k) x[k] for rows [i, end) and these columns; winners where asked for. With Look also sees the
  // elements `inspected` rows later; then end - i is a multiple of width * together.
  template <bool Witness, bool Look>
  [[gnu::always_inline]] void add(index_t i, index_t end, A* sums, [[maybe_unused]] std::int32_t* winners,
                                  [[maybe_unused]] inspection_type& seen) const {
    if constexpr (is_vector) {
      V factor[Columns];
#pragma GCC unroll 8
      for (int c = 0; c < Columns; ++c) {
        A lane[width];
        for (int l = 0; l < width; ++l) lane[l] = x[c];
        load(factor[c], lane);
      }
#pragma GCC unroll 1
      for (; i + width * together <= end; i += width * together)
        add_vectors<Witness, Look, together>(i, factor, sums, winners, seen);
#pragma GCC unroll 1
      for (; i + width <= end; i += width) add_vectors<Witness, false, 1>(i, factor, sums, winners, seen);
    }
#pragma GCC unroll 1
    for (; i < end; ++i) {
      if constexpr (Look && !is_vector)
        for (int c = 0; c < Columns; ++c) seen.see(column(c) + i + inspected);
      add_one<Witness>(i, sums[i], winners);
    }
  }

 private:
  // Asks for `Vectors` of rows from row i on, of the next columns where these have ended.
  template <int Vectors>
  [[gnu::always_inline]] void prefetch(index_t i) const {
    const T* const from = a + (i < rows ? i : i - rows + Columns * column_stride);
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 8
      for (int n = 0; n < Vectors; ++n)
        if (begins_line<T>(n * width)) __builtin_prefetch(from + c * column_stride + n * width);
  }

  // `Vectors` of sums, which share the question whether any of them has changed.
  template <bool Witness, bool Look, int Vectors>
  [[gnu::always_inline]] void add_vectors(index_t i, const V (&factor)[Columns], A* sums,
                                          [[maybe_unused]] std::int32_t* winners,
                                          [[maybe_unused]] inspection_type& seen) const {
    constexpr index_t ahead = Look ? inspected : 0;
    if constexpr (Look || !is_its_accumulator<S>) prefetch<Vectors>(i + ahead + prefetched<T>);
    V sum[Vectors], before[Vectors];
#pragma GCC unroll 8
    for (int n = 0; n < Vectors; ++n) load(sum[n], sums + i + n * width), before[n] = sum[n];
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c) {
      const T* from = column(c) + i;
#pragma GCC unroll 8
      for (int n = 0; n < Vectors; ++n) {
        if constexpr (Look) seen.see(from + n * width + ahead);
        V matrix;
        load_widened<S>(matrix, from + n * width);
        add_term<S, First>(sum[n], matrix, factor[c]);
      }
    }
#pragma GCC unroll 8
    for (int n = 0; n < Vectors; ++n) store(sums + i + n * width, sum[n]);
    if constexpr (Witness) {
      I changed[Vectors], any{};
#pragma GCC unroll 8
      for (int n = 0; n < Vectors; ++n) any |= changed[n] = sum[n] != before[n];
      if (lane_bits(any) == 0) return;
#pragma GCC unroll 1
      for (int n = 0; n < Vectors; ++n)
        if (lane_bits(changed[n]) != 0) find(i + n * width, factor, sums, changed[n], winners);
    }
  }

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
    for (std::uint64_t left = lane_bits(changed); left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      winners[i + l] = static_cast<std::int32_t>(first_k + first[l]);
    }
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

template <bool Witness, class Group, class Inspection>
[[gnu::always_inline]] inline bool add_columns(const Group& group, Inspection* inspection, typename Group::A* sums,
                                               std::int32_t* winners) {
  Inspection seen = inspection ? *inspection : Inspection({});
  if constexpr (Inspection::looks)
    if (inspection) {
      group.see(0, std::min(Group::inspected, group.rows), seen);
#pragma GCC unroll 1
      for (index_t i = 0, end; i < group.rows; i = end) {
        end = std::min(i + Group::inspected, group.rows);
        if (!seen.is_well()) return inspection->found = seen.found, false;
        if (end + Group::inspected <= group.rows) {
          group.template add<Witness, true>(i, end, sums, winners, seen);
        } else {
          group.see(end, group.rows, seen);
          group.template add<Witness, false>(i, end, sums, winners, seen);
        }
      }
      *inspection = seen;
      return true;
    }
  group.template add<Witness, false>(0, group.rows, sums, winners, seen);
  return true;
}

// sums[i] and, with Witness, winners[i] for i < rows and k < count of this part, which begins at `first_k`. False: an
// element is not as it should be.
template <class S, int Bytes, bool First, bool Witness>
[[gnu::always_inline]] inline bool sum_columns(const value_of<S>* a, index_t depth_stride, const accumulator_of<S>* x,
                                               index_t rows, index_t count, inspection_of<S, Bytes>* inspection,
                                               accumulator_of<S>* sums, std::int32_t* winners, index_t first_k) {
  constexpr int columns = 4;
  std::fill_n(sums, rows, widen<S>(S::zero()));
  if constexpr (Witness) std::fill_n(winners, rows, -1);
  index_t k = 0;
#pragma GCC unroll 1
  for (; k + columns <= count; k += columns) {
    const column_group<S, Bytes, columns, First> several{a + k * depth_stride, depth_stride, x + k, first_k + k, rows};
    if (!add_columns<Witness>(several, inspection, sums, winners)) return false;
  }
#pragma GCC unroll 1
  for (; k < count; ++k) {
    const column_group<S, Bytes, 1, First> one{a + k * depth_stride, depth_stride, x + k, first_k + k, rows};
    if (!add_columns<Witness>(one, inspection, sums, winners)) return false;
  }
  return true;
}

}  // namespace kleene::kernels::cpu
