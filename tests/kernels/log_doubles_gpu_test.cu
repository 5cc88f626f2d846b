// Log-sum-exp products of doubles by plus_times' kernel against sums of exact terms in long double: launched directly
// on shapes at the edges of tiles and ranges, in any layout, over narrow and wide ranges, with infinities and NaN; by
// gemm.
#include "kleene/kernels/cuda/gemm/log_plus_launch.cuh"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/log_sums_on_device.hpp"

namespace kleene::test::log_doubles_gpu_test {
namespace {

using S = log_plus<double>;
using G = kernels::gemm_arguments<S>;
constexpr auto launch = [](const context& ctx, const G& g) { kernels::cuda::launch_double_sums(ctx, g); };

TEST(log_doubles_on_cuda, ranges) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr index_t shapes[][3] = {{1, 1, 1}, {5, 7, 3}, {64, 64, 64}, {63, 65, 66}, {129, 130, 520}, {300, 3, 1101}};
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : shapes)
    for (const double range : {0.5, 100.0, 200.0, 500.0, 1e4})
      for (const double none : {0.0, 0.3, 0.97}) {
        seed += 2;
        SCOPED_TRACE(testing::Message() << "range " << range << ", none " << none);
        check_log_product(ctx, launch, drawn<double>(m, k, seed, within(range, none)),
                          drawn<double>(k, n, seed + 1, within(range, none)));
      }
}

TEST(log_doubles_on_cuda, layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = drawn<double>(131, 91, 1, within(20)), b = drawn<double>(91, 71, 2, within(20));
  for (const layout la : output_layouts)
    for (const layout lb : output_layouts) check_log_product(ctx, launch, a, b, la, lb, la);
}

// Some elements prove themselves, and others in their tile do not; and sums that cancel with their maxima.
TEST(log_doubles_on_cuda, lines_that_are_wide_among_others) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  auto a = drawn<double>(200, 300, 3, within(3)), b = drawn<double>(300, 150, 4, within(3));
  for (const index_t i : {0, 64, 65, 199}) a(i, 17) = 500;
  for (const index_t j : {5, 128}) b(200, j) = 700;
  for (const index_t j : {6, 149}) b(17, j) = -2000;
  check_log_product(ctx, launch, a, b);
  for (index_t k = 0; k < 300; ++k) {
    a(3, k) = b(k, 9) = -std::numeric_limits<double>::infinity();
    a(5, k) = k == 7 ? 600 : -600 - static_cast<double>(k), b(k, 4) = k == 7 ? -600 : 600;
  }
  check_log_product(ctx, launch, a, b);
}

TEST(log_doubles_on_cuda, long_sums) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const draw_number same = [](problems::generator&) { return 0.1; };
  for (const index_t k : {4095, 4096, 4097, 20000, 1 << 20}) {
    check_log_product(ctx, launch, drawn<double>(3, k, 5, within(4)), drawn<double>(k, 2, 6, same));
    check_log_product(ctx, launch, drawn<double>(2, k, 7, same), drawn<double>(k, 3, 8, same));
    check_log_product(ctx, launch, drawn<double>(2, k, 7, within(1e4)), drawn<double>(k, 2, 8, within(1e4)));
  }
}

TEST(log_doubles_on_cuda, infinities_and_nan) {
  KLEENE_NEEDS_GPU();
  check_log_infinities<double>(context::cuda(), launch);
}

// Rows of C in several parts, each with its rows of D and of the mask.
TEST(log_doubles_on_cuda, rows_in_parts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = drawn<double>(200, 90, 1, within(5)), b = drawn<double>(90, 70, 2, within(5));
  check_log_product(
      ctx, [](const context& on, const G& g) { kernels::cuda::launch_double_sums(on, g, 70 * 64); }, a, b,
      layout::padded, layout::column, layout::column);
  const auto before = drawn<double>(200, 70, 3, within(5));
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  auto dc = to_device(ctx, before), alone = to_device(ctx, before);
  G g;
  g.m = 200, g.n = 70, g.k = 90;
  g.a = da.data(), g.b = db.data(), g.c = alone.data(), g.sa = {0, 90, 1}, g.sb = g.sc = {0, 70, 1};
  launch(ctx, g);
  const double alpha = 2, beta = -1;
  g.c = dc.data(), g.d = dc.data(), g.sd = g.sc, g.alpha = &alpha, g.beta = &beta;
  kernels::cuda::launch_double_sums(ctx, g, 70 * 64);
  const auto product = to_host(ctx, alone), got = to_host(ctx, dc);
  for (index_t i = 0; i < 200; ++i)
    for (index_t j = 0; j < 70; ++j) {
      const double x = product(i, j) + 2, y = before(i, j) - 1, most = std::max(x, y);
      EXPECT_NEAR(got(i, j), most + std::log(std::exp(x - most) + std::exp(y - most)), 1e-13) << i << ", " << j;
    }
}

TEST(log_doubles_on_cuda, through_gemm) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const double range : {3.0, 1e4}) {
    const auto a = drawn<double>(600, 400, 9, within(range)), b = drawn<double>(400, 500, 10, within(range));
    device_matrix<double> c(ctx, 600, 500);
    gemm(ctx, S{}, to_device(ctx, a), to_device(ctx, b), c);
    expect_log_sums(a, b, to_host(ctx, c), 7);
  }
}

}  // namespace
}  // namespace kleene::test::log_doubles_gpu_test
