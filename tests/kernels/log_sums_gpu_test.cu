// Log-sum-exp products on the tensor cores against sums of exact terms in long double: launched directly on shapes at
// the edges of tiles and pieces, in any layout, over narrow and wide ranges, with infinities and NaN; and by gemm.
#include "kleene/kernels/cuda/gemm/log_sums/launch.cuh"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/device.hpp"
#include "support/log_sums.hpp"
#include "support/sample.hpp"

#include <functional>
#include <utility>

namespace kleene::test {
namespace {

using S = log_plus<float>;
using G = kernels::gemm_arguments<S>;
constexpr float infinite = std::numeric_limits<float>::infinity();

matrix<float> drawn(index_t rows, index_t cols, std::uint64_t seed,
                    const std::function<double(problems::generator&)>& draw) {
  problems::generator g(seed);
  matrix<float> m(rows, cols);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) m(i, j) = static_cast<float>(draw(g));
  return m;
}
std::function<double(problems::generator&)> within(double range, double none = 0) {
  return [=](problems::generator& g) { return g.chance(none) ? -double(infinite) : (2 * g.real() - 1) * range; };
}

void expect_within_bound(const matrix<float>& a, const matrix<float>& b, const matrix<float>& c, index_t step = 1) {
  for (index_t e = 0; e < c.rows() * c.cols(); e += step) {
    const index_t i = e / c.cols(), j = e % c.cols();
    const long double exact = exact_log_sum(a, b, i, j);
    if (static_cast<float>(exact) == c(i, j)) continue;
    ASSERT_LE(std::abs(static_cast<long double>(c(i, j)) - exact), allowed_of_log_sum(static_cast<float>(exact)))
        << a.rows() << "x" << b.cols() << "x" << a.cols() << " at " << i << ", " << j << ": " << c(i, j) << " for "
        << static_cast<double>(exact);
  }
}

// A, B and C in layouts of their own.
void check(const context& ctx, const matrix<float>& a, const matrix<float>& b, layout la = layout::row,
           layout lb = layout::row, layout lc = layout::row) {
  if (!sampled()) return;
  if (!kernels::cuda::has_log_sums<G>()) GTEST_SKIP() << "not sm_90";
  const index_t m = a.rows(), k = a.cols(), n = b.cols();
  strided<float> sa(la, 1, m, k, 3.0f), sb(lb, 1, k, n, 3.0f), sc(lc, 1, m, n, -77.0f);
  for (index_t i = 0; i < m; ++i)
    for (index_t l = 0; l < k; ++l) sa.at(0, i, l) = a(i, l);
  for (index_t l = 0; l < k; ++l)
    for (index_t j = 0; j < n; ++j) sb.at(0, l, j) = b(l, j);
  device_strided<float> da(ctx, sa), db(ctx, sb), dc(ctx, sc);
  G g;
  g.m = m, g.n = n, g.k = k;
  g.a = da.at.data(), g.sa = da.at.strides(), g.b = db.at.data(), g.sb = db.at.strides();
  g.c = dc.at.data(), g.sc = dc.at.strides();
  kernels::cuda::launch_log_sums(ctx, g);
  auto got = to_host(ctx, dc.buffer);
  const index_t first = sc.at.data() - sc.buffer.data();
  matrix<float> c(m, n);
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j)
      c(i, j) = std::exchange(got.data()[first + i * sc.at.stride(1) + j * sc.at.stride(2)], -77.0f);
  expect_within_bound(a, b, c);
  EXPECT_TRUE(equal(got, sc.buffer)) << "something was written beside C";
}

TEST(log_sums_on_cuda, ranges) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr index_t shapes[][3] = {{1, 1, 1}, {5, 7, 3}, {64, 64, 64}, {63, 65, 66}, {129, 130, 520}, {300, 3, 1100}};
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : shapes)
    for (const double range : {0.5, 12.0, 30.0, 100.0, 1e4})
      for (const double none : {0.0, 0.3, 0.97}) {
        SCOPED_TRACE(testing::Message() << "range " << range << ", none " << none);
        check(ctx, drawn(m, k, ++seed, within(range, none)), drawn(k, n, ++seed, within(range, none)));
      }
}

TEST(log_sums_on_cuda, layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = drawn(130, 90, 1, within(20)), b = drawn(90, 70, 2, within(20));
  for (const layout la : output_layouts)
    for (const layout lb : output_layouts) check(ctx, a, b, la, lb, la);
}

// Some elements prove themselves, and others in their tile do not.
TEST(log_sums_on_cuda, lines_that_are_wide_among_others) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  auto a = drawn(200, 300, 3, within(3)), b = drawn(300, 150, 4, within(3));
  for (const index_t i : {0, 64, 65, 199}) a(i, 17) = 500;
  for (const index_t j : {5, 128}) b(200, j) = 700;
  for (const index_t j : {6, 149}) b(17, j) = -2000;
  check(ctx, a, b);
  for (index_t l = 0; l < 300; ++l) a(3, l) = b(l, 9) = -infinite;
  check(ctx, a, b);
}

TEST(log_sums_on_cuda, long_sums) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t k : {1024, 1025, 20000, 32768})
    check(ctx, drawn(20, k, 5, within(4)), drawn(k, 10, 6, [](problems::generator&) { return 0.0; }));
}

// What sums of infinities and of NaN are, as steps of log_add_exp have it.
TEST(log_sums_on_cuda, infinities_and_nan) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  if (!kernels::cuda::has_log_sums<G>()) GTEST_SKIP() << "not sm_90";
  auto a = drawn(100, 80, 7, within(2)), b = drawn(80, 90, 8, within(2));
  a(3, 4) = infinite, b(5, 6) = std::numeric_limits<float>::quiet_NaN(), a(50, 5) = infinite;
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  device_matrix<float> dc(ctx, 100, 90);
  G g;
  g.m = 100, g.n = 90, g.k = 80;
  g.a = da.data(), g.b = db.data(), g.c = dc.data(), g.sa = {0, 80, 1}, g.sb = g.sc = {0, 90, 1};
  kernels::cuda::launch_log_sums(ctx, g);
  const auto c = to_host(ctx, dc);
  for (index_t i = 0; i < 100; ++i)
    for (index_t j = 0; j < 90; ++j) {
      if (j == 6) {
        EXPECT_TRUE(std::isnan(c(i, j))) << i;
      } else if (i == 3 || i == 50) {
        EXPECT_EQ(c(i, j), infinite) << i << ", " << j;
      } else {
        EXPECT_TRUE(std::isfinite(c(i, j))) << i << ", " << j;
      }
    }
}

// By the public call: options, and products that are large enough.
TEST(log_sums_on_cuda, through_gemm) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = drawn(600, 400, 9, within(3)), b = drawn(400, 500, 10, within(3));
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  device_matrix<float> c(ctx, 600, 500);
  gemm(ctx, S{}, da, db, c);
  const auto plain = to_host(ctx, c);
  expect_within_bound(a, b, plain, 7);
  const auto before = drawn(600, 500, 11, within(10));
  auto with = to_device(ctx, before);
  gemm(ctx, S{}, da, db, with, {.accumulate = true, .alpha = 2.0f, .beta = -1.0f});
  const auto got = to_host(ctx, with);
  for (index_t i = 0; i < 600; i += 3)
    for (index_t j = 0; j < 500; ++j) {
      const double x = plain(i, j) + 2.0, y = before(i, j) - 1.0, most = std::max(x, y);
      EXPECT_NEAR(got(i, j), most + std::log(std::exp(x - most) + std::exp(y - most)), 2e-5);
    }
  const auto batch_a = problems::random_matrix<S>(3 * 400, 400, problems::distribution::uniform, 12);
  const auto there = to_device(ctx, batch_a);
  device_batch<float> out(ctx, 3, 400, 400);
  const view<const float, 3, memory::device> each(there.data(), {3, 400, 400}, {400 * 400, 400, 1});
  gemm(ctx, S{}, each, each, out);
  ctx.synchronise();
  for (index_t n = 0; n < 3; ++n) {
    matrix<float> one(400, 400), result(400, 400);
    for (index_t e = 0; e < 400 * 400; ++e) one.data()[e] = batch_a.data()[n * 400 * 400 + e];
    ASSERT_EQ(cudaMemcpy(result.data(), out.data() + n * 400 * 400, sizeof(float) * 400 * 400, cudaMemcpyDeviceToHost),
              cudaSuccess);
    expect_within_bound(one, one, result, 11);
  }
}

}  // namespace
}  // namespace kleene::test
