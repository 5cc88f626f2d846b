// expect: predecessors need a selective algebra
// In a sum over paths no single path gives the result.
#include "kleene/operations/closure.hpp"

#ifdef WRONG
using algebra = kleene::log_plus<float>;
#else
using algebra = kleene::max_min<float>;
#endif

bool f(kleene::matrix<float>& a, kleene::matrix<std::int32_t>& predecessors) {
  return kleene::closure(kleene::context::cpu(), algebra{}, a, predecessors).exists;
}
