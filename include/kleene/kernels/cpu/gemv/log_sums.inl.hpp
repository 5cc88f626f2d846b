// Tasks of products over log_plus: the largest term of each row first, by max_plus, then the sum of exponentials below
// it, while the task is in the second-level cache; one logarithm for a row of a task. Exponentials are added in chains
// of at most 64, and those in double: a sum errs by no more than 5e-6 of itself in f32.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/cpu/gemv/columns.inl.hpp"
#include "kleene/kernels/cpu/gemv/rows.inl.hpp"
#include "kleene/kernels/cpu/tile/logarithms.hpp"

#include <algorithm>
#include <cmath>

namespace kleene::kernels::cpu {

// y = e^(a + x - most); NaN where a + x is.
template <class T, class V>
[[gnu::always_inline]] inline void exponential_below(V& y, const V& a, const V& x, const V& most) {
  const V term = a + x;
  exponential_of<T>(y, term - most, V{});
  y = term == term ? y : term;
}

// largest + log(sum), with `sum` NaN where a term is.
template <class T>
T log_sum(T largest, double sum) {
  if (sum != sum) return static_cast<T>(sum);
  return std::isinf(largest) ? largest : static_cast<T>(largest + std::log(sum));
}

// What sum_rows does, of up to four rows.
template <class S, int Bytes>
[[gnu::always_inline]] inline void sum_log_rows(const value_of<S>* a, index_t row_stride, int rows,
                                                const value_of<S>* x, index_t count, value_of<S>* sums) {
  using T = value_of<S>;
  using V = vector_of<T, Bytes>;
  constexpr int width = lanes<T, Bytes>::count, chains = 4, steps = width * chains;
  (void)sum_rows<max_plus<T>, Bytes, false>(a, row_stride, rows, x, count, nullptr, sums, nullptr, 0);
  for (int r = 0; r < rows; ++r) {
    const T* row = a + r * row_stride;
    const V most = V{} + sums[r];
    double all = 0;
    for (index_t k = 0; k < count;) {
      V sum[chains]{};
      const index_t end = std::min(k + 64 * steps, count);
      for (; k + steps <= end; k += steps)
#pragma GCC unroll 4
        for (int c = 0; c < chains; ++c) {
          V matrix, vector, y;
          load(matrix, row + k + c * width);
          load(vector, x + k + c * width);
          exponential_below<T>(y, matrix, vector, most);
          sum[c] += y;
        }
      for (int c = 0; k < end; k += width, ++c) {
        alignas(64) T rest[width], beside[width] = {};
        std::fill_n(rest, width, S::zero());
        for (int l = 0; l < width && k + l < end; ++l) rest[l] = row[k + l], beside[l] = x[k + l];
        V matrix, vector, y;
        load(matrix, rest);
        load(vector, beside);
        exponential_below<T>(y, matrix, vector, most);
        sum[c] += y;
      }
      all += fold_lanes<plus_times<T>>((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    sums[r] = log_sum(sums[r], all);
  }
}

// part[i] += e^(A(i, k) + x[k] - largest[i]) of `Columns` columns, for all rows; part and largest hold whole vectors.
template <int Bytes, int Columns, class T>
[[gnu::always_inline]] inline void add_exponentials(const T* a, index_t depth_stride, const T* x, index_t rows,
                                                    const T* largest, T* part) {
  using V = vector_of<T, Bytes>;
  constexpr int width = lanes<T, Bytes>::count;
#pragma GCC unroll 1
  for (index_t i = 0; i < rows; i += width) {
    V most, sum;
    load(most, largest + i);
    load(sum, part + i);
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      const T* from = a + c * depth_stride + i;
      __builtin_prefetch(from + Columns * depth_stride);
      alignas(64) T rest[width];
      if (rows - i < width) std::fill_n(rest, width, T{}), std::copy_n(from, rows - i, rest), from = rest;
      V matrix, y;
      load(matrix, from);
      exponential_below<T>(y, matrix, V(x[c] - V{}), most);
      sum += y;
    }
    store(part + i, sum);
  }
}

// What sum_columns does. A column is read as one stream, so that memory brings the next before it is asked for: sums of
// 64 columns grow in the first-level cache, and are added to those in double.
template <class S, int Bytes>
[[gnu::always_inline]] inline void sum_log_columns(const value_of<S>* a, index_t depth_stride, const value_of<S>* x,
                                                   index_t rows, index_t count, value_of<S>* sums) {
  using T = value_of<S>;
  constexpr index_t together = 1024, chain = 64, columns = 4;
  alignas(64) T largest[together], part[together];
  alignas(64) double total[together];
  for (index_t first = 0; first < rows; first += together, a += together, sums += together) {
    const index_t some = std::min(together, rows - first);
    (void)sum_columns<max_plus<T>, Bytes, false, false>(a, depth_stride, x, some, count, nullptr, sums, nullptr, 0);
    std::copy_n(sums, some, largest);
    std::fill(largest + some, largest + round_up(some, index_t{lanes<T, Bytes>::count}), T{});
    std::fill_n(total, some, 0.0);
    for (index_t k = 0; k < count;) {
      const index_t end = std::min(k + chain, count);
      std::fill_n(part, together, T{});
      for (; k + columns <= end; k += columns)
        add_exponentials<Bytes, columns>(a + k * depth_stride, depth_stride, x + k, some, largest, part);
      for (; k < end; ++k) add_exponentials<Bytes, 1>(a + k * depth_stride, depth_stride, x + k, some, largest, part);
      for (index_t i = 0; i < some; ++i) total[i] += part[i];
    }
    for (index_t i = 0; i < some; ++i) sums[i] = log_sum(largest[i], total[i]);
  }
}

}  // namespace kleene::kernels::cpu
