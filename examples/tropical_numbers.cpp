// Tropical numbers are numbers: + is the better of two, * the sum, and ordinary code computes over the semiring.
//
// A ring of spins (the Ising model in one dimension): neighbours i and i + 1 like to be equal when J_i > 0 and opposite
// when J_i < 0. Each bond is a 2 x 2 matrix of J s s' over the spins +1 and -1; in max-plus, the product of the bonds
// holds the best total of an open chain for each pair of ends, and its trace closes the ring. With an odd number of
// negative bonds one bond stays unhappy, whatever the spins do: the weakest.
#include "kleene/algebra/numbers.hpp"
#include "kleene/operations/gemm.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

using happiness = kleene::tropical_max<float>;

constexpr std::array<float, 9> bonds{2, -1, 3, 1, -2, 4, 0.5, -3, 2};

// All 2^9 states of the ring, one by one.
float best_by_hand() {
  float best = -100;
  for (unsigned state = 0; state < 1u << bonds.size(); ++state) {
    float sum = 0;
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      const bool equal = (state >> i & 1) == (state >> (i + 1) % bonds.size() & 1);
      sum += equal ? bonds[i] : -bonds[i];
    }
    best = std::max(best, sum);
  }
  return best;
}

int main() {
  kleene::matrix<happiness> ring{{happiness::one(), happiness::zero()}, {happiness::zero(), happiness::one()}};
  for (float j : bonds) ring = ring * kleene::matrix<happiness>{{j, -j}, {-j, j}};

  const happiness best = ring(0, 0) + ring(1, 1);  // tropical +: the larger
  std::printf("best total of the ring: %g (by trying all %u states: %g)\n", best.value, 1u << bonds.size(),
              best_by_hand());
  return best == best_by_hand() ? 0 : 1;
}
