// expect: identity<average, float>
// A pair of functors is an algebra only where the first has a neutral element.
#include "kleene/algebra/semiring.hpp"

struct average {
  float operator()(float a, float b) const { return (a + b) / 2; }
};
#ifdef WRONG
using algebra = kleene::semiring<average, kleene::ops::plus, float>;
#else
using algebra = kleene::semiring<kleene::ops::max, kleene::ops::plus, float>;
#endif

float f() { return algebra::zero(); }
