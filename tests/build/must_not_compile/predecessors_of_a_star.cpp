// expect: predecessors need an algebra without a star of its own
// Where a loop has a star of its own, a best walk may go round it: it is no path.
#include "kleene/operations/own/closure.inl.hpp"

struct longest {
  using value_type = float;
  static constexpr bool is_idempotent = true, is_selective = true;
  static constexpr float zero() { return -1; }
  static constexpr float one() { return 0; }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return a < 0 || b < 0 ? -1 : a + b; }
#ifdef WRONG
  static constexpr float star(float a) { return a > 0 ? 1e30f : 0; }
#endif
};

bool f(kleene::matrix<float>& a, kleene::matrix<std::int32_t>& predecessors) {
  return kleene::closure(kleene::context::cpu(), longest{}, a, predecessors).exists;
}
