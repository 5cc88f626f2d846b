// expect: or define star\(a\)
// Where a + a is not a, 1 + a + a^2 + ... is no foregone conclusion: the algebra has to bring its star.
#include "kleene/operations/own/closure.inl.hpp"

struct counting {
  using value_type = double;
  static constexpr const char* name = "counting";
  static constexpr double zero() { return 0; }
  static constexpr double one() { return 1; }
  static constexpr double add(double a, double b) { return a + b; }
  static constexpr double mul(double a, double b) { return a * b; }
#ifndef WRONG
  static constexpr double star(double a) { return 1 / (1 - a); }
#endif
};

bool f(kleene::matrix<double>& a) { return kleene::closure(kleene::context::cpu(), counting{}, a).exists; }
