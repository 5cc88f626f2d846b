// Sums of logarithms: the exponential of what is not positive and the logarithm of what is positive, on whole vectors.
//
// exp: reduction by multiples of log 2 in two parts (Cody and Waite 1980), then a polynomial that is 1 at 0 and has the
// least relative error elsewhere on |r| <= log(2) / 2 (Remez' exchange: 2.6e-9 for f32, 1.8e-17 for f64).
// log: the exponent apart, then 2 atanh((m - 1) / (m + 1)) by its series.
// Both err by at most 4 units in the last place (tested).
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

// Algebras whose sums are log_plus's.
template <class S>
inline constexpr bool sums_logarithms =
    std::is_same_v<arithmetic_of<S>, log_plus<value_of<S>>> && std::is_same_v<accumulator_of<S>, value_of<S>>;
template <class S>
requires(!std::is_floating_point_v<value_of<S>>)
inline constexpr bool sums_logarithms<S> = false;

template <class T>
struct exponential;

template <>
struct exponential<float> {
  static constexpr float log2_e = 0x1.715476p0f;
  static constexpr float ln2_high = 0x1.63p-1f, ln2_low = -0x1.bd0106p-13f;  // nine bits: its multiples are exact
  static constexpr float rounder = 0x1.8p23f;  // added to a number it leaves the nearest integer in the last bits
  static constexpr int mantissa = 23;
  static constexpr float lowest = -86;  // below it the result is zero: e^-86 is above 2^-125
  static constexpr float terms[] = {0x1.709ba0p-10f, 0x1.129052p-7f, 0x1.55515ep-5f, 0x1.5553c0p-3f, 0x1.000002p-1f};
};
template <>
struct exponential<double> {
  static constexpr double log2_e = 0x1.71547652b82fep0;
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double rounder = 0x1.8p52;
  static constexpr int mantissa = 52;
  static constexpr double lowest = -707;  // e^-707 is above 2^-1021
  static constexpr double terms[] = {
      0x1.8ad0e36a38fd3p-26, 0x1.28a29f9bd2546p-22, 0x1.71f610466f403p-19, 0x1.a019a68f60ae3p-16, 0x1.a019f625115f1p-13,
      0x1.6c16c17f35e95p-10, 0x1.111111137a2afp-7,  0x1.55555555520ecp-5,  0x1.5555555554825p-3,  0x1.0000000000005p-1};
};

// The bits of a vector as a vector of another type.
template <class To, class From>
[[gnu::always_inline]] inline void same_bits(To& to, const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&to, &from, sizeof(To));
}

// y = e^(x + x_low) for x <= 0 and |x_low| far below 1; 0 below `lowest` and where x is NaN.
template <class T, class V>
[[gnu::always_inline]] inline void exponential_of(V& y, const V& x, const V& x_low) {
  using E = exponential<T>;
  using I = vector_of<counter_of<T>, sizeof(V)>;
  const V shifted = x * E::log2_e + E::rounder;
  const V multiple = shifted - E::rounder;
  const V r = ((x - multiple * E::ln2_high) - multiple * E::ln2_low) + x_low;
  V p = V{} + E::terms[0];
#pragma GCC unroll 16
  for (int i = 1; i < static_cast<int>(sizeof(E::terms) / sizeof(T)); ++i) p = p * r + E::terms[i];
  p = (p * r) * r + r + T(1);
  I power, scaled;  // 2^multiple joins the exponent of p
  same_bits(power, shifted);
  same_bits(scaled, p);
  V product;
  same_bits(product, I(scaled + (power << E::mantissa)));
  y = x > V{} + E::lowest ? product : V{};
}

// y = log x, of doubles: 0 < x < infinity, x normal. Terms of the series: 5 leave an error of 3e-8, 12 none.
template <int Terms, class V>
[[gnu::always_inline]] inline void logarithm_of(V& y, const V& x) {
  typedef std::uint64_t U __attribute__((vector_size(sizeof(V))));
  constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcd;  // of 2: mantissas lie around 1
  constexpr std::uint64_t one = 0x3ff0000000000000, biased = 0x4330000000000000;
  constexpr double offset = 0x1p52 + 1023;
  U bits;
  same_bits(bits, x);
  const U exponent = (bits + (one - half_root)) >> 52;
  V m, e;
  same_bits(m, U(bits - (exponent << 52) + one));
  same_bits(e, U(exponent | biased));
  e -= offset;
  const V f = m - 1.0, s = f / (m + 1.0), s2 = s * s;
  V series = V{} + 2.0 / (2 * Terms + 1);
#pragma GCC unroll 16
  for (int i = Terms - 1; i >= 1; --i) series = series * s2 + 2.0 / (2 * i + 1);
  // 2 s = f - s f, so that f, which is exact, leads
  y = e * 0x1.62e42feep-1 + (f - (s * (f - series * s2) - e * 0x1.a39ef35793c76p-33));
}

// A vector of doubles from elements of T, and to them.
template <class T, class D>
[[gnu::always_inline]] inline void load_doubles(D& v, const T* from) {
  if constexpr (std::is_same_v<T, double>) {
    load(v, from);
  } else {
    vector_of<T, sizeof(D) / 2> narrow;
    load(narrow, from);
    v = __builtin_convertvector(narrow, D);
  }
}
template <class T, class D>
[[gnu::always_inline]] inline void store_doubles(T* to, const D& v) {
  if constexpr (std::is_same_v<T, double>) {
    store(to, v);
  } else {
    using narrow = vector_of<T, sizeof(D) / 2>;
    store(to, __builtin_convertvector(v, narrow));
  }
}

}  // namespace kleene::kernels::cpu
