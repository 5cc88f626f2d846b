// What a log-sum-exp product promises, and when its fast path keeps the promise.
//
// Promised of every finite result C, against the exact sum of exact terms: an error of at most absolute + 2 ulp(C),
// where absolute is 1e-5 in f32 and 1e-12 in f64.
//
// Fast path: S = sum_k P_ik Q_kj with P = exp(A - max of its row), Q = exp(B - max of its column), C = the two maxima +
// log S. All terms are positive, so that their errors cannot grow by cancellation. In units u = 2^-24 (f32; f64: 2^-53)
// S errs by at most 16 u for the two exponentials (4 ulp each), 64 u for a chain of 64 products, 8 u for the 8 chains
// of a pass: 88 u, 5.3e-6 in f32; passes are added in double, in f64 in two of them. What the exponentials flush to
// zero, and what underflows, is at most 2^-123 (2^-1018) a term: where S is at least least_sum(k) that is no more than
// 1e-6 (1e-14) of it. Else nothing is known of S, and the element is computed by the streamed path.
//
// Streamed path: M = max_k fl(A_ik + B_kj), C = M + log sum_k exp(fl(A_ik + B_kj) - M). Terms below e^-cut(k) of the
// largest are left out, at most 1e-7 (1e-14) together. A rounded term errs by half a unit of its last place, and C is
// not below M nor above M + log k: where |M| is large 2 ulp(C) cover it, where it is not it is below 2e-6 (4e-15).
#pragma once

#include "kleene/data/view.hpp"

#include <cmath>
#include <limits>

namespace kleene::kernels::cpu {

inline constexpr index_t log_sum_chain = 64;  // products, or exponentials, that are added one after another

template <class T>
struct log_sum_bounds;
template <>
struct log_sum_bounds<float> {
  static constexpr double absolute = 1e-5;
  static constexpr double least_term = 0x1p-123 / 1e-6;
  static constexpr double left_out = 1e-7;
  static constexpr int log_terms = 4;  // of the series in logarithm_of: an error of 1e-9
};
template <>
struct log_sum_bounds<double> {
  static constexpr double absolute = 1e-12;
  static constexpr double least_term = 0x1p-1018 / 1e-14;
  static constexpr double left_out = 1e-14;
  static constexpr int log_terms = 12;
};

template <class T>
double least_sum(index_t k) {
  return static_cast<double>(k) * log_sum_bounds<T>::least_term;
}
template <class T>
T cut(index_t k) {
  return static_cast<T>(std::log(static_cast<double>(k) / log_sum_bounds<T>::left_out) + 0.01);
}

}  // namespace kleene::kernels::cpu
