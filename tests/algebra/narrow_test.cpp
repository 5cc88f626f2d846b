// Tropical integers of 8 and 16 bits, by hand.
#include "kleene/algebra/catalog.hpp"

#include <gtest/gtest.h>

namespace kleene::narrow_test {
namespace {

template <class S>
bool agrees(int value, bool inside) {
  return S::in_domain(static_cast<value_of<S>>(value)) == inside;
}

TEST(narrow, what_they_hold) {
  EXPECT_EQ(min_plus<u8>::zero(), 127);
  EXPECT_EQ(min_plus<u16>::zero(), 32767);
  EXPECT_EQ(min_plus<i8>::zero(), 63);
  EXPECT_EQ(max_plus<i8>::zero(), -63);
  EXPECT_EQ(min_plus<i16>::zero(), 16383);
  EXPECT_EQ(max_plus<i16>::zero(), -16383);
  for (const auto& [value, inside] :
       {std::pair{0, true}, {63, true}, {64, false}, {126, false}, {127, true}, {128, false}})
    EXPECT_TRUE(agrees<min_plus<u8>>(value, inside)) << value;
  for (const auto& [value, inside] : {std::pair{16383, true}, {16384, false}, {32766, false}, {32767, true}})
    EXPECT_TRUE(agrees<min_plus<u16>>(value, inside)) << value;
  for (const auto& [value, inside] :
       {std::pair{14, true}, {15, false}, {63, true}, {-14, true}, {-15, false}, {-63, false}})
    EXPECT_TRUE(agrees<min_plus<i8>>(value, inside)) << value;
  for (const auto& [value, inside] :
       {std::pair{4094, true}, {4095, false}, {-16383, true}, {-4094, true}, {-4095, false}})
    EXPECT_TRUE(agrees<max_plus<i16>>(value, inside)) << value;
}

// Every sum of two values that a type holds: finite ones are told from infinite ones, and nothing wraps.
template <class S>
void check_sums() {
  using T = value_of<S>;
  const auto infinite = [](int v) { return v == S::zero(); };
  const int low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  for (int x = low; x <= high; ++x) {
    if (!S::in_domain(T(x))) continue;
    for (int y = low; y <= high; ++y) {
      if (!S::in_domain(T(y))) continue;
      const T sum = S::mul(T(x), T(y));
      const bool is_infinite = infinite(x) || infinite(y);
      ASSERT_EQ(S::normalise(sum) == S::zero(), is_infinite) << x << " " << y;
      if (is_infinite) {
        ASSERT_FALSE(S::overflows(sum)) << x << " " << y;
        continue;
      }
      ASSERT_EQ(sum, x + y);
      ASSERT_EQ(S::normalise(sum), x + y);
      ASSERT_EQ(S::overflows(sum), !S::in_domain(T(x + y))) << x << " " << y;
    }
  }
}
TEST(narrow, sums_of_bytes) {
  check_sums<min_plus<u8>>();
  check_sums<min_plus<i8>>();
  check_sums<max_plus<i8>>();
}

// The largest and smallest of 16 bits.
template <class S>
void check_ends() {
  using T = value_of<S>;
  const int most = S::range::limit - 1, infinity = S::zero();
  EXPECT_EQ(S::normalise(S::mul(T(most), T(most))), 2 * most);
  EXPECT_TRUE(S::overflows(S::mul(T(most), T(1))));
  EXPECT_FALSE(S::overflows(S::mul(T(most), T(0))));
  for (const int other : {infinity, most, std::is_signed_v<T> ? -most : 0})
    EXPECT_EQ(S::normalise(S::mul(T(infinity), T(other))), infinity) << other;
}
TEST(narrow, sums_of_16_bits) {
  check_ends<min_plus<u16>>();
  check_ends<min_plus<i16>>();
  check_ends<max_plus<i16>>();
}

TEST(narrow, minimax_has_the_whole_range) {
  EXPECT_EQ((min_max<u8>::zero()), 255);
  EXPECT_EQ((max_min<u8>::one()), 255);
  EXPECT_EQ((min_max<i16>::zero()), 32767);
  EXPECT_EQ((min_max<i16>::one()), -32768);
}

}  // namespace
}  // namespace kleene::narrow_test
