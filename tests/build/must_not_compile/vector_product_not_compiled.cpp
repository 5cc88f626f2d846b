// expect: include kleene/operations/own/gemv.inl.hpp
// The library has the kernels of the catalog; those of one's own ring are compiled where it is used.
#include "kleene/operations/gemv.hpp"

struct my_shortest {
  using value_type = float;
  static constexpr float zero() { return 1e30f; }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};
#ifdef WRONG
using algebra = my_shortest;
#else
using algebra = kleene::min_plus<float>;
#endif

std::vector<float> f(const kleene::matrix<float>& a, const std::vector<float>& x) {
  return kleene::multiply(algebra{}, a, x);
}
