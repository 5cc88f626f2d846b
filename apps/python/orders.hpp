// Ascending and descending orders of numbers, on the host and on devices.
#pragma once

#include "kleene/algebra/ops.hpp"

#include <type_traits>

namespace kleene::python {

// NaN stands last in both orders, behind the infinities.
template <class T>
KLEENE_FUNCTION bool stands_before(bool descends, T a, T b) {
  const bool before = descends ? b < a : a < b;
  if constexpr (std::is_floating_point_v<T>) return before || (b != b && a == a);
  else return before;
}

}  // namespace kleene::python
