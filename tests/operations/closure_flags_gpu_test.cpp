// What a batch of closures on a device says of its matrices where some have no closure, or none that fits.
#include "kleene/operations/closure.hpp"

#include "support/device.hpp"

namespace kleene::test {
namespace {

TEST(closure_on_cuda, a_batch_says_which_matrices_diverge) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {20, 150}) {
    batch<float> graphs({50, n, n}, min_plus<float>::zero());
    for (index_t b = 0; b < 50; ++b)
      for (index_t i = 0; i + 1 < n; ++i)
        graphs(b, i, i + 1) = 1, graphs(b, i + 1, i) = b % 10 == 3 && i == n / 2 ? -2 : 1;
    auto on_cpu = graphs;
    const auto cpu = closure(context::cpu({.threads = 2}), min_plus<float>{}, on_cpu);
    auto a = to_device(ctx, graphs);
    const auto info = closure(ctx, min_plus<float>{}, a);
    ASSERT_FALSE(info.exists);
    ASSERT_EQ(info.diverging.size(), 50u);
    for (index_t b = 0; b < 50; ++b) {
      EXPECT_EQ(info.diverging[b] >= 0, b % 10 == 3) << b;
      EXPECT_EQ(cpu.diverging[b] >= 0, b % 10 == 3) << b;
    }
    EXPECT_EQ(to_host(ctx, a)(0, 0, n - 1), static_cast<float>(n - 1));
  }
}

TEST(closure_on_cuda, a_batch_with_one_result_that_is_too_large) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const std::int32_t far = std::numeric_limits<std::int32_t>::max() / 8 - 1;
  for (const index_t n : {20, 150}) {
    batch<std::int32_t> graphs({50, n, n}, min_plus<std::int32_t>::zero());
    for (index_t b = 0; b < 50; ++b) graphs(b, 0, 1) = graphs(b, 1, 2) = b == 31 ? far : 1;
    auto a = to_device(ctx, graphs);
    EXPECT_EQ(refusal<value_error>(fault_code::bad_input, [&] { (void)closure(ctx, min_plus<std::int32_t>{}, a); }),
              "min_plus: a finite result is too large for the element type; use a wider one (i32 holds lengths within "
              "268435454 of 0)");
  }
}

}  // namespace
}  // namespace kleene::test
