// Floats of 8 bits, as the Open Compute Project has them (OFP8 1.0): f8_e4m3 (4 bits of exponent, 4 of precision, up to
// 448; no infinity, one NaN of either sign) and f8_e5m2 (5 and 3, up to 57344; infinities and NaNs as in IEEE formats).
// For storage: each turns into the float that it is by itself, and arithmetic and comparisons happen there.
//
//   f8_e4m3 x(0.3f);      float y = x * x;      x = f8_e4m3(y);      x.bits
//
// Made explicitly from any number, rounded once to nearest, ties to even. What is too large, infinities too, becomes
// the largest finite value of its sign (the saturating mode of that standard, and what GPUs do); a NaN stays a NaN.
#pragma once

#include "kleene/algebra/half.hpp"

namespace kleene {

namespace detail {

// The pattern of the value nearest to x, for Written bits of significand behind the first and exponents around Bias. A
// positive NaN is `nan`, the largest value `largest`.
template <int Written, int Bias>
KLEENE_FUNCTION constexpr std::uint8_t f8_bits(float x, std::uint32_t nan, std::uint32_t largest) {
  constexpr int shift = 23 - Written;
  constexpr std::uint32_t rebias = (127u - Bias) << 23, normal = rebias + (1u << 23);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), size = bits & 0x7FFFFFFFu, sign = bits >> 24 & 0x80u;
  if (size > 0x7F800000u) return static_cast<std::uint8_t>(sign | nan);
  if (size >= rebias + (largest << shift)) return static_cast<std::uint8_t>(sign | largest);
  if (size < normal) {  // the last bit of a sum with this has the weight of the last bit of a subnormal
    constexpr std::uint32_t added = (127u + 24 - Bias - Written) << 23;
    const float sum = std::bit_cast<float>(size) + std::bit_cast<float>(added);
    return static_cast<std::uint8_t>(sign | (std::bit_cast<std::uint32_t>(sum) - added));
  }
  return static_cast<std::uint8_t>(sign | (size - rebias + ((1u << (shift - 1)) - 1) + (size >> shift & 1u)) >> shift);
}

// Both lie in f16: e5m2 as its leading byte, e4m3 with exponents 8 lower.
KLEENE_FUNCTION constexpr float e5m2_value(std::uint8_t bits) {
  return f16_value(static_cast<std::uint16_t>(bits << 8));
}
KLEENE_FUNCTION constexpr float e4m3_value(std::uint8_t bits) {
  const std::uint32_t size = bits & 0x7Fu, sign = bits & 0x80u;
  if (size == 0x7F) return std::bit_cast<float>(sign << 24 | 0x7FC00000u);
  return f16_value(static_cast<std::uint16_t>(sign << 8 | size << 7)) * 256;
}

}  // namespace detail

struct f8_e4m3 {
  std::uint8_t bits;

  f8_e4m3() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  KLEENE_FUNCTION constexpr explicit f8_e4m3(T value) : f8_e4m3(detail::round_to_odd(static_cast<double>(value))) {}
  KLEENE_FUNCTION constexpr explicit f8_e4m3(float value) : bits(detail::f8_bits<3, 7>(value, 0x7F, 0x7E)) {}
  KLEENE_FUNCTION constexpr operator float() const { return detail::e4m3_value(bits); }

  KLEENE_FUNCTION static constexpr f8_e4m3 from_bits(std::uint8_t bits) {
    f8_e4m3 value(0.0f);
    value.bits = bits;
    return value;
  }
};

struct f8_e5m2 {
  std::uint8_t bits;

  f8_e5m2() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  KLEENE_FUNCTION constexpr explicit f8_e5m2(T value) : f8_e5m2(detail::round_to_odd(static_cast<double>(value))) {}
  KLEENE_FUNCTION constexpr explicit f8_e5m2(float value) : bits(detail::f8_bits<2, 15>(value, 0x7F, 0x7B)) {}
  KLEENE_FUNCTION constexpr operator float() const { return detail::e5m2_value(bits); }

  KLEENE_FUNCTION static constexpr f8_e5m2 from_bits(std::uint8_t bits) {
    f8_e5m2 value(0.0f);
    value.bits = bits;
    return value;
  }
};

namespace detail {

template <class T>
inline constexpr bool is_f8 = std::is_same_v<T, f8_e4m3> || std::is_same_v<T, f8_e5m2>;

// What both have in common; Largest and Smallest are the patterns of the largest value and of the smallest normal one.
template <class T, int Precision, std::uint8_t Largest, std::uint8_t Smallest>
struct f8_limits : std::numeric_limits<float> {
  static constexpr bool is_iec559 = false;
  static constexpr int digits = Precision, digits10 = 0, max_digits10 = 2 + Precision * 30103 / 100000;

  KLEENE_FUNCTION static constexpr T min() noexcept { return T::from_bits(Smallest); }
  KLEENE_FUNCTION static constexpr T max() noexcept { return T::from_bits(Largest); }
  KLEENE_FUNCTION static constexpr T lowest() noexcept { return T::from_bits(0x80 | Largest); }
  KLEENE_FUNCTION static constexpr T epsilon() noexcept { return T(2.0f / (1 << Precision)); }
  KLEENE_FUNCTION static constexpr T round_error() noexcept { return T(0.5f); }
  KLEENE_FUNCTION static constexpr T quiet_NaN() noexcept { return T::from_bits(0x7F); }
  KLEENE_FUNCTION static constexpr T denorm_min() noexcept { return T::from_bits(1); }
};

}  // namespace detail

static_assert(sizeof(f8_e4m3) == 1 && std::is_trivial_v<f8_e4m3> && sizeof(f8_e5m2) == 1 && std::is_trivial_v<f8_e5m2>);

}  // namespace kleene

template <>
struct std::numeric_limits<kleene::f8_e4m3> : kleene::detail::f8_limits<kleene::f8_e4m3, 4, 0x7E, 0x08> {
  static constexpr bool has_infinity = false, has_signaling_NaN = false;  // these are then 0, as for integers
  static constexpr int max_exponent = 9, min_exponent = -5, max_exponent10 = 2, min_exponent10 = -1;
  KLEENE_FUNCTION static constexpr kleene::f8_e4m3 infinity() noexcept { return kleene::f8_e4m3(0.0f); }
  KLEENE_FUNCTION static constexpr kleene::f8_e4m3 signaling_NaN() noexcept { return kleene::f8_e4m3(0.0f); }
};
template <>
struct std::numeric_limits<kleene::f8_e5m2> : kleene::detail::f8_limits<kleene::f8_e5m2, 3, 0x7B, 0x04> {
  static constexpr int max_exponent = 16, min_exponent = -13, max_exponent10 = 4, min_exponent10 = -4;
  KLEENE_FUNCTION static constexpr kleene::f8_e5m2 infinity() noexcept { return kleene::f8_e5m2::from_bits(0x7C); }
  KLEENE_FUNCTION static constexpr kleene::f8_e5m2 signaling_NaN() noexcept { return kleene::f8_e5m2::from_bits(0x7D); }
};
