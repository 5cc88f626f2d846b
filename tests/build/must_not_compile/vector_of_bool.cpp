// expect: a std::vector<bool> have no addresses
// The easy product would have to give one.
#include "kleene/operations/own/gemv.inl.hpp"

#ifdef WRONG
using element = bool;
#else
using element = float;
#endif

auto f(const kleene::matrix<element>& a, const element (&x)[3]) {
  return kleene::multiply(kleene::or_and<element>{}, a, x);
}
