// expect: paths need a selective semiring
// In a sum over paths no single path gives the result.
#include "kleene/operations/shortest_paths.hpp"

#ifdef WRONG
using algebra = kleene::plus_times<float>;
#else
using algebra = kleene::max_times<float>;
#endif

double f(const kleene::matrix<float>& graph) {
  return kleene::shortest_paths(kleene::context::cpu(), algebra{}, graph).seconds;
}
