// Epilogues that are lambdas: with captures they can neither be made from nothing nor assigned.
#include "kleene/operations/own/gemm.inl.hpp"
#include "support/equal.hpp"

namespace kleene::test::epilogue_lambdas_test {
namespace {

// gemm_options{.epilogue = f} for compilers that do not deduce an aggregate's arguments (clang before 17).
template <class F>
auto options_with(F f) {
  return gemm_options<none, F>{.epilogue = f};
}

TEST(epilogue_lambdas, may_capture_by_value_and_by_reference) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<float> a{{1, 5}, {2, 3}};
  matrix<float> c(2, 2);
  const float more = 10;
  gemm(ctx, min_plus<float>{}, a, a, c,
       options_with([more](float value, index_t row, index_t) { return value + more * float(row); }));
  EXPECT_TRUE(equal(c, matrix<float>{{2, 6}, {13, 16}}));  // min(1 + 1, 5 + 2), min(1 + 5, 5 + 3); 3 + 10, 6 + 10
  float seen = 0;
  gemm(ctx, min_plus<float>{}, a, a, c,
       options_with([&](float value, index_t, index_t) { return seen += value, value; }));
  EXPECT_EQ(seen, 17);  // 2 + 6 + 3 + 6
}

}  // namespace
}  // namespace kleene::test::epilogue_lambdas_test
