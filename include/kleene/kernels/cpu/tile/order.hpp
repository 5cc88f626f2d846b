// Floats that are only compared, as integers of the same order.
//
// max_min and min_max do nothing with their operands but compare them. Zen 3, 4 and 5 compare floats on two of their
// four vector pipes and integers on all four; so a float becomes an integer when it is packed, and one again when a
// tile is finished. One Zen 3 core, AVX2, in registers, pairs of a minimum and a maximum a clock: f32 1.01, i32 2.02.
// A Xeon with AVX-512 compares floats on two pipes and integers on one (Emerald Rapids, one thread, n = 2048: 37.6 and
// 21.3 Gpairs/s), and keeps floats; so does the baseline, which has no minimum of int32.
//
// Of equal zeros the algebra keeps the left one; integers have none that are equal, so -0 becomes +0, as it does on a
// GPU, and NaN becomes zero().
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kleene::kernels::cpu {

template <class S>
inline constexpr bool only_compares =
    std::is_same_v<accumulator_of<S>, float> &&
    (std::is_same_v<arithmetic_of<S>, max_min<value_of<S>>> || std::is_same_v<arithmetic_of<S>, min_max<value_of<S>>>);

// A float below another one has the smaller integer. Its own inverse but for the sign of zero.
KLEENE_FUNCTION constexpr std::int32_t order_of(float value) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(value + 0.0f);  // -0 + 0 is +0
  return bits ^ (bits >> 31 & 0x7fffffff);
}
KLEENE_FUNCTION constexpr float value_of_order(std::int32_t order) {
  return std::bit_cast<float>(order ^ (order >> 31 & 0x7fffffff));
}

// S on these integers.
template <class S>
struct in_order {
  using value_type = std::int32_t;
  static constexpr std::int32_t zero() { return order_of(widen<S>(S::zero())); }
  template <class V>
  KLEENE_FUNCTION static constexpr V add(const V& a, const V& b) {
    return arithmetic_of<S>::template add<V>(a, b);
  }
  template <class V>
  KLEENE_FUNCTION static constexpr V mul(const V& a, const V& b) {
    return arithmetic_of<S>::template mul<V>(a, b);
  }
};

}  // namespace kleene::kernels::cpu
