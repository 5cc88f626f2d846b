// expect: C has the element type of the algebra, or of its accumulator
// Sums are kept as they are or narrowed to the element type; no other type is made of them.
#include "kleene/operations/gemm.hpp"

void f(kleene::matrix<float>& as_summed) {
  const kleene::matrix<kleene::bf16> a(2, 2);
#ifdef WRONG
  kleene::matrix<double> c(2, 2);
#else
  kleene::matrix<float>& c = as_summed;
#endif
  kleene::gemm(kleene::context::cpu(), kleene::plus_times<kleene::bf16>{}, a, a, c);
}
