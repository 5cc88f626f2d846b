// Epilogues of a user's own: their types, their places, and what they throw.
#include "kernels/user_rings.hpp"

#include <stdexcept>

namespace kleene::test::gemm_user_epilogues_test {
namespace {

struct floor_plus_place {
  std::int64_t operator()(float value, index_t i, index_t j) const {
    return std::int64_t(value) + 1000 * i + 1000000 * j;
  }
};

TEST(gemm_user, epilogues_change_the_type_and_know_the_place) {
  for (const std::string_view isa : instruction_sets())
    for (const bool tall : {false, true}) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      const index_t m = tall ? 70 : 15, n = tall ? 15 : 70;
      const auto a = problems::random_matrix<plus_times<float>>(m, 600, distribution::small_integers, 1);
      const auto b = problems::random_matrix<plus_times<float>>(600, n, distribution::small_integers, 2);
      matrix<float> plain(m, n);
      matrix<std::int64_t> c(m, n, -5), want(m, n, -5);
      matrix<bool> mask(m, n, true);
      mask(3, 4) = false;
      gemm(ctx, plus_times<float>{}, a, b, plain);
      gemm(ctx, plus_times<float>{}, a, b, c, gemm_options<float, floor_plus_place>{.mask = mask});
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j)
          if (mask(i, j)) want(i, j) = floor_plus_place{}(plain(i, j), i, j);
      EXPECT_TRUE(equal(c, want));
      // The element type of the options may be left to the algebra.
      gemm(ctx, plus_times<float>{}, a, b, c, gemm_options<none, floor_plus_place>{.mask = mask, .replace = true});
      want(3, 4) = 0;
      EXPECT_TRUE(equal(c, want));
    }
}

// Made of nothing: an epilogue may give it, but the algebra's zero() does not turn into it.
struct opaque {
  opaque() = default;
  explicit opaque(float*) {}
};
struct to_opaque {
  opaque operator()(float, index_t, index_t) const { return {}; }
};

// A thread that throws leaves the others at their work, and what it threw arrives at the caller.
TEST(gemm_user, what_an_epilogue_throws_arrives) {
  const matrix<float> a(200, 50, 1.0f), b(50, 150, 2.0f);
  batch<float> many(9, 200, 150);
  matrix<float> c(200, 150);
  for (const int threads : {1, 2, 3}) {
    const context ctx = context::cpu({.threads = threads});
    auto throws = [](float value, index_t i, index_t j) {
      if (i == 3 && j >= 3) throw std::range_error("epilogue at 3");
      return value;
    };
    try {
      gemm(ctx, shortest{}, a, b, c, gemm_options<none, decltype(throws)>{.epilogue = throws});
      ADD_FAILURE() << "nothing was thrown by " << threads;
    } catch (const std::range_error& e) {
      EXPECT_STREQ(e.what(), "epilogue at 3");
    }
    EXPECT_THROW(gemm(ctx, shortest{}, a, b, many, gemm_options<none, decltype(throws)>{.epilogue = throws}),
                 std::range_error);
    auto one_more = [](float value, index_t, index_t) { return value + 1; };
    gemm(ctx, shortest{}, a, b, c, gemm_options<none, decltype(one_more)>{.epilogue = one_more});
    EXPECT_EQ(c(199, 149), 4);
  }
}

TEST(gemm_user, replace_needs_a_c_that_can_hold_zero) {
  const matrix<float> a{{1}};
  const matrix<bool> mask{{false}};
  matrix<opaque> c(1, 1);
  const std::string said = refusal<argument_error>(fault_code::bad_input, [&] {
    gemm(context::cpu(), min_plus<float>{}, a, a, c, gemm_options<float, to_opaque>{.mask = mask, .replace = true});
  });
  EXPECT_TRUE(contains(said, "zero()")) << said;
}

}  // namespace
}  // namespace kleene::test::gemm_user_epilogues_test
