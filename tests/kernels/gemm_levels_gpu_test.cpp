// The CUDA product at the levels that KLEENE_TEST_LEVEL asks for. Every row of the table of tile policies with every
// algebra and type: simt_rows_gpu_test.cu.in.
#include "kleene/algebra/catalog.hpp"
#include "support/device.hpp"
#include "support/product_levels.hpp"

namespace kleene::test {
namespace {

template <class Run>
void over_every_algebra(const Run& run) {
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if (!testing::Test::HasFailure())
      run(s, [&](const product_case<S>& p) { check_on_device<S>(ctx, p, bound_of<S>(p.k)); });
  });
}

TEST(gemm_on_cuda_at_level_1, every_layout_with_every_other) {
  KLEENE_NEEDS_GPU();
  if (KLEENE_TEST_LEVEL < 1) GTEST_SKIP() << "KLEENE_TEST_LEVEL is 0";
  over_every_algebra([](auto s, const auto& check) { cross_layouts<decltype(s)>(check); });
}

TEST(gemm_on_cuda_at_level_2, drawn_products) {
  KLEENE_NEEDS_GPU();
  if (KLEENE_TEST_LEVEL < 2) GTEST_SKIP() << "KLEENE_TEST_LEVEL is below 2";
  over_every_algebra([](auto s, const auto& check) { draw_products<decltype(s)>(1000, check); });
}

}  // namespace
}  // namespace kleene::test
