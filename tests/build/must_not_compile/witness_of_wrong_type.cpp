// expect: no matching function for call to 'gemm
// A witness is int32.
#include "kleene/operations/gemm.hpp"

#ifdef WRONG
using witness_type = std::int64_t;
#else
using witness_type = std::int32_t;
#endif

void f(const kleene::matrix<float>& a, kleene::matrix<float>& c, kleene::matrix<witness_type>& witness) {
  kleene::gemm(kleene::context::cpu(), kleene::min_plus<float>{}, a, a, c, witness);
}
