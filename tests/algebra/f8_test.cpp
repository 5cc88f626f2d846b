// Floats of 8 bits against their definitions: every bit pattern, rounding against a plain search among all of them, and
// literals of the standard.
#include "kleene/algebra/f8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kleene::f8_test {
namespace {

template <class T>
inline constexpr int exponent_bits = 0;
template <>
inline constexpr int exponent_bits<f8_e4m3> = 4;
template <>
inline constexpr int exponent_bits<f8_e5m2> = 5;

// What a pattern means, as OFP8 has it: (-1)^s 2^(e - bias) 1.m, and without the 1 where e is 0. The last exponent of
// e5m2 is for infinities and NaN, of e4m3 only its last significand, for NaN.
template <class T>
double defined(std::uint32_t bits) {
  constexpr int written = 7 - exponent_bits<T>, bias = (1 << (exponent_bits<T> - 1)) - 1;
  const int exponent = static_cast<int>(bits >> written & ((1u << exponent_bits<T>)-1));
  const double fraction = bits & ((1u << written) - 1), sign = bits & 0x80u ? -1 : 1;
  if (std::is_same_v<T, f8_e4m3> && (bits & 0x7F) == 0x7F) return std::numeric_limits<double>::quiet_NaN();
  if (std::is_same_v<T, f8_e5m2> && exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - written);
  return sign * std::ldexp(fraction + (1 << written), exponent - bias - written);
}

template <class T>
class f8 : public testing::Test {};
using types = testing::Types<f8_e4m3, f8_e5m2>;
TYPED_TEST_SUITE(f8, types);

TYPED_TEST(f8, every_pattern_is_its_float_and_comes_back) {
  using T = TypeParam;
  int numbers = 0;
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const T x = T::from_bits(static_cast<std::uint8_t>(bits));
    const float value = x;
    const double meant = defined<T>(bits);
    if (std::isnan(meant)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(float(T(value)))) << bits;
      EXPECT_TRUE(std::isnan(float(T(double(value))))) << bits;
      EXPECT_EQ(T(value).bits >> 7, bits >> 7) << bits;
      continue;
    }
    EXPECT_EQ(double(value), meant) << bits;
    EXPECT_EQ(std::signbit(value), std::signbit(meant)) << bits;
    if (std::isinf(meant)) {
      EXPECT_EQ(T(value), meant > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest());
      continue;
    }
    EXPECT_EQ(T(value).bits, bits);
    EXPECT_EQ(T(meant).bits, bits);
    ++numbers;
  }
  EXPECT_EQ(numbers, (std::is_same_v<T, f8_e4m3> ? 254 : 248));
}

// The finite value nearest to x, ties to an even pattern, by looking at all of them.
template <class T>
std::uint8_t nearest(double x) {
  const std::uint8_t sign = std::signbit(x) ? 0x80 : 0;
  const double size = std::min(std::abs(x), 1e6);  // beyond that all are as far away in double
  int best = 0;
  for (int bits = 1; bits < 128; ++bits) {
    const double value = defined<T>(bits);
    if (!std::isfinite(value)) continue;
    const double here = std::abs(value - size), there = std::abs(defined<T>(best) - size);
    if (here < there || (here == there && bits % 2 == 0)) best = bits;
  }
  return static_cast<std::uint8_t>(sign | best);
}

TYPED_TEST(f8, rounds_to_the_nearest_and_saturates) {
  using T = TypeParam;
  const auto check = [](double x) {
    const auto narrow = static_cast<float>(x);
    EXPECT_EQ(T(x).bits, nearest<T>(x)) << x;
    EXPECT_EQ(T(narrow).bits, nearest<T>(narrow)) << narrow;
  };
  for (int low = 0; low + 1 < 128; ++low) {
    const double a = defined<T>(low), b = defined<T>(low + 1);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    for (const double sign : {-1.0, 1.0}) {
      for (const double x : {a + (b - a) / 4, (a + b) / 2, a + 3 * (b - a) / 4}) check(sign * x);
      check(sign * std::nextafter((a + b) / 2, 0.0));
      check(sign * std::nextafter((a + b) / 2, 1e9));
      check(sign * double(std::nextafter(static_cast<float>((a + b) / 2), 0.0f)));
      check(sign * double(std::nextafter(static_cast<float>((a + b) / 2), 1e9f)));
    }
  }
  for (const double x : {0.0, -0.0, 1e-300, -1e-45, 449.0, -464.0, 480.0, 57345.0, 61440.0, -65536.0, 1e30, -1e300})
    check(x);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(T(infinity).bits, nearest<T>(1e300));
  EXPECT_EQ(T(-infinity).bits, nearest<T>(-1e300));
}

TEST(f8, literals) {
  // clang-format off
  constexpr struct { std::uint8_t bits; double value; } e4m3[] = {
      {0x00, 0.0}, {0x01, 0x1p-9}, {0x07, 0x7p-9}, {0x08, 0x1p-6}, {0x38, 1.0}, {0x39, 1.125}, {0x45, 3.25},
      {0x7E, 448.0}, {0xC0, -2.0}, {0xFE, -448.0}};
  constexpr struct { std::uint8_t bits; double value; } e5m2[] = {
      {0x00, 0.0}, {0x01, 0x1p-16}, {0x03, 0x3p-16}, {0x04, 0x1p-14}, {0x3C, 1.0}, {0x3D, 1.25}, {0x42, 3.0},
      {0x7B, 57344.0}, {0xC0, -2.0}, {0xFB, -57344.0}};
  // clang-format on
  for (const auto& [bits, value] : e4m3) EXPECT_EQ(f8_e4m3(value).bits, bits) << value;
  for (const auto& [bits, value] : e5m2) EXPECT_EQ(f8_e5m2(value).bits, bits) << value;
  EXPECT_EQ(f8_e4m3(-0.0f).bits, 0x80);
  EXPECT_EQ(f8_e5m2(-0.0f).bits, 0x80);
  EXPECT_EQ(f8_e4m3(0x1p-10).bits, 0x00) << "a tie with zero, which is even";
  EXPECT_EQ(f8_e4m3(0x3p-10).bits, 0x02);
  EXPECT_EQ(f8_e4m3(1000).bits, 0x7E);
  EXPECT_EQ(f8_e5m2(bf16(1e38f)).bits, 0x7B);
  EXPECT_EQ(float(f8_e5m2::from_bits(0xFC)), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(f8_e4m3(17).bits, f8_e4m3(16).bits);
  EXPECT_EQ(f8_e4m3(1.0625 + 0x1p-40).bits, 0x39) << "in float this is a tie";
}

TEST(f8, computes_and_compares_as_the_float_that_it_is) {
  constexpr f8_e4m3 two(2), three(3);
  static_assert(two * three == 6.0f && two < three && two != three && -two == -2.0f);
  static_assert(std::is_same_v<decltype(two * three), float> && !std::is_convertible_v<float, f8_e4m3>);
  EXPECT_TRUE(f8_e5m2(-0.0f) == f8_e5m2(0.0f));
}

TEST(f8, limits) {
  using E4 = std::numeric_limits<f8_e4m3>;
  using E5 = std::numeric_limits<f8_e5m2>;
  static_assert(E4::is_specialized && E4::is_signed && !E4::is_integer && !E4::is_exact && !E4::is_iec559);
  static_assert(!E4::has_infinity && E4::has_quiet_NaN && E5::has_infinity && E5::has_quiet_NaN);
  static_assert(E4::digits == 4 && E4::max_digits10 == 3 && E5::digits == 3 && E5::max_digits10 == 2);
  static_assert(E4::max_exponent == 9 && E4::min_exponent == -5 && E5::max_exponent == 16 && E5::min_exponent == -13);
  EXPECT_EQ(double(E4::max()), 448.0);
  EXPECT_EQ(double(E4::lowest()), -448.0);
  EXPECT_EQ(double(E4::min()), 0x1p-6);
  EXPECT_EQ(double(E4::denorm_min()), 0x1p-9);
  EXPECT_EQ(double(E4::epsilon()), 0x1p-3);
  EXPECT_EQ(E4::quiet_NaN().bits, 0x7F);
  EXPECT_EQ(double(E5::max()), 57344.0);
  EXPECT_EQ(double(E5::lowest()), -57344.0);
  EXPECT_EQ(double(E5::min()), 0x1p-14);
  EXPECT_EQ(double(E5::denorm_min()), 0x1p-16);
  EXPECT_EQ(double(E5::epsilon()), 0x1p-2);
  EXPECT_EQ(E5::infinity().bits, 0x7C);
  EXPECT_TRUE(std::isnan(float(E5::quiet_NaN())) && std::isnan(float(E5::signaling_NaN())));
}

}  // namespace
}  // namespace kleene::f8_test
