// Spins on a grid whose bonds disagree (an Ising spin glass): the least energy and the partition function are the same
// tensor network, contracted over two algebras.
//
// Each spin is an index of two values, each bond a 2 x 2 tensor over the spins at its ends: its energy over min_plus,
// e^-energy over plus_times. Summing over all spins asks about all 2^16 states; contracted bond by bond, row by row, no
// tensor on the way has more than five indices.
#include "kleene/data/splitmix64.hpp"
#include "kleene/operations/einsum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace kleene;

constexpr int side = 4;

struct bond {
  int from, to;
  double coupling;  // the energy is -coupling where the spins agree, +coupling where they do not
};

std::vector<bond> make_bonds() {
  splitmix64 random{1};
  std::vector<bond> bonds;
  const auto add = [&](int from, int to) { bonds.push_back({from, to, random() % 2 == 0 ? 1.0 : -1.0}); };
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      if (x > 0) add(y * side + x - 1, y * side + x);
      if (y > 0) add((y - 1) * side + x, y * side + x);
    }
  return bonds;
}

// The network over S, where a bond's element is element(energy).
template <class S, class Element>
double contract(S s, const std::vector<bond>& bonds, const Element& element) {
  std::vector<tensor<double>> tensors;
  std::vector<std::vector<int>> indices;
  for (const bond& b : bonds) {
    tensor<double> t({2, 2});
    for (int p = 0; p < 2; ++p)
      for (int q = 0; q < 2; ++q) t(p, q) = element(p == q ? -b.coupling : b.coupling);
    tensors.push_back(std::move(t));
    indices.push_back({b.from, b.to});
  }
  const std::vector<tensor_view<const double>> operands(tensors.begin(), tensors.end());
  return einsum(context::cpu(), s, einsum_equation(indices, std::vector<int>{}), operands, {})();
}

int main() {
  const std::vector<bond> bonds = make_bonds();
  const double least = contract(min_plus<double>{}, bonds, [](double energy) { return energy; });
  const double z = contract(plus_times<double>{}, bonds, [](double energy) { return std::exp(-energy); });

  double least_of_all = 1e9, z_of_all = 0;  // state by state
  for (int state = 0; state < 1 << (side * side); ++state) {
    double energy = 0;
    for (const bond& b : bonds) energy += (state >> b.from & 1) == (state >> b.to & 1) ? -b.coupling : b.coupling;
    least_of_all = std::min(least_of_all, energy);
    z_of_all += std::exp(-energy);
  }
  std::printf("%d x %d spins, %zu bonds: least energy %g, partition function %.6g\n", side, side, bonds.size(), least,
              z);
  return least == least_of_all && std::abs(z / z_of_all - 1) < 1e-12 ? 0 : 1;
}
