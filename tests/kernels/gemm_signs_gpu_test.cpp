// Sign classes: whatever the signs of the operands, found by the device or promised, the product equals the reference.
#include "kleene/operations/gemm.hpp"

#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Every element of A and B is drawn from a list; C on the device against C on the host's reference.
template <class S>
void check_values(const context& ctx, const std::vector<float>& values_a, const std::vector<float>& values_b,
                  std::optional<sign_class> signs = {}) {
  for (const bool witness : {false, true}) {
    if (!sampled()) continue;
    product_case<S> p{.m = 70, .n = 66, .k = 40, .witness = witness};
    product_operands<S> got(p), want(p);
    problems::generator g(11);
    for (auto* operands : {&got, &want}) {
      problems::generator g(11);
      for (index_t i = 0; i < p.m; ++i)
        for (index_t k = 0; k < p.k; ++k) operands->a.at(0, i, k) = values_a[g.below(values_a.size())];
      for (index_t k = 0; k < p.k; ++k)
        for (index_t j = 0; j < p.n; ++j) operands->b.at(0, k, j) = values_b[g.below(values_b.size())];
    }
    run_on_device(ctx, got, signs);
    ASSERT_EQ(want.run_reference(), status::ok);
    EXPECT_TRUE(equal(got.c.buffer, want.c.buffer))
        << S::name << " of " << testing::PrintToString(values_a) << " and " << testing::PrintToString(values_b);
    EXPECT_TRUE(equal(got.witness.buffer, want.witness.buffer)) << S::name;
  }
}

const std::vector<float> lists[] = {{0, 1, 2.5f},
                                    {0.0f, -0.0f},
                                    {-0.0f},
                                    {0, 3, inf},
                                    {-1, -2, -0.5f},
                                    {-1, 0.0f, -0.0f, -inf},
                                    {-3, 3},
                                    {inf, -inf, 1, -1},
                                    {nan, 1, 2},
                                    {nan, -1, -2},
                                    {inf},
                                    {-inf},
                                    {1e38f, 3e38f},
                                    {-1e38f, -3e38f},
                                    {1e-45f, -1e-45f, 0.0f},
                                    {nan, inf, -inf, 0, -0.0f, 5, -5}};

template <class S>
void check_all(bool non_negative_only) {
  const context ctx = context::cuda();
  for (const auto& a : lists)
    for (const auto& b : lists) {
      const auto fits = [&](float x) { return !non_negative_only || x >= 0; };
      if (std::all_of(a.begin(), a.end(), fits) && std::all_of(b.begin(), b.end(), fits)) check_values<S>(ctx, a, b);
    }
}

TEST(gemm_signs, min_plus) {
  KLEENE_NEEDS_GPU();
  check_all<min_plus<float>>(false);
}
TEST(gemm_signs, max_plus) {
  KLEENE_NEEDS_GPU();
  check_all<max_plus<float>>(false);
}
TEST(gemm_signs, min_max) {
  KLEENE_NEEDS_GPU();
  check_all<min_max<float>>(false);
}
TEST(gemm_signs, max_min) {
  KLEENE_NEEDS_GPU();
  check_all<max_min<float>>(false);
}
TEST(gemm_signs, min_times) {
  KLEENE_NEEDS_GPU();
  check_all<min_times<float>>(true);
}
TEST(gemm_signs, max_times) {
  KLEENE_NEEDS_GPU();
  check_all<max_times<float>>(true);
}

TEST(gemm_signs, promises) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using enum sign_class;
  check_values<min_plus<float>>(ctx, {0, 1, inf}, {0.0f, -0.0f, 7}, non_negative);
  check_values<max_plus<float>>(ctx, {0, 1, -inf}, {0.0f, -0.0f, 7}, non_negative);
  check_values<max_plus<float>>(ctx, {-1, 0, -inf}, {-0.0f, -7}, non_positive);
  check_values<min_plus<float>>(ctx, {-1, 0, 2}, {-0.0f, -7}, any);
  check_values<min_plus<float>>(ctx, {-1, 0}, {-0.0f, -7}, non_positive);  // no atom for it: as good as unsaid
}

}  // namespace
}  // namespace kleene::test
