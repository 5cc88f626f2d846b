// Where values end: infinities of either sign, and costs that an element type does not hold. By hand.
#include "kleene/networks/solve.hpp"

#include "kleene/algebra/semirings.hpp"
#include "kleene/networks/clusters.hpp"
#include "kleene/networks/problems.hpp"
#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace kleene::test::solve_range_test {
namespace {

using values = std::vector<std::int32_t>;

const context& two_threads() {
  static const context ctx = context::cpu({.threads = 2});
  return ctx;
}

constexpr direction both[] = {direction::minimise, direction::maximise};

solve_options value_alone() {
  solve_options options;
  options.assignment = false;
  return options;
}

// One variable, and a factor for each table.
template <class T>
factor_graph<T> of_tables(const std::vector<std::vector<T>>& tables) {
  factor_graph<T> g;
  g.add_variable(static_cast<index_t>(tables[0].size()));
  for (const auto& table : tables) g.add_factor({0}, table);
  return g;
}

template <class T>
void infinities_forbid() {
  const T above = min_plus<T>::zero(), below = max_plus<T>::zero();
  for (const direction goal : both) {
    const auto g = of_tables<T>({{above, below, 5, 5}, {0, 0, 0, 0}});
    SCOPED_TRACE(goal == direction::minimise ? "minimise" : "maximise");
    const auto best = optimum(two_threads(), g, goal);
    EXPECT_TRUE(best.is_feasible);
    EXPECT_EQ(best.value, T(5));
    EXPECT_EQ(best.assignment, (values{2}));
    EXPECT_EQ(optimum(two_threads(), g, goal, value_alone()).value, T(5));
    const auto counted = count_optima(two_threads(), g, goal);
    EXPECT_TRUE(counted.is_feasible);
    EXPECT_EQ(counted.value, T(5));
    EXPECT_EQ(counted.count, "2");
    EXPECT_EQ(several_best(two_threads(), g, goal, 4).values, (std::vector<T>{5, 5}));
    EXPECT_EQ(several_best(two_threads(), g, goal, 5).values, (std::vector<T>{5, 5}));
    EXPECT_EQ(count_solutions(two_threads(), g).count, "2");
    const auto p = general(g, goal);
    const T forbidden = goal == direction::minimise ? above : below;
    for (const std::int32_t answer : {0, 1}) {
      const auto said = p.check(values{answer});
      EXPECT_FALSE(said.is_feasible);
      EXPECT_EQ(said.value, forbidden);
      EXPECT_EQ(said.why, "factor 0 forbids it");
    }
    EXPECT_TRUE(p.check(values{3}).is_feasible);
    EXPECT_EQ(p.check(values{3}).value, T(5));
    EXPECT_EQ(solutions<double>(p).factors()[0].table, (std::vector<double>{0, 0, 1, 1}));
    // Nothing is left: of both signs in one sum, too.
    const auto none = of_tables<T>({{above, below}, {below, 1}, {1, 1}});
    EXPECT_FALSE(optimum(two_threads(), none, goal).is_feasible);
    EXPECT_EQ(optimum(two_threads(), none, goal).value, forbidden);
    EXPECT_FALSE(count_optima(two_threads(), none, goal).is_feasible);
    EXPECT_EQ(count_optima(two_threads(), none, goal).value, forbidden);
    EXPECT_EQ(count_optima(two_threads(), none, goal).count, "0");
    EXPECT_TRUE(several_best(two_threads(), none, goal, 3).values.empty());
    EXPECT_EQ(count_solutions(two_threads(), none).count, "0");
    EXPECT_FALSE(general(none, goal).check(values{0}).is_feasible);
  }
}

TEST(solve_range, infinities_of_either_sign_forbid) {
  infinities_forbid<std::int32_t>();
  infinities_forbid<std::int64_t>();
  infinities_forbid<float>();
  infinities_forbid<double>();
}

TEST(solve_range, a_nan_is_no_candidate) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const direction goal : both) {
    const auto p = general(of_tables<double>({{nan, 7}}), goal);
    EXPECT_EQ(optimum(two_threads(), p).value, 7);
    EXPECT_FALSE(p.check(values{0}).is_feasible);
    EXPECT_TRUE(p.check(values{1}).is_feasible);
  }
}

// Three of four pairs of values are left, whatever the sign of what forbids the fourth.
TEST(solve_range, clusters_by_infinities_of_either_sign) {
  for (const direction goal : both)
    for (const std::int32_t forbidden : {min_plus<std::int32_t>::zero(), max_plus<std::int32_t>::zero()}) {
      factor_graph<std::int32_t> g;
      g.add_variable(2), g.add_variable(2);
      g.add_factor({0, 1}, {4, 4, 4, forbidden});
      const auto p = clustered(general(g, goal), clustering::always);
      ASSERT_EQ(p.factors.variables(), 1);
      EXPECT_EQ(p.factors.values(0), 3);
      EXPECT_EQ(count_optima(two_threads(), p).count, "3");
      EXPECT_FALSE(p.check(values{1, 1}).is_feasible);
    }
}

}  // namespace
}  // namespace kleene::test::solve_range_test
