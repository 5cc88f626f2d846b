// One log-sum-exp product on a CUDA device, by whatever launches it, against sums of exact terms.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "support/device.hpp"
#include "support/log_sums.hpp"

#include <utility>

namespace kleene::test {

// Every `step`-th element.
template <class T>
void expect_log_sums(const matrix<T>& a, const matrix<T>& b, const matrix<T>& c, index_t step = 1) {
  for (index_t e = 0; e < c.rows() * c.cols(); e += step) {
    const index_t i = e / c.cols(), j = e % c.cols();
    const long double exact = exact_log_sum(a, b, i, j);
    if (static_cast<T>(exact) == c(i, j)) continue;
    ASSERT_LE(std::abs(static_cast<long double>(c(i, j)) - exact), allowed_of_log_sum(static_cast<T>(exact)))
        << a.rows() << "x" << b.cols() << "x" << a.cols() << " at " << i << ", " << j << ": " << c(i, j) << " for "
        << static_cast<double>(exact);
  }
}

// launch(ctx, g), with A, B and C in layouts of their own.
template <class T, class Launch>
void check_log_product(const context& ctx, const Launch& launch, const matrix<T>& a, const matrix<T>& b,
                       layout la = layout::row, layout lb = layout::row, layout lc = layout::row) {
  if (!sampled()) return;
  const index_t m = a.rows(), k = a.cols(), n = b.cols();
  strided<T> sa(la, 1, m, k, T(3)), sb(lb, 1, k, n, T(3)), sc(lc, 1, m, n, T(-77));
  for (index_t i = 0; i < m; ++i)
    for (index_t l = 0; l < k; ++l) sa.at(0, i, l) = a(i, l);
  for (index_t l = 0; l < k; ++l)
    for (index_t j = 0; j < n; ++j) sb.at(0, l, j) = b(l, j);
  device_strided<T> da(ctx, sa), db(ctx, sb), dc(ctx, sc);
  kernels::gemm_arguments<log_plus<T>> g;
  g.m = m, g.n = n, g.k = k;
  g.a = da.at.data(), g.sa = da.at.strides(), g.b = db.at.data(), g.sb = db.at.strides();
  g.c = dc.at.data(), g.sc = dc.at.strides();
  launch(ctx, g);
  auto got = to_host(ctx, dc.buffer);
  const index_t first = sc.at.data() - sc.buffer.data();
  matrix<T> c(m, n);
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j)
      c(i, j) = std::exchange(got.data()[first + i * sc.at.stride(1) + j * sc.at.stride(2)], T(-77));
  expect_log_sums(a, b, c);
  EXPECT_TRUE(equal(got, sc.buffer)) << "something was written beside C";
}

// What sums of infinities and of NaN are, as steps of log_add_exp have it: rows 3 and 50 of A have +infinity, column 6
// of B a NaN, row 20 is -infinity.
template <class T, class Launch>
void check_log_infinities(const context& ctx, const Launch& launch) {
  constexpr T infinite = std::numeric_limits<T>::infinity();
  auto a = drawn<T>(100, 80, 7, within(2)), b = drawn<T>(80, 90, 8, within(2));
  a(3, 4) = infinite, b(5, 6) = std::numeric_limits<T>::quiet_NaN(), a(50, 5) = infinite;
  for (index_t k = 0; k < 80; ++k) a(20, k) = -infinite;
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  device_matrix<T> dc(ctx, 100, 90);
  kernels::gemm_arguments<log_plus<T>> g;
  g.m = 100, g.n = 90, g.k = 80;
  g.a = da.data(), g.b = db.data(), g.c = dc.data(), g.sa = {0, 80, 1}, g.sb = g.sc = {0, 90, 1};
  launch(ctx, g);
  const auto c = to_host(ctx, dc);
  for (index_t i = 0; i < 100; ++i)
    for (index_t j = 0; j < 90; ++j) {
      if (j == 6) {
        EXPECT_TRUE(std::isnan(c(i, j))) << i;
      } else if (i == 3 || i == 50) {
        EXPECT_EQ(c(i, j), infinite) << i << ", " << j;
      } else if (i == 20) {
        EXPECT_EQ(c(i, j), -infinite) << j;
      } else {
        EXPECT_TRUE(std::isfinite(c(i, j))) << i << ", " << j;
      }
    }
}

}  // namespace kleene::test
