// expect: max_plus needs a type with negative values
// The zero of max_plus is minus infinity.
#include "kleene/operations/own/gemm.inl.hpp"

#ifdef WRONG
using number = unsigned char;
#else
using number = signed char;
#endif

void f(const kleene::matrix<number>& a, kleene::matrix<number>& c) {
  kleene::gemm(kleene::context::cpu(), kleene::max_plus<number>{}, a, a, c);
}
