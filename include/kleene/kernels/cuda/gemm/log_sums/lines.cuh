// The operands of a log-sum-exp product as lines, and the maximum of each; what all its kernels are given.
#pragma once

#include "kleene/kernels/contract/gemm_writer.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace kleene::kernels::cuda {

template <class T>
inline constexpr T no_term = -std::numeric_limits<T>::infinity();

// Numbers in the order of integers, for atomicMax.
template <class T>
struct ordered;
template <>
struct ordered<float> {
  using key = std::int32_t;
  __device__ static key of(float x) { return flipped(__float_as_int(x)); }
  __device__ static float value(key k) { return __int_as_float(flipped(k)); }
  __device__ static key flipped(key k) { return k < 0 ? k ^ 0x7FFFFFFF : k; }
};
template <>
struct ordered<double> {
  using key = long long;
  __device__ static key of(double x) { return flipped(__double_as_longlong(x)); }
  __device__ static double value(key k) { return __longlong_as_double(flipped(k)); }
  __device__ static key flipped(key k) { return k < 0 ? k ^ 0x7FFFFFFFFFFFFFFF : k; }
};

// Rows of A or columns of B: lines along k.
template <class T>
struct log_lines {
  const T* data = nullptr;
  index_t lines = 0, depth = 0, line_stride = 0, stride = 0;
  typename ordered<T>::key* most = nullptr;  // of each line; NaN is none

  KLEENE_FUNCTION bool along() const { return stride == 1 || line_stride != 1; }
  // What is subtracted from a line's elements; 0 where the maximum is -infinity.
  __device__ T shift(index_t line) const {
    const T x = ordered<T>::value(most[line]);
    return x == no_term<T> ? 0 : x;
  }
  // Steps [first, first + count) of k.
  log_lines part(index_t first, index_t count) const {
    log_lines of = *this;
    of.data += first * stride, of.depth = count;
    return of;
  }
};

inline constexpr int stream_tile = 64;  // elements of C that are marked together

// One product, and which of its elements have no proof of their error.
template <class G>
struct log_problem {
  using T = value_of<typename G::algebra>;

  G g;  // alpha and beta point nowhere here: their values are below
  typename G::scalar alpha{}, beta{};
  bool has_alpha = false, has_beta = false;
  log_lines<T> lines_a, lines_b;
  unsigned char* failed = nullptr;   // [m][n] 1 where an element has no proof; null: none has, and nothing is marked
  unsigned* failed_tiles = nullptr;  // of stream_tile x stream_tile elements, row by row

  log_problem() = default;
  explicit log_problem(const G& of) : g(of) {
    if (g.alpha) alpha = *g.alpha, has_alpha = true;
    if (g.beta) beta = *g.beta, has_beta = true;
    lines_a = {g.a, g.m, g.k, g.sa[1], g.sa[2], nullptr};
    lines_b = {g.b, g.n, g.k, g.sb[2], g.sb[1], nullptr};
  }

  KLEENE_FUNCTION index_t stream_tiles_n() const { return ceil_div(g.n, index_t{stream_tile}); }
  // g with alpha and beta as values.
  __device__ G product() const {
    G of = g;
    of.alpha = has_alpha ? &alpha : nullptr, of.beta = has_beta ? &beta : nullptr;
    return of;
  }
};

}  // namespace kleene::kernels::cuda
