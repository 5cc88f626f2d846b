// expect: numbers of another algebra
// The element type says what is computed: a product over another algebra is a mistake.
#include "kleene/operations/gemm.hpp"

#ifdef WRONG
using element = kleene::tropical_max<float>;
#else
using element = kleene::tropical<float>;
#endif

kleene::matrix<float> f(const kleene::matrix<element>& a) { return kleene::multiply(kleene::min_plus<float>{}, a, a); }
