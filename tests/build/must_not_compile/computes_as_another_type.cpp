// expect: computes_as names an algebra over the same type
// What an algebra computes as has its element type, and its zero.
#include "kleene/algebra/semirings.hpp"

struct chance {
  using value_type = float;
#ifdef WRONG
  using computes_as = kleene::max_times<double>;
#else
  using computes_as = kleene::max_times<float>;
#endif
  static constexpr float zero() { return 0; }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return a * b; }
};

static_assert(std::is_same_v<kleene::arithmetic_of<chance>, kleene::max_times<float>>);
