// The CPU product at the levels that KLEENE_TEST_LEVEL asks for: every algebra, type and instruction set.
#include "kleene/algebra/catalog.hpp"
#include "support/product_levels.hpp"

namespace kleene::test::gemm_levels_test {
namespace {

template <class Run>
void on_every_instruction_set([[maybe_unused]] const Run& run) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for_each_algebra([&](auto s) {
      using S = decltype(s);
      if (!testing::Test::HasFailure())
        run(s, [&](const product_case<S>& p) { check_product<S>(ctx, p, bound_of<S>(p.k)); });
    });
  }
}

TEST(gemm_at_level_1, every_layout_with_every_other) {
  if (KLEENE_TEST_LEVEL < 1) GTEST_SKIP() << "KLEENE_TEST_LEVEL is 0";
  on_every_instruction_set([](auto s, const auto& check) { cross_layouts<decltype(s)>(check); });
}

TEST(gemm_at_level_2, drawn_products) {
  if (KLEENE_TEST_LEVEL < 2) GTEST_SKIP() << "KLEENE_TEST_LEVEL is below 2";
  on_every_instruction_set([](auto s, const auto& check) { draw_products<decltype(s)>(1000, check); });
}

}  // namespace
}  // namespace kleene::test::gemm_levels_test
