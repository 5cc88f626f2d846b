// What a CPU can say of log-sum-exp products on a device: exponentials, running sums in one pass, how k and C are cut,
// and when a sum is proof of its error.
#include "kleene/kernels/cuda/gemm/log_sums/policy.hpp"
#include "kleene/kernels/cuda/tile/log_sum.hpp"

#include "support/problems.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace kleene::test::log_sums_on_devices_test {
namespace {

using namespace kernels::cuda;

template <class T>
constexpr T infinite = std::numeric_limits<T>::infinity();

template <class T>
void check_exponential(double least, double most, double bound) {
  problems::generator g(1);
  for (int n = 0; n < 20000; ++n) {
    const T x = static_cast<T>(least + (most - least) * g.real());
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_LE(std::abs(static_cast<long double>(exponential(x)) - exact), bound * exact) << x;
  }
}

TEST(log_sums_on_devices, exponentials) {
  check_exponential<float>(-1, 1, 3 * 0x1p-23);
  check_exponential<float>(-80, 17, 82 * 0x1p-23);
  check_exponential<double>(-1, 1, 1e-14);
  check_exponential<double>(-60, 17, 1.2e-14);
  check_exponential<double>(-699, -60, 3.5e-14);
  EXPECT_EQ(exponential(0.0), 1);
  EXPECT_EQ(exponential(-1e5), 0);
  EXPECT_EQ(exponential(-infinite<double>), 0);
  EXPECT_EQ(exponential(-infinite<float>), 0);
  EXPECT_EQ(exponential(infinite<double>), infinite<double>);
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(exponential(-std::numeric_limits<double>::quiet_NaN())));
}

// The sum of terms that come in groups of eight to `threads`, in turns, whose sums are joined. A second row beside them
// has nothing but what is no term.
template <class T>
log_sum<T> summed(const std::vector<T>& terms, std::size_t threads) {
  struct rows {
    log_sum<T> of[2] = {log_sum<T>::zero(), log_sum<T>::zero()};
  };
  std::vector<rows> sums(threads);
  std::size_t at = 0;
  for (; at + 8 <= terms.size(); at += 8) {
    T group[2][8];
    std::copy_n(terms.begin() + static_cast<std::ptrdiff_t>(at), 8, group[0]);
    std::fill_n(group[1], 8, -infinite<T>);
    add_groups(sums[at / 8 % threads].of, group);
  }
  for (; at < terms.size(); ++at) {
    const T group[2][1] = {{terms[at]}, {-infinite<T>}};
    add_groups(sums[at % threads].of, group);
  }
  for (std::size_t half = threads / 2; half > 0; half /= 2)
    for (std::size_t n = 0; n < half; ++n)
      for (int row = 0; row < 2; ++row) sums[n].of[row].join(sums[n + half].of[row]);
  EXPECT_EQ(sums[0].of[1].value(), -infinite<T>);
  return sums[0].of[0];
}

template <class T>
void check_sum(std::size_t count, const std::function<double(std::size_t)>& term) {
  std::vector<T> terms(count);
  for (std::size_t n = 0; n < count; ++n) terms[n] = static_cast<T>(term(n));
  const long double most = *std::max_element(terms.begin(), terms.end());
  long double exact = 0;
  for (const T x : terms) exact += std::exp(static_cast<long double>(x) - most);
  exact = most + std::log(exact);
  for (const std::size_t threads : {1, 256}) {
    const T got = summed(terms, threads).value(), ulp = std::nextafter(std::abs(got), infinite<T>) - std::abs(got);
    EXPECT_LE(std::abs(got - exact), (sizeof(T) == 4 ? 6e-6 : 5e-13) + ulp) << count << " terms, " << threads;
  }
}

template <class T>
void check_sums() {
  problems::generator g(2);
  for (const std::size_t count : {1, 7, 8, 1000, 300001}) {
    const double all = static_cast<double>(count);
    for (const double range : {0.0, 1.0, 20.0, 1e4}) {
      check_sum<T>(count, [&](std::size_t) { return range * (2 * g.real() - 1); });
      check_sum<T>(count, [&](std::size_t n) { return range * static_cast<double>(n) / all; });
      check_sum<T>(count, [&](std::size_t n) { return -range * static_cast<double>(n) / all; });
      check_sum<T>(count, [&](std::size_t n) { return n % 3 == 0 ? -900 - range : -infinite<double>; });
    }
  }
}
TEST(log_sums_on_devices, running_sums_keep_their_bound) {
  check_sums<float>();
  check_sums<double>();
}

template <class T>
void check_infinities() {
  constexpr T inf = infinite<T>, nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(log_sum<T>::zero().value(), -inf);
  std::vector<T> terms(4000, -inf);
  EXPECT_EQ(summed(terms, 4).value(), -inf);
  terms[100] = -2000, terms[200] = -3000;
  EXPECT_EQ(summed(terms, 4).value(), -2000);
  terms[300] = inf, terms[2500] = 5000;
  EXPECT_EQ(summed(terms, 1).value(), inf);
  EXPECT_EQ(summed(terms, 4).value(), inf);
  terms[3999] = nan;
  EXPECT_TRUE(std::isnan(summed(terms, 1).value()) && std::isnan(summed(terms, 4).value()));
  terms[300] = -inf;
  EXPECT_TRUE(std::isnan(summed(terms, 1).value()) && std::isnan(summed(terms, 4).value()));
}
TEST(log_sums_on_devices, running_sums_of_infinities_and_nan) {
  check_infinities<float>();
  check_infinities<double>();
}

// Proof is asked of sums, in the limit: k 977 of f32, k 3.6e-293 of f64.
TEST(log_sums_on_devices, sums_that_prove_themselves) {
  EXPECT_TRUE(log_sums_sm90::proves(978.0 * 1000, 1000));
  EXPECT_FALSE(log_sums_sm90::proves(976.0 * 1000, 1000));
  EXPECT_FALSE(log_sums_sm90::proves(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_FALSE(log_sums_sm90::proves(infinite<double>, 1));
  EXPECT_TRUE(log_sums_f64::proves(3.6e-293 * 1000, 1000));
  EXPECT_FALSE(log_sums_f64::proves(3.5e-293 * 1000, 1000));
  EXPECT_FALSE(log_sums_f64::proves(0, 1));
  EXPECT_FALSE(log_sums_f64::proves(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_FALSE(log_sums_f64::proves(infinite<double>, 1));
}

TEST(log_sums_on_devices, every_step_and_element_is_streamed) {
  for (const auto& [m, n, k, batch] : {std::array<index_t, 4>{1, 1, 1, 1},
                                       {1, 1, 1 << 24, 1},
                                       {16, 16, 5000, 1},
                                       {1000, 3, 700, 1},
                                       {4096, 4096, 4096, 1},
                                       {16, 16, 16, 60000},
                                       {33, 70, 100, 3}}) {
    const stream_plan p = plan_stream(m, n, k, batch, 132);
    EXPECT_EQ(p.tiles, ceil_div(m, index_t{16 * p.each}) * ceil_div(n, index_t{16 * p.each}));
    EXPECT_GE(p.part * p.parts, k);
    EXPECT_LT(p.part * (p.parts - 1), k);
    EXPECT_LE(p.parts, 65535);
    EXPECT_TRUE(p.each == 1 || p.each == 2 || p.each == 4);
  }
  EXPECT_EQ(plan_stream(4096, 4096, 4096, 1, 132).each, 4);
  EXPECT_EQ(plan_stream(4096, 4096, 4096, 1, 132).parts, 1);
  EXPECT_EQ(plan_stream(16, 16, 16, 60000, 132).each, 1);  // a block for each matrix, no larger than that
  EXPECT_EQ(plan_stream(16, 16, 1 << 20, 1, 132).parts, 1024);
  EXPECT_EQ(plan_stream(128, 128, 1 << 16, 1, 132).each, 4);  // split-K before small tiles
}

}  // namespace
}  // namespace kleene::test::log_sums_on_devices_test
