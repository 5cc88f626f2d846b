// What a log-sum-exp product is compared with: sums of all terms in long double, and how far apart the two may be.
#pragma once

#include "kleene/data/matrix.hpp"
#include "support/problems.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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

using draw_number = std::function<double(problems::generator&)>;

template <class T>
matrix<T> drawn(index_t rows, index_t cols, std::uint64_t seed, const draw_number& draw) {
  problems::generator g(seed);
  matrix<T> m(rows, cols);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) m(i, j) = static_cast<T>(draw(g));
  return m;
}
// Uniform in +-range, and -infinity with probability `none`.
inline draw_number within(double range, double none = 0) {
  return [=](problems::generator& g) {
    return g.chance(none) ? -std::numeric_limits<double>::infinity() : (2 * g.real() - 1) * range;
  };
}

}  // namespace kleene::test
