// Products of a matrix and a vector over log_plus on a device, against sums of exact terms in long double: along rows
// and along columns, whole loads and single ones, k in parts, narrow and wide ranges, terms that rise, infinities.
#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemv.hpp"
#include "support/log_sums_on_device.hpp"

namespace kleene::test::gemv_logarithms_gpu_test {
namespace {

// A x and x A', A in both orders of memory.
template <class T>
void check_both(const context& ctx, const matrix<T>& a, const matrix<T>& x) {
  if (!sampled()) return;
  const index_t m = a.rows(), k = a.cols();
  matrix<T> turned(k, m);
  for (index_t i = 0; i < m; ++i)
    for (index_t l = 0; l < k; ++l) turned(l, i) = a(i, l);
  const auto da = to_device(ctx, a), dt = to_device(ctx, turned), dx = to_device(ctx, x);
  device_matrix<T> y(ctx, m, 1);
  const auto check = [&] { expect_log_sums(a, x, to_host(ctx, y)); };
  gemv(ctx, log_plus<T>{}, da, dx.view().column(0), y.view().column(0));
  check();
  gemv(ctx, log_plus<T>{}, dt.view().transposed(), dx.view().column(0), y.view().column(0));
  check();
  gemv(ctx, log_plus<T>{}, dx.view().column(0), dt, y.view().column(0));
  check();
}

template <class T>
void check_ranges(const context& ctx) {
  constexpr index_t shapes[][2] = {{1, 1},     {5, 3},     {33, 64},   {70, 257},
                                   {3, 20000}, {300, 600}, {2000, 40}, {4, 300001}};
  std::uint64_t seed = 1;
  for (const auto& [m, k] : shapes)
    for (const double range : {1.0, 50.0, 1e4})
      for (const double none : {0.0, 0.3, 0.999}) {
        seed += 2;
        SCOPED_TRACE(testing::Message() << m << " x " << k << ", range " << range << ", none " << none);
        check_both(ctx, drawn<T>(m, k, seed, within(range, none)), drawn<T>(k, 1, seed + 1, within(range, none)));
      }
}
TEST(gemv_logarithms_on_cuda, ranges) {
  KLEENE_NEEDS_GPU();
  check_ranges<float>(context::cuda());
  check_ranges<double>(context::cuda());
}

// Terms that rise by little and by much, and a million that are the same.
template <class T>
void check_order(const context& ctx) {
  constexpr index_t k = 1 << 20;
  for (const double last : {0.0, 1.0, 100.0, 1e4}) {
    matrix<T> a(2, k), x(k, 1, T(0.3));
    for (index_t l = 0; l < k; ++l)
      a(0, l) = static_cast<T>(last * static_cast<double>(l) / k), a(1, l) = static_cast<T>(-1000) - a(0, l);
    check_both(ctx, a, x);
  }
}
TEST(gemv_logarithms_on_cuda, terms_in_any_order) {
  KLEENE_NEEDS_GPU();
  check_order<float>(context::cuda());
  check_order<double>(context::cuda());
}

template <class T>
void check_infinities(const context& ctx) {
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const index_t k : {40, 6000}) {
    matrix<T> a(8, k, T(-1)), x(k, 1, T(0));
    a(0, 7) = nan, a(1, 8) = inf, a(2, 9) = -inf, a(3, 10) = inf, a(3, k - 1) = nan;
    a(5, 11) = inf, a(6, 12) = -inf, x(11, 0) = -inf;
    for (index_t l = 0; l < k; ++l) a(4, l) = -inf;
    for (const bool by_columns : {false, true}) {
      matrix<T> turned(k, 8);
      for (index_t i = 0; i < 8; ++i)
        for (index_t l = 0; l < k; ++l) turned(l, i) = a(i, l);
      const auto da = to_device(ctx, a), dt = to_device(ctx, turned), dx = to_device(ctx, x);
      device_matrix<T> dy(ctx, 8, 1);
      if (by_columns) gemv(ctx, log_plus<T>{}, dx.view().column(0), dt, dy.view().column(0));
      else gemv(ctx, log_plus<T>{}, da, dx.view().column(0), dy.view().column(0));
      const auto y = to_host(ctx, dy);
      EXPECT_TRUE(std::isnan(y(0, 0)) && std::isnan(y(3, 0))) << y(0, 0) << ", " << y(3, 0);
      EXPECT_EQ(y(1, 0), inf);
      EXPECT_EQ(y(4, 0), -inf);
      EXPECT_TRUE(std::isnan(y(5, 0))) << "infinity less infinity is " << y(5, 0);
      EXPECT_NEAR(y(2, 0), -1 + std::log(static_cast<double>(k - 2)), 1e-5);
      EXPECT_NEAR(y(7, 0), -1 + std::log(static_cast<double>(k - 1)), 1e-5);
    }
  }
}
TEST(gemv_logarithms_on_cuda, infinities_and_nan) {
  KLEENE_NEEDS_GPU();
  check_infinities<float>(context::cuda());
  check_infinities<double>(context::cuda());
}

}  // namespace
}  // namespace kleene::test::gemv_logarithms_gpu_test
