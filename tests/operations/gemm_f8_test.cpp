// Products over floats of 8 bits on the CPU, against the reference, on values whose sums are exact; into a C of 16
// bits, where they are narrowed once, after everything else.
#include "kleene/operations/own/gemm.inl.hpp"
#include "support/product.hpp"

namespace kleene::test::gemm_f8_test {
namespace {

using S = plus_times<f8_e4m3>;
static_assert(std::is_same_v<accumulator_of<S>, float> && std::is_same_v<scalar_of<S>, float>);
static_assert(kernels::c_may_hold<S, float> && kernels::c_may_hold<S, f8_e4m3> && kernels::c_may_hold<S, f16>);
static_assert(!kernels::c_may_hold<S, double> && !kernels::c_may_hold<S, f8_e5m2>);
static_assert(!kernels::c_may_hold<plus_times<bf16>, f16> && !kernels::c_may_hold<plus_times<i8>, bf16>);

TEST(gemm_f8, sizes_layouts_and_options) {
  const context ctx = context::cpu({.threads = 2});
  constexpr index_t sizes[][3] = {{1, 1, 1}, {1, 40, 5}, {40, 1, 5}, {5, 7, 0}, {13, 47, 7}, {37, 65, 1100}};
  for (const auto& [m, n, k] : sizes)
    for (const layout a : {layout::row, layout::column, layout::reversed})
      for (const layout c : output_layouts) {
        product_case<S, bf16> p{.m = m, .n = n, .k = k, .batch = 2, .a = a, .b = c, .c = c};
        check_product<S, bf16>(ctx, p);
        p.accumulate = true;
        check_product<S, bf16>(ctx, p);
        p.alpha = 2.0f, p.accumulate = false, p.source = true, p.beta = 3.0f;
        check_product<S, bf16>(ctx, p);
        p.mask = p.complement = p.replace = true;
        check_product<S, bf16>(ctx, p);
      }
}

// alpha and D come before the narrowing: 3 * 171 + 1 = 514 is 512 or 516 in bf16, and 171 is 171.
TEST(gemm_f8, narrows_once) {
  const matrix<f8_e4m3> a(1, 19, f8_e4m3(9.0f)), b(19, 1, f8_e4m3(1.0f));
  matrix<bf16> c(1, 1, bf16(1.0f));
  gemm(context::cpu(), S{}, a, b, c, {.accumulate = true, .alpha = 3.0f});
  EXPECT_EQ(float(c(0, 0)), 512);
  c(0, 0) = bf16(0.25f);
  gemm(context::cpu(), S{}, a, b, c, {.alpha = 3.0f, .beta = 9.0f, .source = c});  // 515.25
  EXPECT_EQ(float(c(0, 0)), 516);
}

}  // namespace
}  // namespace kleene::test::gemm_f8_test
