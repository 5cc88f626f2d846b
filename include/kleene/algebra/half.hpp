// Floats of 16 bits: f16 (IEEE binary16: 5 bits of exponent, 11 of precision) and bf16 (bfloat16: 8 and 8). They are
// for storage: each turns into the float that it is by itself, and arithmetic and comparisons happen there.
//
//   bf16 x(0.1f);      float y = x * x;      x = bf16(y);      x.bits
//
// Made explicitly from any number, rounded once to nearest, ties to even: a NaN stays a NaN, what is too large becomes
// infinite. (Integers above 2^53 in magnitude are rounded to double first.)
//
// CUDA's types of the same formats, __half and __nv_bfloat16, are taken for these where they are elements of matrices.
#pragma once

#include "kleene/algebra/ops.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

struct __half;
struct __nv_bfloat16;

namespace kleene {

namespace detail {

// The nearest float, but where x is none the neighbour whose last bit is 1: rounding that to far fewer bits gives what
// rounding x itself gives (Boldo and Melquiond 2008).
KLEENE_FUNCTION constexpr float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  if (back == x || x != x) return nearest;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return std::bit_cast<float>((away ? bits - 1 : bits) | 1);
}

KLEENE_FUNCTION constexpr std::uint16_t f16_bits(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), size = bits & 0x7FFFFFFFu;
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  if (size > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u | (size >> 13 & 0x1FFu));  // NaN
  if (size >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // from 65520 on, a tie: infinity
  if (size < 0x38800000u) {  // below 2^-14: a sum with 0.5 has the last bit of a subnormal f16, 2^-24
    const float sum = std::bit_cast<float>(size) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3F000000u));
  }
  return static_cast<std::uint16_t>(sign | (size - 0x38000000u + 0xFFFu + (size >> 13 & 1u)) >> 13);
}

KLEENE_FUNCTION constexpr float f16_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7FFFu;
  const float subnormal = std::bit_cast<float>(0x3F000000u | size) - 0.5f;
  const std::uint32_t normal = (size << 13) + (size < 0x7C00u ? 0x38000000u : 0x70000000u);  // infinities and NaN too
  return std::bit_cast<float>(sign | (size < 0x400u ? std::bit_cast<std::uint32_t>(subnormal) : normal));
}

KLEENE_FUNCTION constexpr std::uint16_t bf16_bits(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace detail

struct f16 {
  std::uint16_t bits;

  f16() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  KLEENE_FUNCTION constexpr explicit f16(T value)
      : bits(detail::f16_bits(detail::round_to_odd(static_cast<double>(value)))) {}
  KLEENE_FUNCTION constexpr explicit f16(float value) : bits(detail::f16_bits(value)) {}
  KLEENE_FUNCTION constexpr operator float() const { return detail::f16_value(bits); }

  KLEENE_FUNCTION static constexpr f16 from_bits(std::uint16_t bits) {
    f16 value(0.0f);
    value.bits = bits;
    return value;
  }
};

struct bf16 {
  std::uint16_t bits;

  bf16() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  KLEENE_FUNCTION constexpr explicit bf16(T value)
      : bits(detail::bf16_bits(detail::round_to_odd(static_cast<double>(value)))) {}
  KLEENE_FUNCTION constexpr explicit bf16(float value) : bits(detail::bf16_bits(value)) {}
  KLEENE_FUNCTION constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

  KLEENE_FUNCTION static constexpr bf16 from_bits(std::uint16_t bits) {
    bf16 value(0.0f);
    value.bits = bits;
    return value;
  }
};

namespace detail {

// The limits of a T of 16 bits, Precision of them in its significand (the first is not written). The rest is float's.
template <class T, int Precision>
struct half_limits : std::numeric_limits<float> {
  static constexpr int digits = Precision, digits10 = (Precision - 1) * 30103 / 100000;
  static constexpr int max_digits10 = 2 + Precision * 30103 / 100000;
  static constexpr int max_exponent = 1 << (15 - Precision), min_exponent = 3 - max_exponent;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;

  KLEENE_FUNCTION static constexpr T min() noexcept { return power(min_exponent - 1); }
  KLEENE_FUNCTION static constexpr T max() noexcept { return T::from_bits(infinite - 1); }
  KLEENE_FUNCTION static constexpr T lowest() noexcept { return T::from_bits(0x8000 | (infinite - 1)); }
  KLEENE_FUNCTION static constexpr T epsilon() noexcept { return power(1 - Precision); }
  KLEENE_FUNCTION static constexpr T round_error() noexcept { return power(-1); }
  KLEENE_FUNCTION static constexpr T infinity() noexcept { return T::from_bits(infinite); }
  KLEENE_FUNCTION static constexpr T quiet_NaN() noexcept { return T::from_bits(infinite | 1 << (Precision - 2)); }
  KLEENE_FUNCTION static constexpr T signaling_NaN() noexcept { return T::from_bits(infinite | 1 << (Precision - 3)); }
  KLEENE_FUNCTION static constexpr T denorm_min() noexcept { return T::from_bits(1); }

 private:
  static constexpr std::uint16_t infinite = (2 * max_exponent - 1) << (Precision - 1);
  KLEENE_FUNCTION static constexpr T power(int exponent) noexcept {
    return T::from_bits(static_cast<std::uint16_t>((exponent + max_exponent - 1) << (Precision - 1)));
  }
};

}  // namespace detail

namespace detail {

// The element type that memory of T is read as.
template <class T>
struct stored_as {
  using type = T;
};
template <>
struct stored_as<__half> {
  using type = f16;
};
template <>
struct stored_as<__nv_bfloat16> {
  using type = bf16;
};

}  // namespace detail

static_assert(sizeof(f16) == 2 && std::is_trivial_v<f16> && sizeof(bf16) == 2 && std::is_trivial_v<bf16>);

}  // namespace kleene

template <>
struct std::numeric_limits<kleene::f16> : kleene::detail::half_limits<kleene::f16, 11> {};
template <>
struct std::numeric_limits<kleene::bf16> : kleene::detail::half_limits<kleene::bf16, 8> {};
