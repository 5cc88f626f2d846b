// expect: include kleene/operations/own/shortest_paths\.inl\.hpp
// Paths that the library does not hold would not link: they are refused with the header that compiles them.
#ifdef WRONG
#include "kleene/operations/shortest_paths.hpp"
#else
#include "kleene/operations/own/shortest_paths.inl.hpp"
#endif

double f(const kleene::matrix<std::int8_t>& graph) {
  return kleene::shortest_paths(kleene::context::cpu(), kleene::min_max<std::int8_t>{}, graph).seconds;
}
