// Log-sum-exp products on the tensor cores of sm_90 against sums of exact terms in long double: launched directly on
// shapes at the edges of tiles and pieces, in any layout, over narrow and wide ranges, with infinities and NaN; and by
// gemm.
#include "kleene/kernels/cuda/gemm/log_sums/launch.cuh"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/log_sums_on_device.hpp"

namespace kleene::test::log_sums_gpu_test {
namespace {

using S = log_plus<float>;
using G = kernels::gemm_arguments<S>;
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr auto launch = [](const context& ctx, const G& g) { kernels::cuda::launch_log_sums(ctx, g); };

#define SKIP_WITHOUT_THE_KERNEL() \
  KLEENE_NEEDS_GPU();             \
  if (!kernels::cuda::has_log_sums<G>()) GTEST_SKIP() << "not sm_90"

TEST(log_sums_on_cuda, ranges) {
  SKIP_WITHOUT_THE_KERNEL();
  const context ctx = context::cuda();
  constexpr index_t shapes[][3] = {{1, 1, 1}, {5, 7, 3}, {64, 64, 64}, {63, 65, 66}, {129, 130, 520}, {300, 3, 1100}};
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : shapes)
    for (const double range : {0.5, 12.0, 30.0, 100.0, 1e4})
      for (const double none : {0.0, 0.3, 0.97}) {
        seed += 2;
        SCOPED_TRACE(testing::Message() << "range " << range << ", none " << none);
        check_log_product<float>(ctx, launch, drawn<float>(m, k, seed, within(range, none)),
                                 drawn<float>(k, n, seed + 1, within(range, none)));
      }
}

TEST(log_sums_on_cuda, layouts) {
  SKIP_WITHOUT_THE_KERNEL();
  const context ctx = context::cuda();
  const auto a = drawn<float>(130, 90, 1, within(20)), b = drawn<float>(90, 70, 2, within(20));
  for (const layout la : output_layouts)
    for (const layout lb : output_layouts) check_log_product<float>(ctx, launch, a, b, la, lb, la);
}

// Some elements prove themselves, and others in their tile do not.
TEST(log_sums_on_cuda, lines_that_are_wide_among_others) {
  SKIP_WITHOUT_THE_KERNEL();
  const context ctx = context::cuda();
  auto a = drawn<float>(200, 300, 3, within(3)), b = drawn<float>(300, 150, 4, within(3));
  for (const index_t i : {0, 64, 65, 199}) a(i, 17) = 500;
  for (const index_t j : {5, 128}) b(200, j) = 700;
  for (const index_t j : {6, 149}) b(17, j) = -2000;
  check_log_product<float>(ctx, launch, a, b);
  for (index_t l = 0; l < 300; ++l) a(3, l) = b(l, 9) = -infinite;
  check_log_product<float>(ctx, launch, a, b);
}

TEST(log_sums_on_cuda, long_sums) {
  SKIP_WITHOUT_THE_KERNEL();
  const context ctx = context::cuda();
  for (const index_t k : {1024, 1025, 20000, 32768, 32769, 100000})
    check_log_product<float>(ctx, launch, drawn<float>(20, k, 5, within(4)),
                             drawn<float>(k, 10, 6, [](problems::generator&) { return 0.0; }));
}

// Sums of ranges of k, of which some elements have no proof.
TEST(log_sums_on_cuda, a_million_terms) {
  SKIP_WITHOUT_THE_KERNEL();
  const context ctx = context::cuda();
  constexpr index_t k = 1 << 20;
  auto a = drawn<float>(3, k, 11, within(1)),
       b = drawn<float>(k, 2, 12, [](problems::generator& g) { return g.real(); });
  check_log_product<float>(ctx, launch, a, b);
  a(1, k - 5) = 300, b(17, 1) = 200;
  check_log_product<float>(ctx, launch, a, b);
}

TEST(log_sums_on_cuda, infinities_and_nan) {
  SKIP_WITHOUT_THE_KERNEL();
  check_log_infinities<float>(context::cuda(), launch);
}

// By the public call: options, and products that are large enough.
TEST(log_sums_on_cuda, through_gemm) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = drawn<float>(600, 400, 9, within(3)), b = drawn<float>(400, 500, 10, within(3));
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  device_matrix<float> c(ctx, 600, 500);
  gemm(ctx, S{}, da, db, c);
  const auto plain = to_host(ctx, c);
  expect_log_sums(a, b, plain, 7);
  const auto before = drawn<float>(600, 500, 11, within(10));
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
    expect_log_sums(one, one, result, 11);
  }
}

}  // namespace
}  // namespace kleene::test::log_sums_gpu_test
