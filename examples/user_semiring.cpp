// A semiring of your own, in ten lines: trust, as it wears off from friend to friend.
//
// Trust is a number from 0 to 1. Along a chain of people doubts add up (Lukasiewicz's conjunction), and of several
// chains the best one counts. The product of two such matrices is trust over two steps; the closure, over any number.
#include "kleene/operations/own/closure.inl.hpp"
#include "kleene/operations/own/gemm.inl.hpp"

#include <cstdio>

struct trust {
  using value_type = float;
  static constexpr const char* name = "trust";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return 0; }  // a stranger
  static constexpr float one() { return 1; }   // oneself
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) {  // a + b - 1, at least 0; exact where one of them is 1
    const float sum = (a < b ? a : b) + ((a < b ? b : a) - 1);
    return sum < 0 ? 0 : sum;
  }
  static constexpr bool in_domain(float a) { return 0 <= a && a <= 1; }
};

void print(const char* title, const kleene::matrix<float>& m) {
  std::printf("%s\n", title);
  for (kleene::index_t i = 0; i < m.rows(); ++i) {
    for (kleene::index_t j = 0; j < m.cols(); ++j) std::printf(" %5.3f", m(i, j));
    std::printf("\n");
  }
}

int main() {
  const kleene::context ctx = kleene::context::cpu();

  // Ada trusts Ben, Ben trusts Cleo, Cleo trusts Dan; Ada trusts Dan only a little. Eighths are exact in binary.
  const kleene::matrix<float> known{{0, 0.875, 0, 0.25},  // Ada
                                    {0, 0, 0.875, 0},     // Ben
                                    {0, 0, 0, 0.75},      // Cleo
                                    {0, 0, 0, 0}};        // Dan

  kleene::matrix<float> two_steps(4, 4);
  kleene::gemm(ctx, trust{}, known, known, two_steps);
  print("through one person:", two_steps);

  kleene::matrix<float> all = known;
  if (!kleene::closure(ctx, trust{}, all).exists) return 1;
  print("through anybody:", all);

  const bool right = two_steps(0, 2) == 0.75f && all(0, 3) == 0.5f && all(3, 0) == 0 && all(2, 2) == 1;
  std::printf("Ada may trust Dan with %.3f instead of %.3f\n", all(0, 3), known(0, 3));
  return right ? 0 : 1;
}
