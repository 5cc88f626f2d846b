// What a log-sum-exp product is compared with: sums of all terms in long double, and how far apart the two may be.
#pragma once

#include "kleene/data/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kleene::test {

// 1e-5 + 2 ulp in f32, 1e-12 + 2 ulp in f64.
template <class T>
T allowed_of_log_sum(T exact) {
  const T size = std::abs(exact);
  const T ulp = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return (std::is_same_v<T, float> ? T(1e-5) : T(1e-12)) + 2 * ulp;
}

template <class T>
long double exact_log_sum(const matrix<T>& a, const matrix<T>& b, index_t i, index_t j) {
  long double most = -std::numeric_limits<long double>::infinity(), sum = 0;
  for (index_t k = 0; k < a.cols(); ++k)
    most = std::max(most, static_cast<long double>(a(i, k)) + static_cast<long double>(b(k, j)));
  if (std::isinf(most)) return most;
  for (index_t k = 0; k < a.cols(); ++k) {
    const long double below = static_cast<long double>(a(i, k)) + static_cast<long double>(b(k, j)) - most;
    if (below > -70) sum += std::exp(below);  // what is left out is below 1e-24 of the sum
  }
  return most + std::log(sum);
}

}  // namespace kleene::test
