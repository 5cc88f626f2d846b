// e^x for sums of exponentials of what lies below a reference, or not far above it.
#pragma once

#include "kleene/algebra/ops.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace kleene::kernels::cuda {

// x <= 32, an infinity or NaN. Errs by at most (2 + |x|) 2^-23 of itself.
KLEENE_FUNCTION float exponential(float x) { return std::exp2(x * 0x1.715476p0f); }

// The same; errs by at most 1e-14 + |x| 3.5e-17 of itself; 0 below -700. Reduced by multiples of log 2 (Cody and
// Waite 1980), then exp's series: 14 instructions of doubles, and what is at the ends is asked of integers.
// (By multiples of log 2 / 32, with a table in memory, they are 9: a matrix times a vector gained 2 % on an H200.)
KLEENE_FUNCTION double exponential(double x) {
  constexpr double rounder = 0x1.8p52;  // leaves the nearest integer in the last bits
  constexpr double terms[] = {1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0, 1 / 5040.0, 1 / 720.0,
                              1 / 120.0,      1 / 24.0,      1 / 6.0,      1 / 2.0,     1.0,        1.0};
  const double shifted = std::fma(x, 0x1.71547652b82fep0, rounder);
  const double r = std::fma(shifted - rounder, -0x1.62e42fefa39efp-1, x);
  double power = terms[0];
  for (int n = 1; n < 12; ++n) power = std::fma(power, r, terms[n]);  // NaN where x is
  std::uint64_t exponent, bits, of_x;
  std::memcpy(&exponent, &shifted, 8), std::memcpy(&bits, &power, 8), std::memcpy(&of_x, &x, 8);
  bits += exponent << 52;
  const auto high = static_cast<std::uint32_t>(of_x >> 32);
  constexpr std::uint32_t lowest = 0xC085E000, minus_infinity = 0xFFF00000;  // the high word of -700
  constexpr std::int32_t most = 0x40400000;                                  // of 32
  if (high - lowest <= minus_infinity - lowest) bits = 0;
  if (static_cast<std::int32_t>(high) > most) bits = of_x;  // infinity, and NaN of positive sign
  std::memcpy(&power, &bits, 8);
  return power;
}

}  // namespace kleene::kernels::cuda
