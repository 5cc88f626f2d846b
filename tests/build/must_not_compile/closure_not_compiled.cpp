// expect: include kleene/operations/own/closure\.inl\.hpp
// A closure that the library does not hold would not link: it is refused with the header that compiles it.
#ifdef WRONG
#include "kleene/operations/closure.hpp"
#else
#include "kleene/operations/own/closure.inl.hpp"
#endif

bool f(kleene::matrix<std::int8_t>& a) {
  return kleene::closure(kleene::context::cpu(), kleene::min_max<std::int8_t>{}, a).exists;
}
