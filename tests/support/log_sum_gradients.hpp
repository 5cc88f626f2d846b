// What gradients of a product over log_plus are compared with: shares of every element in long double, summed in a
// plain loop, and how far apart the two may be.
#pragma once

#include "support/log_sums.hpp"

#include <gtest/gtest.h>

namespace kleene::test {

template <class T>
struct log_sum_gradient_problem {
  matrix<T> a, b, c, g;
};

// A and B within +-range, with -inf here and there and in whole lines; C as `multiply(a, b)` gives it; G of both signs
// and some zeros.
template <class T, class Multiply>
log_sum_gradient_problem<T> draw_gradient_problem(index_t m, index_t n, index_t k, double range, std::uint64_t seed,
                                                  const Multiply& multiply) {
  const T none = -std::numeric_limits<T>::infinity();
  matrix<T> a = drawn<T>(m, k, seed, within(range, 0.1)), b = drawn<T>(k, n, seed + 1, within(range, 0.1));
  if (m > 3)
    for (index_t l = 0; l < k; ++l) a(3, l) = none;
  if (n > 2)
    for (index_t l = 0; l < k; ++l) b(l, 2) = none;
  matrix<T> g = drawn<T>(m, n, seed + 2, [](problems::generator& draw) {
    return draw.chance(0.1) ? 0 : std::ldexp(2 * draw.real() - 1, static_cast<int>(draw.below(8)));
  });
  matrix<T> c = multiply(a, b);
  return {std::move(a), std::move(b), std::move(c), std::move(g)};
}

template <class T>
void expect_gradients(const log_sum_gradient_problem<T>& p, const matrix<T>& to_a, const matrix<T>& to_b) {
  const index_t m = p.c.rows(), n = p.c.cols(), k = p.a.cols();
  constexpr bool is_float = std::is_same_v<T, float>;
  const long double eps = std::numeric_limits<T>::epsilon(), of_share = is_float ? 1e-5L : 1e-12L,
                    of_element = is_float ? 1e-13L : 1e-21L;
  matrix<long double> sum_a(m, k, 0), sum_b(k, n, 0), allowed_a(m, k, 0), allowed_b(k, n, 0);
  for (index_t i = 0; i < m; ++i)
    for (index_t l = 0; l < k; ++l)
      for (index_t j = 0; j < n; ++j) {
        const long double a = p.a(i, l), b = p.b(l, j), c = p.c(i, j), g = p.g(i, j);
        if (std::isinf(a) || std::isinf(b) || g == 0) continue;
        const long double share = g * std::exp(a + b - c);
        const long double places = 8 * eps * std::max({std::abs(a), std::abs(b), std::abs(c)});
        const long double allowed =
            std::abs(share) * (of_share + places + eps * (std::max(m, n) + 2)) + std::abs(g) * of_element;
        sum_a(i, l) += share, allowed_a(i, l) += allowed;
        sum_b(l, j) += share, allowed_b(l, j) += allowed;
      }
  const long double least = std::numeric_limits<T>::min();  // what is flushed to zero
  const auto compare = [&](const char* name, const matrix<T>& got, const matrix<long double>& want,
                           const matrix<long double>& allowed) {
    for (index_t i = 0; i < got.rows(); ++i)
      for (index_t j = 0; j < got.cols(); ++j)
        ASSERT_LE(std::abs(got(i, j) - want(i, j)), allowed(i, j) + least)
            << name << "(" << i << ", " << j << ") is " << got(i, j) << ", not " << want(i, j);
  };
  compare("the gradient of A", to_a, sum_a, allowed_a);
  compare("the gradient of B", to_b, sum_b, allowed_b);
}

// Two matrices as a batch, each transposed in memory; and one of such a batch as it was.
template <class T>
batch<T> transposed_pair(const matrix<T>& x, const matrix<T>& y) {
  batch<T> both(2, x.cols(), x.rows());
  for (index_t i = 0; i < x.rows(); ++i)
    for (index_t j = 0; j < x.cols(); ++j) both.view()(0, j, i) = x(i, j), both.view()(1, j, i) = y(i, j);
  return both;
}
template <class T>
matrix<T> of_transposed_pair(const batch<T>& both, index_t which) {
  const auto all = both.view();
  matrix<T> one(all.cols(), all.rows());
  for (index_t i = 0; i < one.rows(); ++i)
    for (index_t j = 0; j < one.cols(); ++j) one(i, j) = all(which, j, i);
  return one;
}

}  // namespace kleene::test
