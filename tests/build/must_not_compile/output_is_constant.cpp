// expect: (invalid initialization of reference|no known conversion|cannot convert|no viable conversion)
// C is written.
#include "kleene/operations/gemm.hpp"

#ifdef WRONG
using output = const kleene::matrix<float>;
#else
using output = kleene::matrix<float>;
#endif

void f(const kleene::matrix<float>& a, output& c) {
  kleene::gemm(kleene::context::cpu(), kleene::min_plus<float>{}, a, a, c);
}
