// A product of matrices that Ctrl-C stops: cut into blocks of C that take about a tenth of a second each.
#pragma once

#include "kleene/operations/gemv.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kleene::python {

template <class S, memory Space = memory::host>
struct product {
  using T = value_of<S>;
  batch_view<const T, Space> a, b;
  batch_view<T, Space> c;
  batch_view<std::int32_t, Space> witness;  // null: not asked for
  batch_view<const T, Space> source;        // null: C is not read
  batch_view<const bool, Space> mask;
  kleene::detail::options_for<S> options;  // but for source and mask

  double pairs() const { return double(c.extent(0)) * double(c.rows()) * double(c.cols()) * double(a.cols()); }
};

// Pairs that one core is done with in a fifth of a second, whatever its vectors: a product of so many is not cut, and
// the first block of a larger one has so many.
template <class S>
inline constexpr double short_product = is_long<S> ? 5e7 : 1e9;
inline constexpr double block_seconds = 0.1;

// How many pairs the next block may have, after one of `pairs` that took so long.
template <class S>
double pairs_of_a_block(double pairs, double seconds) {
  constexpr double least = short_product<S>;
  return std::clamp(block_seconds * pairs / std::max(seconds, 1e-6), least / 8, 8 * std::max(pairs, least));
}

namespace cut {

// Matrices [first, first + count) of a batch, or all of a batch of one, which serves every matrix.
template <class V>
V matrices(const V& v, index_t first, index_t count) {
  if (v.is_null() || v.extent(0) == 1) return v;
  return {v.data() + first * v.stride(0), {count, v.rows(), v.cols()}, v.strides()};
}

// Rows and columns of each matrix.
template <class V>
V part(const V& v, index_t row, index_t col, index_t rows, index_t cols) {
  if (v.is_null()) return v;
  return {v.data() + row * v.stride(1) + col * v.stride(2), {v.extent(0), rows, cols}, v.strides()};
}

template <class S>
product<S> matrices_of(product<S> p, index_t first, index_t count) {
  p.a = matrices(p.a, first, count), p.b = matrices(p.b, first, count), p.c = matrices(p.c, first, count);
  p.witness = matrices(p.witness, first, count);
  p.source = matrices(p.source, first, count), p.mask = matrices(p.mask, first, count);
  return p;
}

// Rows [i, i + rows) and columns [j, j + cols) of each C, and what they are made of.
template <class S>
product<S> block_of(product<S> p, index_t i, index_t j, index_t rows, index_t cols) {
  p.a = part(p.a, i, 0, rows, p.a.cols()), p.b = part(p.b, 0, j, p.b.rows(), cols);
  p.c = part(p.c, i, j, rows, cols), p.witness = part(p.witness, i, j, rows, cols);
  p.source = part(p.source, i, j, rows, cols), p.mask = part(p.mask, i, j, rows, cols);
  return p;
}

}  // namespace cut

// The one matrix of a batch, and its only column or row.
template <class V>
auto matrix_of(const V& v) {
  return matrix_view<typename V::element_type, V::space>(v.data(), {v.rows(), v.cols()}, {v.stride(1), v.stride(2)});
}
template <class V>
auto vector_of(const V& v) {
  const int axis = v.cols() == 1 ? 1 : 2;
  return vector_view<typename V::element_type, V::space>(v.data(), {v.extent(axis)}, {v.stride(axis)});
}

// A matrix and a vector: gemv reads the matrix once, as it lies.
template <class S, memory Space>
void multiply_vector(const context& ctx, const product<S, Space>& p) {
  auto options = p.options;
  if (!p.source.is_null()) options.source = vector_of(p.source);
  if (!p.mask.is_null()) options.mask = vector_of(p.mask);
  const auto call = [&](const auto& left, const auto& right) {
    if constexpr (is_selective<S>) {
      if (!p.witness.is_null()) return gemv(ctx, S{}, left, right, vector_of(p.c), vector_of(p.witness), options);
    }
    gemv(ctx, S{}, left, right, vector_of(p.c), options);
  };
  if (p.b.cols() == 1) call(matrix_of(p.a), vector_of(p.b));
  else call(vector_of(p.a), matrix_of(p.b));
}

template <class S, memory Space>
void multiply_at_once(const context& ctx, const product<S, Space>& p) {
  const bool is_one = p.a.extent(0) == 1 && p.b.extent(0) == 1 && p.c.extent(0) == 1;
  if (is_one && p.a.cols() == p.b.rows() && (p.b.cols() == 1 || p.a.rows() == 1)) return multiply_vector(ctx, p);
  auto options = p.options;
  if (!p.source.is_null()) options.source = p.source;
  if (!p.mask.is_null()) options.mask = p.mask;
  if constexpr (is_selective<S>) {
    if (!p.witness.is_null()) return gemm(ctx, S{}, p.a, p.b, p.c, p.witness, options);
  }
  gemm(ctx, S{}, p.a, p.b, p.c, options);
}

// The same, in blocks where it is long. Blocks near a square read each operand least often; the first one is small,
// since nothing is known yet of the rate. look(done, total) is called between two blocks.
template <class S, class Look>
void multiply_in_blocks(const context& ctx, const product<S>& p, Look& look) {
  const double total = p.pairs();
  if (total <= short_product<S>) return multiply_at_once(ctx, p);
  using clock = std::chrono::steady_clock;
  const index_t batch = p.c.extent(0), m = p.c.rows(), n = p.c.cols(), k = p.a.cols();
  double allowed = short_product<S>, done = 0;  // pairs of the next block
  const auto timed = [&](const product<S>& block) {
    const auto start = clock::now();
    multiply_at_once(ctx, block);
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    done += block.pairs();
    allowed = pairs_of_a_block<S>(block.pairs(), seconds);
    look(2 * done, 2 * total);
  };
  const double one = total / double(batch);
  for (index_t first = 0, count; first < batch; first += count) {
    count = std::clamp<index_t>(static_cast<index_t>(allowed / one), 1, batch - first);
    const product<S> some = cut::matrices_of(p, first, count);
    if (one <= allowed) {
      timed(some);
      continue;
    }
    for (index_t j = 0, cols; j < n; j += cols) {
      const double area = allowed / double(k);
      cols = std::min(n - j, static_cast<index_t>(std::max(std::sqrt(area), area / double(m))) / 64 * 64 + 64);
      for (index_t i = 0, rows; i < m; i += rows) {
        rows = std::min(m - i, static_cast<index_t>(allowed / double(k) / double(cols)) / 64 * 64 + 64);
        timed(cut::block_of(some, i, j, rows, cols));
      }
    }
  }
}

}  // namespace kleene::python
