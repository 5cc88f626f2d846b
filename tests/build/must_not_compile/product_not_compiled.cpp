// expect: include kleene/operations/own/gemm\.inl\.hpp
// A product that the library does not hold would not link: it is refused with the header that compiles it.
#ifdef WRONG
#include "kleene/operations/gemm.hpp"
#else
#include "kleene/operations/own/gemm.inl.hpp"
#endif

struct longest {
  using value_type = float;
  static constexpr float zero() { return -std::numeric_limits<float>::infinity(); }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};

kleene::matrix<float> f(const kleene::matrix<float>& a) { return kleene::multiply(longest{}, a, a); }
