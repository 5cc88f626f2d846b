// expect: a == b
// Kernels ask whether a sum changed, and closures whether 1 + a is 1.
#include "kleene/operations/gemm.hpp"

struct pair {
  float length;
  int count;
#ifndef WRONG
  bool operator==(const pair&) const = default;
#endif
};
struct counted {
  using value_type = pair;
  static constexpr pair zero() { return {0, 0}; }
  static constexpr pair add(const pair& a, const pair&) { return a; }
  static constexpr pair mul(const pair& a, const pair&) { return a; }
};

template <kleene::product_algebra S>
void needs_an_algebra(S);
void f() { needs_an_algebra(counted{}); }
