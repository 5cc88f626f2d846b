// Questions to factor graphs, beside brute force over all assignments.
#include "kleene/networks/solve.hpp"

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/networks/problems.hpp"
#include "networks/factor_samples.hpp"
#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kleene::test::solve_test {
namespace {

const context& two_threads() {
  static const context ctx = context::cpu({.threads = 2});
  return ctx;
}

solve_options quickly() {
  solve_options options;
  options.order.seconds = 0;
  return options;
}

template <class T>
void agrees_with_brute_force(T least, T greatest) {
  splitmix64 random{17};
  int feasible = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const direction goal = trial % 2 ? direction::maximise : direction::minimise;
    const T forbidden = goal == direction::maximise ? least : greatest;
    const auto g = random_graph<T>(random, forbidden, trial % 3 == 0 ? 3 : 20);
    const std::vector<T> costs = all_costs(g, goal);
    const auto best = optimum(two_threads(), g, goal, quickly());
    ASSERT_EQ(best.is_feasible, !costs.empty()) << "trial " << trial;
    ASSERT_EQ(best.value, costs.empty() ? forbidden : costs[0]) << "trial " << trial;
    const auto optima = count_optima(two_threads(), g, goal, quickly());
    const auto ties = costs.empty() ? 0 : std::count(costs.begin(), costs.end(), costs[0]);
    ASSERT_EQ(optima.count, std::to_string(ties)) << "trial " << trial;
    ASSERT_EQ(optima.value, best.value);
    ASSERT_EQ(count_solutions(two_threads(), g, quickly()).count, std::to_string(costs.size())) << "trial " << trial;
    for (const int k : {1, 3, 12}) {
      std::vector<T> want(costs.begin(), costs.begin() + std::min<std::ptrdiff_t>(k, std::ptrdiff_t(costs.size())));
      ASSERT_EQ(several_best(two_threads(), g, goal, k, quickly()).values, want) << "trial " << trial;
    }
    if (costs.empty()) {
      ASSERT_TRUE(best.assignment.empty());
      continue;
    }
    ++feasible;
    ASSERT_EQ(best.assignment.size(), static_cast<std::size_t>(g.variables()));
    ASSERT_EQ(g.cost(best.assignment), costs[0]) << "trial " << trial;
    solve_options value_alone = quickly();
    value_alone.assignment = false;
    ASSERT_EQ(optimum(two_threads(), g, goal, value_alone).value, costs[0]);
  }
  EXPECT_GT(feasible, 150);
}

TEST(solve, agrees_with_brute_force_over_integers) {
  agrees_with_brute_force<std::int32_t>(max_plus<std::int32_t>::zero(), min_plus<std::int32_t>::zero());
  agrees_with_brute_force<std::int64_t>(max_plus<std::int64_t>::zero(), min_plus<std::int64_t>::zero());
}

TEST(solve, agrees_with_brute_force_over_floats) {
  agrees_with_brute_force<float>(max_plus<float>::zero(), min_plus<float>::zero());
  agrees_with_brute_force<double>(max_plus<double>::zero(), min_plus<double>::zero());
}

TEST(solve, gives_an_assignment_of_rounded_sums) {
  splitmix64 random{23};
  for (int trial = 0; trial < 100; ++trial) {
    factor_graph<float> g;
    for (int v = 0; v < 8; ++v) g.add_variable(3);
    for (int f = 0; f < 12; ++f) {
      const int x = below(random, 8), y = (x + 1 + below(random, 7)) % 8;
      std::vector<float> table;
      for (int e = 0; e < 9; ++e) table.push_back(static_cast<float>(random() % 1000003) * 1e-3f);
      g.add_factor({x, y}, table);
    }
    const auto best = optimum(two_threads(), g, direction::minimise, quickly());
    const float least = all_costs(g, direction::minimise)[0];
    ASSERT_NEAR(best.value, least, 1e-5f * std::abs(least));
    ASSERT_EQ(g.cost(best.assignment), best.value);
  }
}

TEST(solve, sums_over_all_assignments) {
  splitmix64 random{29};
  for (int trial = 0; trial < 200; ++trial) {
    const auto costs = random_graph<double>(random, 4, 100);
    factor_graph<double> weights, logarithms;
    for (int v = 0; v < costs.variables(); ++v)
      weights.add_variable(costs.values(v)), logarithms.add_variable(costs.values(v));
    for (const auto& f : costs.factors()) {
      std::vector<double> w, l;
      for (const double c : f.table) w.push_back(std::exp2(c)), l.push_back(c * std::log(2.0));
      weights.add_factor(f.variables, w), logarithms.add_factor(f.variables, l);
    }
    double sum = 0;
    for_all_assignments(costs, [&](const std::vector<std::int32_t>& at) { sum += std::exp2(costs.cost(at)); });
    ASSERT_NEAR(partition(two_threads(), weights, quickly()).value, sum, 1e-9 * sum) << "trial " << trial;
    ASSERT_NEAR(log_partition(two_threads(), logarithms, quickly()).value, std::log(sum), 1e-9) << "trial " << trial;
  }
}

TEST(solve, slices_change_nothing) {
  splitmix64 random{31};
  int sliced = 0;
  for (int trial = 0; trial < 60; ++trial) {
    factor_graph<std::int32_t> g;
    for (int v = 0; v < 9; ++v) g.add_variable(2 + below(random, 2));
    for (int f = 0; f < 20; ++f) {
      const int x = below(random, 9), y = (x + 1 + below(random, 8)) % 9;
      std::vector<std::int32_t> table;
      for (index_t e = 0; e < g.values(x) * g.values(y); ++e) table.push_back(below(random, 6));
      g.add_factor({x, y}, table);
    }
    solve_options narrow = quickly();
    narrow.order.most_elements = 9;
    const auto costs = all_costs(g, direction::minimise);
    const auto best = optimum(two_threads(), g, direction::minimise, narrow);
    sliced += best.report.slices > 1;
    ASSERT_EQ(best.value, costs[0]);
    ASSERT_EQ(g.cost(best.assignment), costs[0]);
    ASSERT_EQ(count_optima(two_threads(), g, direction::minimise, narrow).count,
              std::to_string(std::count(costs.begin(), costs.end(), costs[0])));
  }
  EXPECT_GT(sliced, 30);
}

simple_graph grid(int side) {
  simple_graph g;
  g.vertices = side * side;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) {
      if (c + 1 < side) g.edges.push_back({r * side + c, r * side + c + 1});
      if (r + 1 < side) g.edges.push_back({r * side + c, (r + 1) * side + c});
    }
  return g;
}

// The order is one of all factors, most of which others take in; with free variables, and slices of its own.
TEST(solve, an_order_that_is_given) {
  splitmix64 random{37};
  for (int trial = 0; trial < 150; ++trial) {
    const auto g = random_graph<std::int32_t>(random, min_plus<std::int32_t>::zero(), 12);
    contraction_order order = find_order(g.to_network(), {.seconds = 0, .threads = 1});
    if (trial % 3 == 0) order = slice_order(g.to_network(), order, 8);
    order.method = "mine";
    solve_options given = quickly();
    given.found = &order;
    if (trial % 2 == 0) given.order.most_elements = 16;
    const std::vector<std::int32_t> costs = all_costs(g, direction::minimise);
    const auto best = optimum(two_threads(), g, direction::minimise, given);
    ASSERT_EQ(best.is_feasible, !costs.empty()) << "trial " << trial;
    if (!costs.empty()) {
      ASSERT_EQ(best.value, costs[0]) << "trial " << trial;
    }
    EXPECT_EQ(best.report.method, "mine");
    EXPECT_EQ(best.report.order_seconds, 0);
    if (trial % 2 == 0) {
      EXPECT_LE(best.report.cost.largest, 4);
    }
    ASSERT_EQ(count_solutions(two_threads(), g, given).count, std::to_string(costs.size())) << "trial " << trial;
    const std::ptrdiff_t few = std::min<std::ptrdiff_t>(3, std::ssize(costs));
    const std::vector<std::int32_t> want(costs.begin(), costs.begin() + few);
    ASSERT_EQ(several_best(two_threads(), g, direction::minimise, 3, given).values, want) << "trial " << trial;
  }
}

TEST(solve, what_is_no_order) {
  const auto p = independent_set(grid(4));
  contraction_order order = find_order(p.factors.to_network(), {.seconds = 0});
  order.pairs.pop_back();
  solve_options given = quickly();
  given.found = &order;
  (void)refusal<argument_error>(fault_code::bad_input, [&] { (void)optimum(two_threads(), p, given); });
}

// Tensors of a fifth of the memory are not always small enough; then smaller ones are taken.
TEST(solve, fits_into_little_memory) {
  const auto p = independent_set(grid(6));
  solve_options little = quickly();
  for (const std::size_t memory : {4000, 6000, 20000}) {
    SCOPED_TRACE(memory);
    little.memory = memory;
    const auto best = optimum(two_threads(), p, little);
    EXPECT_EQ(best.value, 18);
    EXPECT_LE(best.report.bytes, memory);
    const auto counted = count_optima(two_threads(), p, little);
    EXPECT_EQ(counted.count, "2");
    EXPECT_LE(counted.report.bytes, memory);
    const auto several = several_best(two_threads(), p, 3, little);
    EXPECT_EQ(several.values, (std::vector<std::int32_t>{18, 18, 17}));
    EXPECT_LE(several.report.bytes, memory);
  }
}

TEST(solve, what_little_there_is) {
  factor_graph<std::int32_t> g;
  EXPECT_EQ(optimum(two_threads(), g, direction::minimise).value, 0);
  EXPECT_TRUE(optimum(two_threads(), g, direction::minimise).is_feasible);
  EXPECT_EQ(count_solutions(two_threads(), g).count, "1");
  g.add_variable(7), g.add_variable(5);
  EXPECT_EQ(count_solutions(two_threads(), g).count, "35");
  EXPECT_EQ(optimum(two_threads(), g, direction::maximise).assignment, (std::vector<std::int32_t>{0, 0}));
  g.add_factor({}, {12});
  g.add_factor({1}, {3, 1, 1, 4, 1});
  const auto best = optimum(two_threads(), g, direction::minimise);
  EXPECT_EQ(best.value, 13);
  EXPECT_EQ(g.cost(best.assignment), 13);
  EXPECT_EQ(count_optima(two_threads(), g, direction::minimise).count, "21");
  EXPECT_EQ(several_best(two_threads(), g, direction::maximise, 8).values,
            (std::vector<std::int32_t>{16, 16, 16, 16, 16, 16, 16, 15}));
  const std::string said = refusal<argument_error>(
      fault_code::bad_input, [&] { (void)several_best(two_threads(), g, direction::maximise, 17); });
  EXPECT_TRUE(contains(said, "17"));
}

TEST(solve, refuses_what_memory_does_not_hold) {
  factor_graph<double> g;
  for (int v = 0; v < 12; ++v) g.add_variable(30);
  for (int x = 0; x < 12; ++x)
    for (int y = x + 1; y < 12; ++y) g.add_factor({x, y}, std::vector<double>(900, 1.0));
  solve_options little = quickly();
  little.order.most_elements = 1 << 20;
  little.memory = 100000;
  const std::string said =
      refusal<error>(fault_code::memory, [&] { (void)optimum(two_threads(), g, direction::minimise, little); });
  EXPECT_TRUE(contains(said, "100000 bytes are allowed")) << said;
}

// Beyond what f64 counts exactly, and what 64 bits hold.
TEST(solve, counts_beyond_64_bits) {
  factor_graph<std::int32_t> g;
  for (int v = 0; v < 100; ++v) g.add_variable(2);
  EXPECT_EQ(count_solutions(two_threads(), g, quickly()).count, "1267650600228229401496703205376");
  EXPECT_EQ(count_optima(two_threads(), g, direction::minimise, quickly()).count, "1267650600228229401496703205376");
  // Binary words of length 100 without two ones in a row: the Fibonacci number F(102).
  for (int v = 0; v + 1 < 100; ++v) g.add_factor({v, v + 1}, {0, 0, 0, min_plus<std::int32_t>::zero()});
  EXPECT_EQ(count_solutions(two_threads(), g, quickly()).count, "927372692193078999176");
  EXPECT_EQ(count_optima(two_threads(), g, direction::minimise, quickly()).count, "927372692193078999176");
  // With most ones: 50, of which there are 51 words.
  for (int v = 0; v < 100; ++v) g.add_factor({v}, {0, -1});
  const auto most = count_optima(two_threads(), g, direction::minimise, quickly());
  EXPECT_EQ(most.value, -50);
  EXPECT_EQ(most.count, "51");
}

// As many remainders as the first four primes, and more: 2^123 to 2^125.
TEST(solve, counts_by_four_primes_and_by_more) {
  const char* const powers[] = {"10633823966279326983230456482242756608", "21267647932558653966460912964485513216",
                                "42535295865117307932921825928971026432"};
  factor_graph<std::int32_t> g;
  for (int v = 0; v < 122; ++v) g.add_variable(2);
  for (const char* const power : powers) {
    g.add_variable(2);
    EXPECT_EQ(count_solutions(two_threads(), g, quickly()).count, power);
    EXPECT_EQ(count_optima(two_threads(), g, direction::minimise, quickly()).count, power);
  }
}

// Where f32, which is tried first, tells values or counts no longer.
TEST(solve, counts_where_floats_end) {
  factor_graph<std::int32_t> even;
  for (int v = 0; v < 26; ++v) {
    EXPECT_EQ(count_optima(two_threads(), even, direction::minimise, quickly()).count, std::to_string(1 << v));
    even.add_variable(2);
  }
  even.add_variable(3);  // 2^26 times 3, and no power of two
  EXPECT_EQ(count_optima(two_threads(), even, direction::minimise, quickly()).count, "201326592");
  factor_graph<std::int32_t> near;  // 2^24 and one more are the same to f32
  near.add_variable(3);
  near.add_factor({0}, {1 << 24, (1 << 24) + 1, 5});
  const auto best = count_optima(two_threads(), near, direction::maximise, quickly());
  EXPECT_EQ(best.value, (1 << 24) + 1);
  EXPECT_EQ(best.count, "1");
  near.add_factor({0}, {-1, -2, 0});  // of sums of two entries, too
  EXPECT_EQ(count_optima(two_threads(), near, direction::maximise, quickly()).count, "2");
}

// Independent sets of the n x n grid: A006506 of the On-Line Encyclopedia of Integer Sequences, for n = 0 to 8.
TEST(solve, counts_independent_sets_of_grids) {
  const char* const published[] = {"1", "2", "7", "63", "1234", "55447", "5598861", "1280128950", "660647962955"};
  for (int n = 0; n <= 8; ++n) {
    const auto p = independent_set(grid(n));
    EXPECT_EQ(count_solutions(two_threads(), p.factors, quickly()).count, published[n]) << n;
    const auto best = optimum(two_threads(), p, quickly());
    EXPECT_EQ(best.value, (n * n + 1) / 2);
    EXPECT_EQ(p.check(p.own_values(best.assignment)).value, best.value);
    EXPECT_TRUE(p.check(p.own_values(best.assignment)).is_feasible);
    EXPECT_EQ(count_optima(two_threads(), p, quickly()).count, n > 0 && n % 2 == 0 ? "2" : "1") << n;
  }
  // Cell by cell with integers of any size, in Python: as the sequence has them.
  EXPECT_EQ(count_solutions(two_threads(), independent_set(grid(12)).factors, quickly()).count,
            "162481813349792588536582997");
  EXPECT_EQ(count_solutions(two_threads(), independent_set(grid(16)).factors, quickly()).count,
            "18396766424410124752958806046933947217821482942");
}

}  // namespace
}  // namespace kleene::test::solve_test
