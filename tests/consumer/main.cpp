// Uses an installed Kleene: a compiled product, a closure, shortest paths, and a ring that Kleene has never seen.
#include <kleene/operations/own/gemm.inl.hpp>
#include <kleene/operations/shortest_paths.hpp>

#include <cstdio>
#include <limits>

// The strongest chain: a link is as good as its weakest part, and each joint costs one unit.
struct chain {
  using value_type = float;
  static constexpr const char* name = "chain";
  static constexpr float zero() { return -std::numeric_limits<float>::infinity(); }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return (a < b ? a : b) - 1; }
};

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

int main() {
  const kleene::context ctx = kleene::context::cpu();
  constexpr float inf = std::numeric_limits<float>::infinity();

  // 0 -> 1 costs 3, 1 -> 2 costs 4, 0 -> 2 costs 9.
  const kleene::matrix<float> graph{{0, 3, 9}, {inf, 0, 4}, {inf, inf, 0}};
  kleene::matrix<float> two_steps(3, 3);
  kleene::gemm(ctx, kleene::min_plus<float>{}, graph, graph, two_steps);
  expect(two_steps(0, 2) == 7, "gemm over min_plus");

  kleene::matrix<float> all = graph;
  expect(kleene::closure(ctx, kleene::min_plus<float>{}, all).exists && all(0, 2) == 7 && all(2, 0) == inf, "closure");

  const auto paths = kleene::shortest_paths(ctx, graph, {.predecessors = true});
  expect(paths.distances(0, 2) == 7, "shortest_paths");
  expect(paths.path(0, 2).vertices == std::vector<std::int32_t>{0, 1, 2}, "path");

  // 0 -> 1 bears 5, 1 -> 2 bears 4; two links and the joint between them bear min(5, 4) - 1.
  const kleene::matrix<float> links{{-inf, 5, -inf}, {-inf, -inf, 4}, {-inf, -inf, -inf}};
  const kleene::matrix<float> chains = kleene::multiply(chain{}, links, links);
  expect(chains(0, 2) == 3 && chains(0, 1) == -inf, "a ring of one's own");
  return failures;
}
