// f16 and bf16 against their definitions: every bit pattern, every tie between two neighbours, and literals.
#include "kleene/algebra/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace kleene::half_test {
namespace {

// Bits of exponent, written bits of significand.
template <class T>
inline constexpr int exponent_bits = 0;
template <>
inline constexpr int exponent_bits<f16> = 5;
template <>
inline constexpr int exponent_bits<bf16> = 8;

template <class T>
T pattern(std::uint32_t bits) {
  return T::from_bits(static_cast<std::uint16_t>(bits));
}

// What a pattern means, as IEEE 754 has it: (-1)^s 2^(e - bias) 1.m, and without the 1 where e is 0.
template <class T>
double defined(std::uint32_t bits) {
  constexpr int written = 15 - exponent_bits<T>, bias = (1 << (exponent_bits<T> - 1)) - 1;
  const int exponent = static_cast<int>(bits >> written & ((1u << exponent_bits<T>)-1));
  const double fraction = bits & ((1u << written) - 1), sign = bits & 0x8000u ? -1 : 1;
  if (exponent == (1 << exponent_bits<T>)-1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - written);
  return sign * std::ldexp(fraction + (1 << written), exponent - bias - written);
}

template <class T>
void check_every_pattern() {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const T x = pattern<T>(bits);
    const float value = x;
    const double meant = defined<T>(bits);
    if (std::isnan(meant)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(float(T(value)))) << bits;
      ASSERT_TRUE(std::isnan(float(T(double(value))))) << bits;
      ASSERT_FALSE(x == x) << bits;
      ASSERT_EQ(T(value).bits >> 15, bits >> 15) << bits;
      continue;
    }
    ASSERT_EQ(double(value), meant) << bits;
    ASSERT_EQ(std::signbit(value), std::signbit(meant)) << bits;
    ASSERT_EQ(T(value).bits, bits);
    ASSERT_EQ(T(meant).bits, bits);
  }
}
TEST(half, every_pattern_of_f16_is_its_float_and_comes_back) { check_every_pattern<f16>(); }
TEST(half, every_pattern_of_bf16_is_its_float_and_comes_back) { check_every_pattern<bf16>(); }

// Between two neighbours lies a tie, which goes to the even one; what is a little nearer to either goes there, however
// little that is. The largest finite value's neighbour is infinity, where the next power of two would lie.
template <class T>
void check_every_tie() {
  constexpr std::uint32_t infinite = ((1u << exponent_bits<T>)-1) << (15 - exponent_bits<T>);
  for (std::uint32_t low = 0; low < infinite; ++low) {
    const std::uint32_t high = low + 1, even = low % 2 == 0 ? low : high;
    const double above = high == infinite ? std::ldexp(1, 1 << (exponent_bits<T> - 1)) : defined<T>(high);
    const double tie = (defined<T>(low) + above) / 2;
    for (const std::uint32_t sign : {0x0000u, 0x8000u}) {
      const double s = sign ? -1 : 1;
      ASSERT_EQ(T(s * tie).bits, sign | even) << low;
      ASSERT_EQ(T(s * std::nextafter(tie, 0.0)).bits, sign | low) << low;
      ASSERT_EQ(T(s * std::nextafter(tie, 1e300)).bits, sign | high) << low;
      const float narrow = static_cast<float>(tie), signed_one = static_cast<float>(s);
      ASSERT_EQ(double(narrow), tie) << low;
      ASSERT_EQ(T(signed_one * narrow).bits, sign | even) << low;
      ASSERT_EQ(T(signed_one * std::nextafter(narrow, 0.0f)).bits, sign | low) << low;
      constexpr float infinity = std::numeric_limits<float>::infinity();
      ASSERT_EQ(T(signed_one * std::nextafter(narrow, infinity)).bits, sign | high) << low;
    }
  }
}
TEST(half, every_tie_of_f16_goes_to_the_even_neighbour) { check_every_tie<f16>(); }
TEST(half, every_tie_of_bf16_goes_to_the_even_neighbour) { check_every_tie<bf16>(); }

TEST(half, literals) {
  // clang-format off
  constexpr struct { std::uint16_t bits; double value; } binary16[] = {
      {0x0000, 0.0}, {0x0001, 0x1p-24}, {0x03FF, 0x3.FFp-16}, {0x0400, 0x1p-14}, {0x3555, 0.333251953125},
      {0x3C00, 1.0}, {0x3C01, 1.0009765625}, {0x4248, 3.140625}, {0x7BFF, 65504.0}, {0xC000, -2.0}, {0xFBFF, -65504.0}};
  constexpr struct { std::uint16_t bits; double value; } bfloat16[] = {
      {0x0000, 0.0}, {0x0001, 0x1p-133}, {0x007F, 0x7Fp-133}, {0x0080, 0x1p-126}, {0x3EAB, 0.333984375}, {0x3F80, 1.0},
      {0x3F81, 1.0078125}, {0x4049, 3.140625}, {0x7F7F, 0xFFp120}, {0xC000, -2.0}, {0xFF7F, -0xFFp120}};
  // clang-format on
  for (const auto& [bits, value] : binary16) EXPECT_EQ(f16(value).bits, bits) << value;
  for (const auto& [bits, value] : bfloat16) EXPECT_EQ(bf16(value).bits, bits) << value;
  EXPECT_EQ(f16(1.0f / 3).bits, 0x3555);
  EXPECT_EQ(bf16(1.0f / 3).bits, 0x3EAB);
  EXPECT_EQ(f16(-0.0f).bits, 0x8000);
  EXPECT_EQ(bf16(-0.0f).bits, 0x8000);
  EXPECT_EQ(f16(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(f16(65520).bits, 0x7C00);
  EXPECT_EQ(f16(-1e300).bits, 0xFC00);
  EXPECT_EQ(f16(1e-300).bits, 0x0000);
  EXPECT_EQ(bf16(1e300).bits, 0x7F80);
  EXPECT_EQ(bf16(3.4e38f).bits, 0x7F80);
  EXPECT_EQ(bf16(2049).bits, bf16(2048).bits);
  EXPECT_EQ(f16(2049).bits, f16(2048).bits);
  EXPECT_EQ(f16(2051LL).bits, f16(2052).bits);
  EXPECT_EQ(bf16(true).bits, 0x3F80);
  EXPECT_EQ(bf16(0x1.01p0 + 0x1p-40).bits, 0x3F81) << "in float this is a tie";
}

TEST(half, computes_and_compares_as_the_float_that_it_is) {
  constexpr f16 two(2), three(3);
  static_assert(two * three == 6.0f && two < three && !(three < two) && two != three && -two == -2.0f);
  static_assert(std::is_same_v<decltype(two * three), float>);
  static_assert(!std::is_convertible_v<float, f16> && std::is_convertible_v<f16, float>);
  static_assert(!std::is_convertible_v<float, bf16> && std::is_convertible_v<bf16, float>);
  EXPECT_TRUE(bf16(-0.0f) == bf16(0.0f));
  EXPECT_LT(bf16::from_bits(0xFF80), bf16(-1e30f));
}

TEST(half, limits) {
  using F = std::numeric_limits<f16>;
  using B = std::numeric_limits<bf16>;
  static_assert(F::is_specialized && F::is_signed && !F::is_integer && !F::is_exact && F::has_infinity &&
                F::has_quiet_NaN);
  static_assert(F::radix == 2 && F::digits == 11 && F::digits10 == 3 && F::max_digits10 == 5);
  static_assert(F::min_exponent == -13 && F::min_exponent10 == -4 && F::max_exponent == 16 && F::max_exponent10 == 4);
  static_assert(B::radix == 2 && B::digits == 8 && B::digits10 == 2 && B::max_digits10 == 4);
  static_assert(B::min_exponent == -125 && B::min_exponent10 == -37 && B::max_exponent == 128 &&
                B::max_exponent10 == 38);
  EXPECT_EQ(double(F::max()), 65504.0);
  EXPECT_EQ(double(F::lowest()), -65504.0);
  EXPECT_EQ(double(F::min()), 0x1p-14);
  EXPECT_EQ(double(F::denorm_min()), 0x1p-24);
  EXPECT_EQ(double(F::epsilon()), 0x1p-10);
  EXPECT_EQ(double(F::round_error()), 0.5);
  EXPECT_EQ(F::infinity().bits, 0x7C00);
  EXPECT_EQ(F::quiet_NaN().bits, 0x7E00);
  EXPECT_EQ(F::signaling_NaN().bits, 0x7D00);
  EXPECT_EQ(double(B::max()), 0xFFp120);
  EXPECT_EQ(double(B::lowest()), -0xFFp120);
  EXPECT_EQ(double(B::min()), 0x1p-126);
  EXPECT_EQ(double(B::denorm_min()), 0x1p-133);
  EXPECT_EQ(double(B::epsilon()), 0x1p-7);
  EXPECT_EQ(double(B::round_error()), 0.5);
  EXPECT_EQ(B::infinity().bits, 0x7F80);
  EXPECT_EQ(B::quiet_NaN().bits, 0x7FC0);
  EXPECT_EQ(B::signaling_NaN().bits, 0x7FA0);
}

}  // namespace
}  // namespace kleene::half_test
