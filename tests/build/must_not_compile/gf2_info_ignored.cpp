// expect: ignoring return
// That a system has no solution is never silent.
#include "kleene/operations/gf2.hpp"
#pragma GCC diagnostic error "-Wunused-result"

void f(const kleene::bit_matrix& a, const kleene::bit_matrix& b, kleene::bit_matrix& x) {
#ifdef WRONG
  kleene::solve(kleene::context::cpu(), kleene::xor_and<kleene::bit>{}, a, b, x);
#else
  if (!kleene::solve(kleene::context::cpu(), kleene::xor_and<kleene::bit>{}, a, b, x).exists) throw 1;
#endif
}
