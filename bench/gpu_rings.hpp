// Algebras of the GPU suite that the catalog does not have.
#pragma once

#include "kleene/algebra/catalog.hpp"

#include <cmath>

namespace kleene::bench {

// What a user writes: scalar code in ten lines. fminf is one instruction on the device (b < a ? b : a would be two).
struct my_shortest {
  using value_type = float;
  static constexpr const char* name = "my_shortest";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  KLEENE_FUNCTION static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
  KLEENE_FUNCTION static constexpr float one() { return 0; }
  KLEENE_FUNCTION static float add(float a, float b) { return fminf(a, b); }
  KLEENE_FUNCTION static float mul(float a, float b) { return a + b; }
};

// The same, which says whose arithmetic that is.
struct my_route : my_shortest {
  using computes_as = min_plus<float>;
  static constexpr const char* name = "my_route";
};

// Makes their products known to CUDA contexts.
void enable_gpu_rings();

}  // namespace kleene::bench
