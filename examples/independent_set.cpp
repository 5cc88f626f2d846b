// As many of Minnesota's crossings as can be, no two of them joined by a road: a hard problem, solved exactly. Its
// factor graph has a variable a crossing and a table a road; contracted over max-plus it gives the size of the largest
// set, and walked back the set itself.
#include "kleene/io/graph.hpp"
#include "kleene/networks/problems.hpp"
#include "kleene/networks/solve.hpp"

#include <cstdio>
#include <variant>
#include <vector>

using namespace kleene;

int main() {
  const io::graph_file file = io::read_graph("data/road/minnesota.mtx");
  const auto roads = std::visit([](const auto& list) -> simple_graph { return undirected(list); }, file.edges);

  const problem<std::int32_t> p = independent_set(roads);
  const optimum_result<std::int32_t> best = optimum(context::cpu(), p);
  const std::vector<std::int32_t> chosen = p.own_values(best.assignment);

  index_t count = 0, broken = 0;
  for (const std::int32_t is_chosen : chosen) count += is_chosen;
  for (const auto& [u, v] : roads.edges) broken += chosen[u] == 1 && chosen[v] == 1;
  std::printf("%d of %lld crossings, no two of them neighbours: 2^%.1f operations, %lld slices\n", int(best.value),
              static_cast<long long>(roads.vertices), best.report.cost.operations,
              static_cast<long long>(best.report.slices));
  return best.value == 1323 && count == best.value && broken == 0 && p.check(chosen).is_feasible ? 0 : 1;
}
