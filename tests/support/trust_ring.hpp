// The ring that tests of rings at run time are of: trust along a path, and the best of paths.
#pragma once

#include "kleene/operations/own/run_time_ring.hpp"

namespace kleene::test {

inline ring_text trust_text() {
  return {.name = "trust",
          .add = "a < b ? b : a",
          .mul = "a + b > 1 ? a + b - 1 : 0",
          .zero = "0",
          .one = "1",
          .is_selective = true,
          .is_commutative = true,
          .in_domain = "0 <= v && v <= 1"};
}

}  // namespace kleene::test
