// expect: the algebra needs one\(\)
// A* begins with the identity matrix, so a closure asks for one().
#include "kleene/operations/own/closure.inl.hpp"

struct shortest {
  using value_type = float;
  static constexpr const char* name = "shortest";
  static constexpr bool is_idempotent = true;
  static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
#ifndef WRONG
  static constexpr float one() { return 0; }
#endif
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};

bool f(kleene::matrix<float>& a) { return kleene::closure(kleene::context::cpu(), shortest{}, a).exists; }
