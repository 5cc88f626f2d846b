// Random factor graphs, and what all of their assignments cost.
#pragma once

#include "kleene/data/splitmix64.hpp"
#include "kleene/networks/factor_graph.hpp"
#include "kleene/networks/problem.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace kleene::test {

inline int below(splitmix64& random, int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); }

// Up to 10 variables of 1 to 4 values, of which some are in no factor; costs that are small whole numbers, one in
// `forbidding` of them forbidden.
template <class T>
factor_graph<T> random_graph(splitmix64& random, T forbidden, int forbidding) {
  factor_graph<T> g;
  const int variables = below(random, 10);
  double assignments = 1;
  for (int v = 0; v < variables; ++v) {
    const index_t values = assignments > 4096 ? 1 + below(random, 2) : 1 + below(random, 4);
    g.add_variable(values), assignments *= double(values);
  }
  for (int f = below(random, 14); f > 0; --f) {
    std::vector<int> all(static_cast<std::size_t>(variables));
    std::iota(all.begin(), all.end(), 0);
    for (int v = variables - 1; v > 0; --v) std::swap(all[std::size_t(v)], all[std::size_t(below(random, v + 1))]);
    all.resize(static_cast<std::size_t>(std::min(variables, below(random, 5))));
    index_t size = 1;
    for (const int v : all) size *= g.values(v);
    std::vector<T> table;
    for (index_t e = 0; e < size; ++e)
      table.push_back(below(random, forbidding) == 0 ? forbidden : static_cast<T>(below(random, 9) - 4));
    g.add_factor(all, table);
  }
  return g;
}

// use(assignment) for every assignment.
template <class T, class Use>
void for_all_assignments(const factor_graph<T>& g, const Use& use) {
  std::vector<std::int32_t> at(static_cast<std::size_t>(g.variables()), 0);
  for (;;) {
    use(at);
    int v = 0;
    for (; v < g.variables(); ++v) {
      if (++at[std::size_t(v)] < g.values(v)) break;
      at[std::size_t(v)] = 0;
    }
    if (v == g.variables()) return;
  }
}

// The costs that are not forbidden, the best first.
template <class T>
std::vector<T> all_costs(const factor_graph<T>& g, direction goal) {
  std::vector<T> costs;
  for_all_assignments(g, [&](const std::vector<std::int32_t>& at) {
    if (const T cost = g.cost(at); !is_forbidden(cost)) costs.push_back(cost);
  });
  std::sort(costs.begin(), costs.end());
  if (goal == direction::maximise) std::reverse(costs.begin(), costs.end());
  return costs;
}

}  // namespace kleene::test
