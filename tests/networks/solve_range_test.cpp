// Where values end: infinities of either sign, and costs that an element type does not hold. By hand.
#include "kleene/networks/solve.hpp"

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/networks/clusters.hpp"
#include "kleene/networks/problems.hpp"
#include "networks/factor_samples.hpp"
#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
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

template <class Call>
std::string refused(Call&& call) {
  return refusal<value_error>(fault_code::bad_input, call);
}

template <class T>
void every_value_is_refused(const factor_graph<T>& g, direction goal, const std::string& why) {
  EXPECT_TRUE(contains(refused([&] { (void)optimum(two_threads(), g, goal); }), why));
  EXPECT_TRUE(contains(refused([&] { (void)optimum(two_threads(), g, goal, value_alone()); }), why));
  EXPECT_TRUE(contains(refused([&] { (void)count_optima(two_threads(), g, goal); }), why));
  EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), g, goal, 4); }), why));
  EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), g, goal, 16); }), why));
}

// Each cost is in the algebra's range, the sum of nine is beyond the type.
template <class T>
void sums_of_integers_are_refused(T large) {
  for (const direction goal : both)
    for (const T cost : {large, T(-large)}) {
      const auto g = of_tables<T>(std::vector<std::vector<T>>(9, {cost, T(cost - 1)}));
      every_value_is_refused(g, goal, "use a wider");
      EXPECT_EQ(count_solutions(two_threads(), g).count, "2");
    }
}

TEST(solve_range, sums_of_integers_that_do_not_fit_are_refused) {
  sums_of_integers_are_refused<std::int32_t>(268435453);
  sums_of_integers_are_refused<std::int64_t>(1152921504606846973);
  const auto g = of_tables<std::int32_t>({9, {268435454, 268435453}});
  EXPECT_TRUE(contains(refused([&] { (void)count_optima(two_threads(), g, direction::minimise); }),
                       "the value is about 2415919077, which i32 does not hold"));
  // Opposite signs, so that f32 would not do: -18 times 268435454, 0, 0 and 18 times.
  factor_graph<std::int32_t> two;
  two.add_variable(2), two.add_variable(2);
  for (int copies = 0; copies < 9; ++copies) {
    two.add_factor({0}, {268435454, -268435454});
    two.add_factor({1}, {-268435454, 268435454});
  }
  for (const direction goal : both) every_value_is_refused(two, goal, "use a wider");
}

TEST(solve_range, only_values_that_are_asked_for_have_to_fit) {
  const auto g = of_tables<std::int32_t>({9, {1, 268435454}});
  EXPECT_EQ(count_optima(two_threads(), g, direction::minimise).value, 9);
  EXPECT_EQ(several_best(two_threads(), g, direction::minimise, 1).values, (values{9}));
  EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), g, direction::minimise, 2); }), "2415919086"));
  // Beyond the algebra's range, but not the type's.
  const auto three = of_tables<std::int32_t>({3, {268435454, 268435453}});
  EXPECT_EQ(count_optima(two_threads(), three, direction::minimise).value, 805306359);
  EXPECT_EQ(several_best(two_threads(), three, direction::minimise, 4).values, (values{805306359, 805306362}));
  (void)refused([&] { (void)optimum(two_threads(), three, direction::minimise); });
}

TEST(solve_range, ends_of_int32) {
  constexpr std::int32_t most = 2147483647, least = -2147483647 - 1;
  for (const direction goal : both) {
    for (const std::int32_t cost : {most, least, 1073741824, 1073741822, -1073741822}) {
      EXPECT_EQ(count_optima(two_threads(), of_tables<std::int32_t>({{cost}}), goal).value, cost);
      EXPECT_EQ(several_best(two_threads(), of_tables<std::int32_t>({{cost}}), goal, 2).values, (values{cost}));
    }
    // Finite sums that are the infinities.
    for (const std::int32_t sign : {1, -1}) {
      const auto g = of_tables<std::int32_t>({{sign * 536870912}, {sign * 536870911}});
      EXPECT_TRUE(contains(refused([&] { (void)count_optima(two_threads(), g, goal); }), "1073741823, which i32"));
      EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), g, goal, 1); }), "1073741823, which i32"));
    }
  }
}

// Costs whose sums in their own type would be -2 and 0, and one that the algebra would take for an infinity.
template <class T>
void costs_are_refused(bool counts_are_wider) {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::lowest();
  for (const direction goal : both)
    for (const T cost : {most, least, T(most / 2 + 100), T(least / 2 - 100), T(most / 8), T(-(most / 8))}) {
      const auto g = of_tables<T>({{0}, {cost}, {cost}});
      const std::string why = "factor 1 has " + std::to_string(cost) + " in its table";
      EXPECT_TRUE(contains(refused([&] { (void)optimum(two_threads(), g, goal); }), why));
      EXPECT_TRUE(contains(refused([&] { (void)optimum(two_threads(), g, goal, value_alone()); }), why));
      if (counts_are_wider) continue;
      EXPECT_TRUE(contains(refused([&] { (void)count_optima(two_threads(), g, goal); }), why));
      EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), g, goal, 4); }), why));
    }
}

TEST(solve_range, costs_beyond_the_algebra_are_refused) {
  costs_are_refused<std::int32_t>(true);
  costs_are_refused<std::int64_t>(false);
}

template <class T>
void has_values(const factor_graph<T>& g, direction goal, const std::vector<T>& want) {
  const auto best = optimum(two_threads(), g, goal);
  EXPECT_TRUE(best.is_feasible);
  EXPECT_EQ(best.value, want[0]);
  EXPECT_EQ(g.cost(best.assignment), want[0]);
  EXPECT_EQ(optimum(two_threads(), g, goal, value_alone()).value, want[0]);
  const auto counted = count_optima(two_threads(), g, goal);
  EXPECT_EQ(counted.value, want[0]);
  EXPECT_EQ(counted.count, std::to_string(std::count(want.begin(), want.end(), want[0])));
  EXPECT_EQ(several_best(two_threads(), g, goal, static_cast<int>(want.size())).values, want);
  EXPECT_EQ(several_best(two_threads(), g, goal, 1).values, (std::vector<T>{want[0]}));
}

template <class T>
void sums_of_floats(T large) {
  const T infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
  constexpr direction minimise = direction::minimise, maximise = direction::maximise;
  for (const direction goal : both)
    for (const T sign : {T(1), T(-1)}) {
      const auto g = of_tables<T>({{sign * large, sign * large}, {sign * large, sign * T(1.1) * large}});
      every_value_is_refused(g, goal, "finite but too large");
      EXPECT_EQ(count_solutions(two_threads(), g).count, "2");
      EXPECT_TRUE(contains(refused([&] { (void)general(g, goal).check(values{0}); }), "too large"));
      every_value_is_refused(of_tables<T>({{infinity, sign * large}, {-infinity, sign * large}}), goal, "too large");
    }
  // All totals fit, though not what the greatest costs add up to.
  for (const direction goal : both) {
    has_values<T>(of_tables<T>({{large, 0}, {0, large}}), goal, {large, large});
    has_values<T>(of_tables<T>({{-large, 0}, {0, -large}}), goal, {-large, -large});
    has_values<T>(of_tables<T>({{most}, {0}}), goal, {most});
    has_values<T>(of_tables<T>({{most}, {most}, {-most}}), goal, {most});
  }
  const auto cancelled = of_tables<T>({{large, 1}, {large, 2}, {-large, 3}});
  has_values<T>(cancelled, minimise, {6, large});
  has_values<T>(cancelled, maximise, {large, 6});
  EXPECT_EQ(general(cancelled, maximise).check(values{0}).value, large);
  // One does not fit, and matters where it is asked for.
  const auto one = of_tables<T>({{large, 1}, {large, 1}});
  has_values<T>(one, minimise, {2});
  EXPECT_EQ(optimum(two_threads(), one, minimise).assignment, (values{1}));
  every_value_is_refused(one, maximise, "finite but too large");
  EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), one, minimise, 2); }), "too large"));
  const auto below = of_tables<T>({{-large, 1}, {-large, 1}});
  has_values<T>(below, maximise, {2});
  every_value_is_refused(below, minimise, "finite but too large");
}

TEST(solve_range, sums_of_floats_that_do_not_fit_are_refused) {
  sums_of_floats(3e38f);
  sums_of_floats(1e308);
}

// By factors that have different variables, so that sums are those of a contraction.
TEST(solve_range, sums_of_floats_over_several_variables) {
  factor_graph<double> g;
  for (int v = 0; v < 4; ++v) g.add_variable(2);
  for (int v = 0; v < 4; ++v) g.add_factor({v, (v + 1) % 4}, {1e308, 3, 5, 1e308});
  // Alternating values: 3 + 5 + 3 + 5, and the same from the other end.
  has_values<double>(g, direction::minimise, {16, 16});
  every_value_is_refused(g, direction::maximise, "finite but too large for f64; use smaller costs");
  EXPECT_TRUE(contains(refused([&] { (void)several_best(two_threads(), g, direction::minimise, 3); }), "too large"));
}

// Whole numbers times so large a unit that 16 of it are too large, beside brute force over the numbers.
template <class T>
void agrees_in_large_units(T unit) {
  splitmix64 random{41};
  int fitting = 0, refusing = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const direction goal = both[trial % 2];
    const auto small = random_graph<T>(random, min_plus<T>::zero(), 20);
    factor_graph<T> g;
    for (int v = 0; v < small.variables(); ++v) g.add_variable(small.values(v));
    for (const auto& f : small.factors()) {
      auto table = f.table;
      for (T& cost : table) cost *= unit;
      g.add_factor(f.variables, std::move(table));
    }
    std::vector<T> want = all_costs(small, goal);
    if (want.empty()) {
      EXPECT_FALSE(optimum(two_threads(), g, goal).is_feasible);
      continue;
    }
    want.resize(std::min<std::size_t>(want.size(), 3));
    if (std::all_of(want.begin(), want.end(), [](T number) { return std::abs(number) < 16; })) {
      for (T& number : want) number *= unit;
      ASSERT_EQ(several_best(two_threads(), g, goal, 3).values, want) << "trial " << trial;
      ASSERT_EQ(optimum(two_threads(), g, goal).value, want[0]) << "trial " << trial;
      const auto counted = count_optima(two_threads(), g, goal);
      ASSERT_EQ(counted.value, want[0]) << "trial " << trial;
      ASSERT_EQ(counted.count, count_optima(two_threads(), small, goal).count) << "trial " << trial;
      ++fitting;
    } else {
      (void)refused([&] { (void)several_best(two_threads(), g, goal, 3); });
      ++refusing;
    }
  }
  EXPECT_GT(fitting, 50);
  EXPECT_GT(refusing, 10);
}

TEST(solve_range, agrees_in_units_that_16_of_are_too_large) {
  agrees_in_large_units(0x1p124f);
  agrees_in_large_units(0x1p1020);
}

// What is smaller by 2^64 only with a rounding; f32 has f64 to go to.
TEST(solve_range, tiny_costs_beside_huge_ones) {
  const auto g = of_tables<double>({{1e308, 1e-300}, {1e308, 0}});
  every_value_is_refused(g, direction::minimise, "factor 0 has 1e-300 in its table");
  has_values<double>(of_tables<double>({{1e308, 1e-280}, {1e308, 0}}), direction::minimise, {1e-280});
  has_values<double>(of_tables<double>({{1e308, 1e-300}, {0, 0}}), direction::minimise, {1e-300, 1e308});
  has_values<float>(of_tables<float>({{3e38f, 1e-40f}, {3e38f, 0}}), direction::minimise, {1e-40f});
}

}  // namespace
}  // namespace kleene::test::solve_range_test
