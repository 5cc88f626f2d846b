// The gradient of a product over log_plus by two ordinary products, and which elements of C those cannot take.
//
// Of C = log sum_k exp(A_ik + B_kj) with the gradient G, A gets sum_j G_ij exp(A_ik + B_kj - C_ij), and B the same
// summed over i. With the maxima r_i and s_j of A's rows and B's columns, P = exp(A - r), Q = exp(B - s) and
// W = G exp(r + s - C), that is P (W Q') and Q (P' W), element by element times a product. W is so large where r + s is
// far above C that it may overflow while P Q underflows: such elements of C are left out of W, and their terms summed
// apart.
#pragma once

#include "kleene/algebra/ops.hpp"

#include <cmath>
#include <limits>

namespace kleene::kernels {

template <class T>
struct log_sum_bounds;
template <>
struct log_sum_bounds<float> {
  // An element with r + s - C up to here goes through the products: its sum of P Q is 2^-40 at least, so that what of
  // P and Q is flushed to zero, below 2^-126, is no part of it that could be seen; and W stays below the largest float
  // by more than the number of its terms.
  static constexpr float farthest = 27.7f, largest = 1e30f;
  // Where shares below e^negligible are left out: 32,768 of them are 3e-9 of the whole.
  static constexpr float negligible = -30;
};
template <>
struct log_sum_bounds<double> {
  static constexpr double farthest = 277, largest = 1e290, negligible = -50;  // 2^-400
};

// a + b - c, in which nothing is lost but the last place of the result where a + b is rounded. What is as infinite as c
// is 0.
template <class T>
KLEENE_FUNCTION T difference_of_log_sum(T a, T b, T c) {
  const T sum = a + b, back = sum - a, lost = (a - (sum - back)) + (b - back);
  if (sum == c) return lost == lost ? lost : T(0);
  return lost == lost ? (sum - c) + lost : sum - c;
}

// G exp(r + s - C), W's element; 0 where it is left out, or has no terms.
template <class T>
KLEENE_FUNCTION T weight_of_log_sum(T g, T top_a, T top_b, T c, bool& is_far) {
  is_far = false;
  if (g == T(0) || c == -std::numeric_limits<T>::infinity()) return 0;
  const T above = difference_of_log_sum(top_a, top_b, c), weight = g * std::exp(above);
  using bounds = log_sum_bounds<T>;
  is_far = !(above <= bounds::farthest && weight <= bounds::largest && weight >= -bounds::largest);
  return is_far ? T(0) : weight;
}

// P's or Q's element.
template <class T>
KLEENE_FUNCTION T factor_of_log_sum(T value, T top) {
  return value == -std::numeric_limits<T>::infinity() ? T(0) : value == top ? T(1) : std::exp(value - top);
}

}  // namespace kleene::kernels
