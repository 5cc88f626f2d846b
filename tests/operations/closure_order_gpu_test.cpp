// The block order of closures on a device is the CPU's, for all sizes of matrices and blocks: sums that round are equal
// to the last bit. (tests/operations/closure_order_test.cpp holds the CPU to the contract.)
#include "kleene/operations/closure.hpp"

#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

using S = min_plus<float>;
constexpr index_t sizes[] = {1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 200};
constexpr index_t blocks[] = {0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 100, 128, 1000};

matrix<float> rounding_weights(index_t n, index_t seed) {
  return problems::random_matrix<S>(n, n, distribution::uniform, static_cast<std::uint64_t>(17 * n + seed));
}

TEST(closure_order_on_cuda, is_the_cpus) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu({.threads = 2});
  for (const index_t n : sizes)
    for (const index_t block : blocks) {
      if (!sampled()) continue;
      matrix<float> want = rounding_weights(n, 0);
      auto a = to_device(ctx, want);
      ASSERT_TRUE(closure(cpu, S{}, want, {.block = block}).exists);
      ASSERT_TRUE(closure(ctx, S{}, a, {.block = block}).exists);
      EXPECT_TRUE(equal(to_host(ctx, a), want)) << "n " << n << " block " << block;
    }
}

TEST(closure_order_on_cuda, is_the_cpus_in_batches) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu({.threads = 2});
  for (const index_t n : sizes)
    for (const index_t block : blocks) {
      if (!sampled()) continue;
      batch<float> want({3, n, n}, S::zero());
      const std::vector<std::int32_t> of{static_cast<std::int32_t>(n), static_cast<std::int32_t>(n / 2),
                                         static_cast<std::int32_t>(n - 1)};
      for (index_t b = 0; b < 3; ++b) {
        const matrix<float> one = rounding_weights(n, b);
        for (index_t i = 0; i < n; ++i)
          for (index_t j = 0; j < n; ++j) want(b, i, j) = one(i, j);
      }
      auto a = to_device(ctx, want);
      ASSERT_TRUE(closure(cpu, S{}, want, {.sizes = of, .block = block}).exists);
      ASSERT_TRUE(closure(ctx, S{}, a, {.sizes = of, .block = block}).exists);
      const auto got = to_host(ctx, a);
      const auto as_rows = [&](const batch<float>& m) { return matrix_view<const float>(m.data(), {3 * n, n}); };
      EXPECT_TRUE(equal(as_rows(got), as_rows(want))) << "n " << n << " block " << block;
    }
}

}  // namespace
}  // namespace kleene::test
