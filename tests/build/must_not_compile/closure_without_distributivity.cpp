// expect: distributes over add
// min does not distribute over +, so plus_min has products and no closure.
#include "kleene/operations/closure.hpp"

#ifdef WRONG
using algebra = kleene::plus_min<float>;
#else
using algebra = kleene::plus_times<float>;
#endif

bool f(kleene::matrix<float>& a) { return kleene::closure(kleene::context::cpu(), algebra{}, a).exists; }
