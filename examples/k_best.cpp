// The k best routes instead of the best one: a value is the k smallest lengths of walks, sorted.
//
// Sums of such lists keep the k best of both, products the k best of all pairs. Going round a loop gives new walks, so
// the closure needs a star: the k best lengths of no, one, two, ... rounds.
#include "kleene/operations/own/closure.inl.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

using namespace kleene;

constexpr int k = 3;
using lengths = std::array<float, k>;
constexpr float unreachable = std::numeric_limits<float>::infinity();

struct best_walks {
  using value_type = lengths;
  static constexpr const char* name = "best_walks";
  static constexpr bool is_commutative = true;
  static constexpr lengths zero() { return {unreachable, unreachable, unreachable}; }
  static constexpr lengths one() { return {0, unreachable, unreachable}; }

  static constexpr void insert(lengths& best, float length) {
    for (float& place : best)
      if (length < place) std::swap(length, place);
  }
  static constexpr lengths add(lengths a, const lengths& b) {
    for (const float length : b) insert(a, length);
    return a;
  }
  static constexpr lengths mul(const lengths& a, const lengths& b) {
    lengths best = zero();
    for (const float first : a)
      for (const float second : b) insert(best, first + second);
    return best;
  }
  // No more than k - 1 rounds can be among the best, where no round is shorter than unreachable.
  static constexpr bool star_exists(const lengths& a) { return a[0] >= 0; }
  static constexpr lengths star(const lengths& a) {
    lengths best = one(), round = one();
    for (int rounds = 1; rounds < k; ++rounds) best = add(best, round = mul(round, a));
    return best;
  }
};

int main() {
  enum { home, park, bridge, work, places };
  matrix<lengths> roads(places, places, best_walks::zero());
  const auto road = [&](int from, int to, float km) { roads(from, to)[0] = km; };
  road(home, park, 2), road(home, bridge, 3), road(park, bridge, 2), road(park, work, 5), road(bridge, work, 1);
  road(bridge, park, 2);

  if (!closure(context::cpu(), best_walks{}, roads).exists) return 1;
  const lengths found = roads(home, work);
  std::printf("from home to work: %g km; then %g and %g\n", found[0], found[1], found[2]);
  // Over the bridge 3 + 1; through the park and over the bridge 2 + 2 + 1; through the park alone 2 + 5.
  return found == lengths{4, 5, 7} ? 0 : 1;
}
