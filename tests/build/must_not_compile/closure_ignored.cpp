// expect: ignoring return
// Whether a closure exists is never silent.
#include "kleene/operations/closure.hpp"
#pragma GCC diagnostic error "-Wunused-result"

void f(kleene::matrix<float>& a) {
#ifdef WRONG
  kleene::closure(kleene::context::cpu(), kleene::min_plus<float>{}, a);
#else
  if (!kleene::closure(kleene::context::cpu(), kleene::min_plus<float>{}, a).exists) throw 1;
#endif
}
