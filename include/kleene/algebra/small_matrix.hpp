// Matrices whose size is known when the program is compiled, as values: elements of sequences, which scans, reductions
// and sorts take as they take numbers.
//
//   using step = small_matrix<float, 2>;
//   inclusive_scan(ctx, steps, steps + n, out, matrix_product<max_times<float>>{});   // out[i] = steps[0] ... steps[i]
//
// (scan_products in operations/ does the same for matrices whose size is known at run time.)
#pragma once

#include "kleene/algebra/concepts.hpp"

namespace kleene {

template <class T, int Rows, int Cols = Rows>
struct small_matrix {
  static_assert(Rows > 0 && Cols > 0);
  using value_type = T;
  static constexpr int rows = Rows, cols = Cols;

  T element[Rows][Cols];

  KLEENE_FUNCTION constexpr T& operator()(int i, int j) { return element[i][j]; }
  KLEENE_FUNCTION constexpr const T& operator()(int i, int j) const { return element[i][j]; }
  friend constexpr bool operator==(const small_matrix&, const small_matrix&) = default;
};

// The product over S as a functor: associative, in general not commutative. Sums over k go from 0 upwards, and are
// finished as a stored element of gemm is (an integer's infinity stays one). Nothing is looked at: domains are the
// caller's, a NaN of an operand may become one of the result (in gemm none is), and of integers the caller knows that
// no sum leaves their range.
template <product_algebra S>
struct matrix_product {
  using T = value_of<S>;

  template <int M, int K, int N>
  KLEENE_FUNCTION constexpr small_matrix<T, M, N> operator()(const small_matrix<T, M, K>& a,
                                                             const small_matrix<T, K, N>& b) const {
    small_matrix<T, M, N> c{};
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        accumulator_of<S> sum = S::mul(widen<S>(a(i, 0)), widen<S>(b(0, j)));
        for (int k = 1; k < K; ++k) sum = S::add(sum, S::mul(widen<S>(a(i, k)), widen<S>(b(k, j))));
        c(i, j) = static_cast<T>(normalise<S>(sum));
      }
    return c;
  }
};

// one() on the diagonal, zero() elsewhere: what exclusive_scan starts with.
template <full_semiring S, int N>
KLEENE_FUNCTION constexpr small_matrix<value_of<S>, N> small_identity() {
  small_matrix<value_of<S>, N> result{};
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) result(i, j) = i == j ? S::one() : S::zero();
  return result;
}

}  // namespace kleene
