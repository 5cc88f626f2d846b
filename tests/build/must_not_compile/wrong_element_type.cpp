// expect: the element type is not the one the algebra computes on
// Operands have the algebra's own element type; nothing is converted behind the caller's back.
#include "kleene/operations/gemm.hpp"

void f(kleene::matrix<float>& c) {
  const kleene::matrix<float> a(2, 2);
#ifdef WRONG
  const kleene::matrix<double> b(2, 2);
#else
  const kleene::matrix<float> b(2, 2);
#endif
  kleene::gemm(kleene::context::cpu(), kleene::min_plus<float>{}, a, b, c);
}
