// Division and rounding upwards, and products that do not wrap, of integers that are not negative.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"

#include <limits>
#include <type_traits>

namespace kleene {

// a / b rounded up, for every a >= 0 of the type (a + b - 1 could wrap).
template <class A, class B>
KLEENE_FUNCTION constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) / static_cast<T>(b) + (static_cast<T>(a) % static_cast<T>(b) != 0);
}

// The smallest multiple of b that is not below a.
template <class A, class B>
KLEENE_FUNCTION constexpr std::common_type_t<A, B> round_up(A a, B b) {
  return ceil_div(a, b) * static_cast<std::common_type_t<A, B>>(b);
}

// x * y, or a quarter of the largest index where that is less: a few of these can be added.
constexpr index_t saturating_product(index_t x, index_t y) {
  constexpr index_t most = std::numeric_limits<index_t>::max() / 4;
  return x == 0 || y <= most / x ? x * y : most;
}

}  // namespace kleene
