// Numbers that carry their algebra.
#include "kleene/algebra/numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace kleene::numbers_test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

TEST(numbers, the_example_of_the_header) {
  const tropical<float> a = 3, b = 4;
  EXPECT_EQ((a + b).value, 3);
  EXPECT_EQ((a * b).value, 7);
  EXPECT_EQ(tropical<float>().value, inf);
}

// 3 and 5 miles: the shorter way, and the longer one. Julia's Tropical is the latter.
TEST(numbers, the_two_tropical_semirings) {
  EXPECT_EQ((tropical_min<float>(3) + 5).value, 3);
  EXPECT_EQ((tropical_max<float>(3) + 5).value, 5);
  EXPECT_EQ((tropical_min<float>(3) * 5).value, 8);
  EXPECT_EQ((tropical_max<float>(3) * 5).value, 8);
  EXPECT_EQ(tropical_min<float>::zero(), inf);
  EXPECT_EQ(tropical_max<float>::zero(), -inf);
  static_assert(std::is_same_v<tropical<float>, tropical_min<float>>);
}

// As in products of matrices: what is no number is no candidate, in whatever order it is added.
TEST(numbers, products_that_are_no_numbers_are_zero) {
  EXPECT_EQ((tropical_min<float>(inf) * -inf).value, inf);
  EXPECT_EQ((tropical_max<float>(inf) * -inf).value, -inf);
  EXPECT_EQ((reliability<float>(0) * inf).value, 0);
  EXPECT_EQ((tropical_min<float>(inf) * -inf + 3).value, 3);
  EXPECT_TRUE(std::isnan((number<plus_times<float>>(0) * inf).value));
}

// And sums: in whatever order they are added.
TEST(numbers, sums_with_what_is_no_number_leave_it_out) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ((tropical_min<float>(nan) + 3).value, 3);
  EXPECT_EQ((tropical_min<float>(3) + nan).value, 3);
  EXPECT_EQ((tropical_max<float>(nan) + 3).value, 3);
  EXPECT_EQ((reliability<float>(nan) + 3).value, 3);
  EXPECT_EQ((bottleneck<float>(nan) + 3).value, 3);
  EXPECT_EQ((tropical_min<float>(nan) + nan).value, inf);
  EXPECT_TRUE(std::isnan((number<plus_times<float>>(nan) + 3).value));
}

TEST(numbers, are_their_value_in_memory) {
  static_assert(sizeof(tropical<double>) == sizeof(double) && sizeof(boolean) == 1 && sizeof(gf2) == 1);
  static_assert(std::is_trivially_copyable_v<reliability<float>>);
  std::array<tropical<float>, 2> pair{1, 2};
  EXPECT_EQ(reinterpret_cast<const float*>(pair.data())[1], 2);
}

TEST(numbers, identities) {
  EXPECT_EQ(tropical<float>::zero(), inf);
  EXPECT_EQ(tropical<float>::one(), 0);
  EXPECT_EQ(tropical<int>().value, 1073741823);
  EXPECT_EQ(tropical_max<int>().value, -1073741823);
  EXPECT_EQ(tropical_max<double>::zero().value, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(reliability<float>::one(), 1);
  EXPECT_EQ(bottleneck<float>::one(), inf);
  EXPECT_EQ(bottleneck<float>().value, -inf);
  EXPECT_EQ(log_number<float>::one(), 0);
  EXPECT_EQ(boolean().value, false);
  EXPECT_EQ(gf2::one().value, true);
}

TEST(numbers, integers_stay_infinite) {
  const tropical<int> far, near = -5;
  EXPECT_EQ(far * near, far);
  EXPECT_EQ(far * far, far);
  EXPECT_EQ(far + near, near);
}

TEST(numbers, each_kind_computes_over_its_algebra) {
  EXPECT_EQ(tropical_max<float>(3) + 4, 4);
  EXPECT_EQ(reliability<float>(0.5f) * 0.5f, 0.25f);
  EXPECT_EQ(reliability<float>(0.5f) + 0.25f, 0.5f);
  EXPECT_EQ(bottleneck<int>(3) * 4, 3);
  EXPECT_EQ(bottleneck<int>(3) + 4, 4);
  EXPECT_EQ(boolean(true) + true, true);
  EXPECT_EQ(gf2(true) + true, false);
  EXPECT_EQ(gf2(true) * true, true);
  EXPECT_NEAR((log_number<double>(0) + 0).value, std::log(2.0), 1e-15);
}

TEST(numbers, ordinary_code_takes_them) {
  const std::vector<tropical<float>> lengths{5, 2, 9};
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), tropical<float>::zero()), 2);
  tropical<float> walk = tropical<float>::one();
  for (const auto length : lengths) walk *= length;
  EXPECT_EQ(walk, 16);
  walk += 3;
  EXPECT_EQ(walk, 3);
}

}  // namespace
}  // namespace kleene::numbers_test
