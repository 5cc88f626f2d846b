// Problems over pairs of variables: the same answers, by brute force and as published.
#include "kleene/networks/clusters.hpp"

#include "kleene/networks/problems.hpp"
#include "kleene/networks/solve.hpp"
#include "networks/factor_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace kleene::test::clusters_test {
namespace {

solve_options quickly() {
  solve_options options;
  options.order.seconds = 0;
  return options;
}

// Cells of a square, neighbours beside and below each other; with diagonals, as kings move.
simple_graph cells(int side, bool diagonals) {
  simple_graph g;
  g.vertices = side * side;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) {
      const std::int32_t v = r * side + c;
      if (c + 1 < side) g.edges.push_back({v, v + 1});
      if (r + 1 < side && c > 0 && diagonals) g.edges.push_back({v, v + side - 1});
      if (r + 1 < side) g.edges.push_back({v, v + side});
      if (r + 1 < side && c + 1 < side && diagonals) g.edges.push_back({v, v + side + 1});
    }
  return g;
}

TEST(clusters, of_a_path_by_hand) {
  const auto p = clustered(independent_set<int>({3, {{0, 1}, {1, 2}}}, {5, 7, 4}), clustering::always);
  const int no = p.forbidden();
  ASSERT_EQ(p.factors.variables(), 2);  // vertices 0 and 1: (0, 0), (0, 1), (1, 0); vertex 2
  EXPECT_EQ(p.factors.values(0), 3);
  EXPECT_EQ(p.factors.values(1), 2);
  const auto& factors = p.factors.factors();
  ASSERT_EQ(factors.size(), 5u);
  EXPECT_EQ(factors[0].table, (std::vector<int>{0, 0, 5}));
  EXPECT_EQ(factors[1].table, (std::vector<int>{0, 7, 0}));
  EXPECT_EQ(factors[2].table, (std::vector<int>{0, 4}));
  EXPECT_EQ(factors[3].variables, (std::vector<int>{0}));
  EXPECT_EQ(factors[3].table, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(factors[4].variables, (std::vector<int>{0, 1}));
  EXPECT_EQ(factors[4].table, (std::vector<int>{0, 0, 0, no, 0, 0}));
  EXPECT_EQ(p.own_values(std::vector<std::int32_t>{2, 1}), (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(p.check(std::vector<std::int32_t>{1, 0, 1}).value, 9);
  EXPECT_FALSE(p.check(std::vector<std::int32_t>{1, 1, 0}).is_feasible);
  EXPECT_THROW((void)p.check(std::vector<std::int32_t>{2, 0, 0}), value_error) << "a value of a vertex, not of a pair";
  EXPECT_EQ(clustered(p, clustering::always).own, p.own) << "once";
}

// Three colours at two ends are six pairs of nine, four twelve of sixteen; five are twenty of 25, which is too many.
TEST(clusters, take_pairs_that_forbid_a_quarter) {
  const simple_graph pair{2, {{0, 1}}};
  EXPECT_EQ(clustered(proper_coloring(pair, 3), clustering::always).factors.values(0), 6);
  EXPECT_EQ(clustered(proper_coloring(pair, 4), clustering::always).factors.values(0), 12);
  EXPECT_EQ(clustered(proper_coloring(pair, 5), clustering::always).factors.variables(), 2);
  EXPECT_EQ(clustered(coloring(pair, 3), clustering::always).factors.variables(), 2) << "forbids nothing";
}

template <class T>
void agrees_with_brute_force(T least, T greatest, std::uint64_t seed) {
  const context ctx = context::cpu({.threads = 2});
  splitmix64 random{seed};
  int with_pairs = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const direction goal = trial % 2 ? direction::maximise : direction::minimise;
    const auto g = random_graph<T>(random, goal == direction::maximise ? least : greatest, trial % 3 == 0 ? 2 : 4);
    const std::vector<T> costs = all_costs(g, goal);
    const auto p = clustered(general(g, goal), clustering::always);
    with_pairs += p.factors.variables() < g.variables();
    const auto best = optimum(ctx, p, quickly());
    ASSERT_EQ(best.is_feasible, !costs.empty()) << "trial " << trial;
    ASSERT_EQ(count_solutions(ctx, p.factors, quickly()).count, std::to_string(costs.size())) << "trial " << trial;
    const auto ties = costs.empty() ? 0 : std::count(costs.begin(), costs.end(), costs[0]);
    ASSERT_EQ(count_optima(ctx, p, quickly()).count, std::to_string(ties)) << "trial " << trial;
    if (costs.empty()) continue;
    const auto answer = p.own_values(best.assignment);
    ASSERT_EQ(best.value, costs[0]) << "trial " << trial;
    ASSERT_EQ(g.cost(answer), costs[0]) << "trial " << trial;
    ASSERT_EQ(p.check(answer).value, costs[0]) << "trial " << trial;
    const std::vector<T> few(costs.begin(), costs.begin() + std::min<std::ptrdiff_t>(3, std::ssize(costs)));
    ASSERT_EQ(several_best(ctx, p, 3, quickly()).values, few) << "trial " << trial;
  }
  EXPECT_GT(with_pairs, 80);
}

TEST(clusters, agree_with_brute_force) {
  agrees_with_brute_force<std::int32_t>(max_plus<std::int32_t>::zero(), min_plus<std::int32_t>::zero(), 5);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  agrees_with_brute_force<double>(-infinity, infinity, 6);
}

// n^2 kings on a board of 2n x 2n: A018807 of the On-Line Encyclopedia of Integer Sequences.
TEST(clusters, count_kings) {
  const context ctx = context::cpu({.threads = 2});
  const char* const published[] = {"1", "4", "79", "3600", "281571", "32572756", "5109144543"};
  for (int n = 1; n <= 6; ++n) {
    const auto p = clustered(independent_set(cells(2 * n, true)), clustering::always);
    EXPECT_EQ(p.factors.variables(), 2 * n * n);
    const auto counted = count_optima(ctx, p, quickly());
    EXPECT_EQ(counted.value, n * n);
    EXPECT_EQ(counted.count, published[n]);
  }
}

// A006506 once more, where cells in a row are pairs; 16 and 20 beside sums of integers of 512 bits, cell by cell.
TEST(clusters, count_independent_sets_of_grids) {
  const context ctx = context::cpu({.threads = 2});
  const auto count = [&](int n) {
    return count_solutions(ctx, clustered(independent_set(cells(n, false)), clustering::always).factors, quickly())
        .count;
  };
  EXPECT_EQ(count(7), "1280128950");
  EXPECT_EQ(count(8), "660647962955");
  EXPECT_EQ(count(16), "18396766424410124752958806046933947217821482942");
  EXPECT_EQ(count(20), "958979036662929619406859624886958746851620546557485230898539651354907499");
}

// Sums over all assignments take them by themselves: the same sum as of variables that are none, by a given order.
TEST(clusters, sums_take_them_by_themselves) {
  const context ctx = context::cpu({.threads = 2});
  const auto p = independent_set(cells(16, true));
  factor_graph<double> weights, logarithms;
  for (int v = 0; v < p.factors.variables(); ++v) weights.add_variable(2), logarithms.add_variable(2);
  for (const auto& f : p.factors.factors()) {
    std::vector<double> table, log_table;
    for (const std::int32_t value : f.table) {
      log_table.push_back(value == p.forbidden() ? -std::numeric_limits<double>::infinity() : -0.7 * value);
      table.push_back(std::exp(log_table.back()));
    }
    weights.add_factor(f.variables, std::move(table));
    logarithms.add_factor(f.variables, std::move(log_table));
  }
  const auto order = find_order(weights.to_network(), quickly().order);
  solve_options by_order = quickly();
  by_order.found = &order;
  const auto plain = partition(ctx, weights, by_order), paired = partition(ctx, weights, quickly());
  EXPECT_NEAR(paired.value, plain.value, 1e-12 * plain.value);
  EXPECT_GT(plain.report.cost.largest, 16.5);
  EXPECT_LT(paired.report.cost.largest, 15.5);
  const auto logarithm = log_partition(ctx, logarithms, quickly());
  EXPECT_NEAR(logarithm.value, std::log(plain.value), 1e-9);
  EXPECT_LT(logarithm.report.cost.largest, 15.5);
}

TEST(clusters, are_taken_where_they_pay) {
  EXPECT_EQ(clustered(independent_set(cells(16, true))).factors.variables(), 128);
  EXPECT_EQ(clustered(independent_set(cells(28, false))).factors.variables(), 392);
  EXPECT_EQ(clustered(independent_set(cells(8, true))).factors.variables(), 64) << "soon done as it is";
  simple_graph sparse{150, {}};  // a ring with chords to vertices far away
  for (std::int32_t v = 0; v < 150; ++v) sparse.edges.push_back(std::minmax(v, (v + 1) % 150));
  for (std::int32_t v = 0; v < 150; v += 2) sparse.edges.push_back(std::minmax(v, (v * 37 + 41) % 150));
  std::sort(sparse.edges.begin(), sparse.edges.end());
  sparse.edges.erase(std::unique(sparse.edges.begin(), sparse.edges.end()), sparse.edges.end());
  EXPECT_EQ(clustered(independent_set(sparse)).factors.variables(), 150) << "pairs widen what is kept";
}

}  // namespace
}  // namespace kleene::test::clusters_test
