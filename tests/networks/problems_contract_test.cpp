// Problems too large for all answers, contracted by an order: known optima and counts.
#include "kleene/algebra/counting.hpp"
#include "kleene/networks/order.hpp"
#include "kleene/networks/own/contract.inl.hpp"
#include "kleene/networks/problems.hpp"
#include "kleene/networks/residues.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kleene::test::problems_contract_test {
namespace {

// The factor graph's value over S; element(x) is what S has for a table's x.
template <class S, class T, class Element>
value_of<S> contracted(const factor_graph<T>& g, const Element& element) {
  std::vector<tensor<value_of<S>>> tensors;
  for (const auto& f : g.factors()) {
    axis_values extents;
    for (const int v : f.variables) extents.push_back(g.values(v));
    tensors.emplace_back(extents);
    for (std::size_t e = 0; e < f.table.size(); ++e) tensors.back().data()[e] = element(f.table[e]);
  }
  const std::vector<tensor_view<const value_of<S>>> views(tensors.begin(), tensors.end());
  const network n = g.to_network();
  order_options options;
  options.seconds = 0;
  options.most_elements = 1 << 16;
  const contraction_order order = find_order(n, options);
  return contract(context::cpu({.threads = 1}), S{}, n, views, order)();
}

template <class S>
value_of<S> best(const problem<std::int32_t>& p) {
  return contracted<S>(p.factors, [](std::int32_t x) { return S::of(x); });
}
template <class S>
value_of<S> number(const problem<std::int32_t>& p) {
  return contracted<S>(solutions<std::int32_t>(p), [](std::int32_t x) { return x == 0 ? S::zero() : S::one(); });
}

using most = counting<max_plus<std::int32_t>>;
using least = counting<min_plus<std::int32_t>>;

simple_graph path(std::int32_t n) {
  simple_graph g{n, {}};
  for (std::int32_t v = 0; v + 1 < n; ++v) g.edges.emplace_back(v, v + 1);
  return g;
}
simple_graph star(std::int32_t leaves) {
  simple_graph g{leaves + 1, {}};
  for (std::int32_t v = 1; v <= leaves; ++v) g.edges.emplace_back(0, v);
  return g;
}

TEST(problems_contract, a_star_of_sixty_leaves) {
  EXPECT_EQ(best<least>(dominating_set(star(60))), (least::value_type{1, 1}));
  EXPECT_EQ(best<most>(independent_set(star(60))), (most::value_type{60, 1}));
  EXPECT_EQ(number<counts>(dominating_set(star(60))), 1152921504606846977u) << "2^60 with the middle, and all leaves";
}

TEST(problems_contract, one_constraint_of_many_variables) {
  clause<std::int32_t> any{{}, 1, true};
  for (std::int32_t v = 1; v <= 63; ++v) any.literals.push_back(v % 2 == 0 ? v : -v);
  EXPECT_EQ(number<counts>(max_sat<std::int32_t>(63, {any})), 9223372036854775807u) << "2^63 - 1";
  EXPECT_EQ(number<counts>(max_sat<std::int32_t>(64, {})), counts::too_many) << "2^64 is no count";
  EXPECT_EQ(best<most>(set_packing(1, std::vector<std::vector<std::int32_t>>(100, {0}))), (most::value_type{1, 100}));
}

TEST(problems_contract, counts_of_more_than_64_bits) {
  EXPECT_EQ(number<counts>(independent_set(path(500))), counts::too_many);
  EXPECT_EQ(number_of<first_residues<12>>(number<first_residues<12>>(independent_set(path(500)))),
            "365014740723634211012237077906479355996081581501455497852747829366800199361550174096573645929019489792751")
      << "the 502nd Fibonacci number";
}

TEST(problems_contract, the_best_few) {
  using S = k_best<max_plus<std::int32_t>, 4>;
  std::vector<std::int32_t> weights(100, 1);
  weights[0] = 3;  // so vertex 0 is in, and 49 of the 98 beyond its neighbour, in 50 ways
  const auto found = best<S>(independent_set(path(100), weights));
  EXPECT_EQ(found, (S::value_type{52, 52, 52, 52}));
  EXPECT_EQ(best<most>(independent_set(path(100), weights)), (most::value_type{52, 50}));
  EXPECT_EQ(best<S>(independent_set(path(2), std::vector<std::int32_t>{3, 1})), (S::value_type{3, 1, 0, -1073741823}));
}

}  // namespace
}  // namespace kleene::test::problems_contract_test
