// expect: an algebra over bool adds in a wider type
// Kernels hold accumulators in vectors, and there are none of bool.
#include "kleene/operations/own/gemm.inl.hpp"

struct either {
  using value_type = bool;
#ifndef WRONG
  using accumulator = std::uint8_t;
#endif
  static constexpr const char* name = "either";
  static constexpr bool zero() { return false; }
  template <class T>
  static constexpr T add(T a, T b) {
    return a | b;
  }
  template <class T>
  static constexpr T mul(T a, T b) {
    return a & b;
  }
};

void f(const kleene::matrix<bool>& a, kleene::matrix<bool>& c) {
  kleene::gemm(kleene::context::cpu(), either{}, a, a, c);
}
