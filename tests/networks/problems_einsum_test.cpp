// Problems contracted by einsum: their best value and how many answers have it, beside all answers.
#include "kleene/algebra/counting.hpp"
#include "kleene/operations/own/einsum.inl.hpp"

#include "networks/problem_checks.hpp"

#include <random>

namespace kleene::test::problems_einsum_test {
namespace {

// The factor graph as an equation, left to right, over S.
template <class S, class T, class Element>
value_of<S> contracted(const factor_graph<T>& g, const Element& element) {
  std::vector<std::vector<int>> labels;
  std::vector<tensor<value_of<S>>> tensors;
  for (const auto& f : g.factors()) {
    axis_values extents;
    for (const int v : f.variables) extents.push_back(g.values(v));
    tensors.emplace_back(extents);
    for (std::size_t e = 0; e < f.table.size(); ++e) tensors.back().data()[e] = element(f.table[e]);
    labels.push_back(f.variables);
  }
  std::vector<tensor_view<const value_of<S>>> views(tensors.begin(), tensors.end());
  const einsum_equation equation(std::span<const std::vector<int>>(labels), std::span<const int>{});
  return einsum(context::cpu({.threads = 1}), S{}, equation, views, {})();
}

template <class S>
void expect_counted(const problem<std::int32_t>& p) {
  const summary<std::int32_t> want = check_all(p);
  const auto got = contracted<S>(p.factors, [](std::int32_t x) { return S::of(x); });
  EXPECT_EQ(got.value, want.is_feasible ? want.best : S::zero().value) << p.name;
  EXPECT_EQ(got.count, static_cast<std::uint64_t>(want.count)) << p.name;
  const auto number = contracted<counts>(solutions<std::int64_t>(p), [](std::int64_t x) { return std::uint64_t(x); });
  EXPECT_EQ(number, static_cast<std::uint64_t>(want.feasible)) << p.name;
}

TEST(problems_einsum, the_best_and_how_many) {
  using most = counting<max_plus<std::int32_t>>;
  using least = counting<min_plus<std::int32_t>>;
  std::mt19937 random(8);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 30; ++round) {
    const int n = 1 + draw(8), dense = 1 + draw(10);
    coo<std::int32_t> list{n, n, {}, {}, {}};
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < u; ++v)
        if (draw(10) < dense) list.add(u, v, draw(9) - 4);
    const auto g = undirected(list);
    std::vector<std::int32_t> weights;
    for (int v = 0; v < n; ++v) weights.push_back(draw(4));
    expect_counted<least>(ising(g, weights));
    expect_counted<most>(cut(g));
    expect_counted<most>(independent_set(g, weights));
    expect_counted<most>(clique(g));
    expect_counted<least>(vertex_cover(g));
    expect_counted<least>(dominating_set(g, weights));
    if (n < 6) {
      expect_counted<least>(coloring(g, 3));
      expect_counted<least>(proper_coloring(g, 3));
    }
    std::vector<std::vector<std::int32_t>> sets(static_cast<std::size_t>(n));
    std::vector<clause<std::int32_t>> clauses(6);
    for (auto& set : sets)
      for (int e = draw(4); e > 0; --e) set.push_back(draw(5));
    for (auto& c : clauses) {
      for (int l = 1 + draw(9); l > 0; --l) c.literals.push_back((1 + draw(n)) * (draw(2) == 0 ? 1 : -1));
      c.weight = draw(5), c.is_hard = draw(3) == 0;
    }
    expect_counted<most>(set_packing(5, sets, weights));
    expect_counted<most>(max_sat(n, clauses));
  }
}

}  // namespace
}  // namespace kleene::test::problems_einsum_test
