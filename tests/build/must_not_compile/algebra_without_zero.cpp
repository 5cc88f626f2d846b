// expect: 'S::zero\(\)'
// The identity of add is what an empty sum gives; gemm cannot do without it.
#include "kleene/operations/own/gemm.inl.hpp"

struct longest {
  using value_type = float;
  static constexpr const char* name = "longest";
#ifndef WRONG
  static constexpr float zero() { return -std::numeric_limits<float>::infinity(); }
#endif
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};

void f(const kleene::matrix<float>& a, kleene::matrix<float>& c) {
  kleene::gemm(kleene::context::cpu(), longest{}, a, a, c);
}
