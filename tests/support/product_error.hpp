// How far a product on a device is from one in f64.
#pragma once

#include "support/device.hpp"

#include <array>

namespace kleene::test {

// The largest |C - A B| / sum of |a b|, in f64, for operands from [low, low + 2) and a C of f32; size: m, n, k.
template <class T>
double error_of(const context& ctx, const std::array<index_t, 3>& size, double low, float_precision precision) {
  const auto [m, n, k] = size;
  matrix<T> a(m, k), b(k, n);
  problems::generator g(5);
  for (index_t e = 0; e < a.size(); ++e) a.data()[e] = T(low + 2 * g.real());
  for (index_t e = 0; e < b.size(); ++e) b.data()[e] = T(low + 2 * g.real());
  device_matrix<float> dc(ctx, m, n);
  gemm(ctx, plus_times<T>{}, to_device(ctx, a), to_device(ctx, b), dc, {.precision = precision});
  const matrix<float> c = to_host(ctx, dc);
  double largest = 0;
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (index_t l = 0; l < k; ++l) {
        const double term = double(a(i, l)) * double(b(l, j));
        sum += term, magnitude += std::abs(term);
      }
      largest = std::max(largest, std::abs(double(c(i, j)) - sum) / magnitude);
    }
  return largest;
}

}  // namespace kleene::test
