// expect: a witness needs a selective algebra
// In a sum no single k gives the element.
#include "kleene/operations/gemm.hpp"

#ifdef WRONG
using algebra = kleene::plus_times<float>;
#else
using algebra = kleene::max_plus<float>;
#endif

void f(const kleene::matrix<float>& a, kleene::matrix<float>& c, kleene::matrix<std::int32_t>& witness) {
  kleene::gemm(kleene::context::cpu(), algebra{}, a, a, c, witness);
}
