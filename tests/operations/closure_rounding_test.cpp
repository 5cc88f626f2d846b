// Cycles whose sum is 0 but for rounding: going round one may look like an improvement, again and again.
#include "support/place.hpp"

#include "kleene/operations/closure.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace kleene::test::closure_rounding_test {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

// 1 -> 3 -> 2 -> 1 sums to 0 from two of its vertices, and to -2.2e-16 from the third.
matrix<double> six_vertices() {
  matrix<double> a(6, 6, none);
  a(0, 1) = -1.187332370091538, a(0, 4) = 1.3973059844562767, a(1, 3) = .1488431958556935;
  a(2, 1) = -2.4337365251048793, a(3, 2) = 2.2848933292491855;
  a(4, 5) = -3.4928612176975227, a(5, 3) = 1.4299474106334804;
  return a;
}

// Each arc is the difference of its ends' potentials, so that all cycles sum to about 0, but for some that are longer.
matrix<double> potentials(index_t n, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::vector<double> at(n);
  for (double& p : at) p = uniform(draw);
  matrix<double> a(n, n, none);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      if (i != j && draw() % 3 == 0) a(i, j) = at[j] - at[i] + (draw() % 4 == 0 ? 0.25 : 0);
  return a;
}

// Predecessors lead to the root of their row, and lengths are the sums along them.
void expect_trees(const matrix<double>& arcs, const matrix<double>& lengths, const matrix<std::int32_t>& before,
                  const matrix<double>& closed) {
  const index_t n = arcs.rows();
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      if (i == j) continue;
      ASSERT_EQ(before(i, j) < 0, lengths(i, j) == none) << i << " " << j;
      if (lengths(i, j) == none) continue;
      index_t steps = 0;
      double sum = 0;
      for (index_t v = j; v != i; v = before(i, v)) {
        ASSERT_GE(before(i, v), 0) << i << " " << j;
        ASSERT_LT(++steps, n) << i << " " << j;
        sum += arcs(before(i, v), v);
      }
      ASSERT_NEAR(sum, lengths(i, j), 1e-12) << i << " " << j;
      ASSERT_NEAR(closed(i, j), lengths(i, j), 1e-12) << i << " " << j;
    }
}

TEST(closure_rounding, a_cycle_that_rounds_to_less_than_0_leaves_no_tree) {
  const matrix<double> arcs = six_vertices();
  matrix<double> closed = arcs, lengths = arcs;
  matrix<std::int32_t> before(6, 6, -1);
  EXPECT_TRUE(closure(context::cpu(), min_plus<double>{}, closed).exists);
  const closure_info info = closure(context::cpu(), min_plus<double>{}, lengths, before);
  EXPECT_FALSE(info.exists);
  EXPECT_TRUE(info.diverging >= 1 && info.diverging <= 3) << info.diverging;
}

TEST(closure_rounding, predecessors_are_trees) {
  int trees = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const index_t n = 3 + static_cast<index_t>(seed % 20);
    const matrix<double> arcs = potentials(n, seed);
    matrix<double> closed = arcs, lengths = arcs;
    matrix<std::int32_t> before(n, n, -1);
    const bool exists = closure(context::cpu(), min_plus<double>{}, closed).exists;
    const closure_info info = closure(context::cpu(), min_plus<double>{}, lengths, before);
    ASSERT_TRUE(exists || !info.exists) << seed;
    if (!info.exists) {
      ASSERT_TRUE(info.diverging >= 0 && info.diverging < n) << seed;
      continue;
    }
    ++trees;
    expect_trees(arcs, lengths, before, closed);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(trees, 30);
}

// Each matrix of a batch is closed by one thread: its answer is that of the matrix alone.
TEST(closure_rounding, in_batches) {
  const index_t count = 64, n = 12;
  batch<double> lengths(count, n, n);
  batch<std::int32_t> before(count, n, n, -1);
  for (index_t b = 0; b < count; ++b) {
    const matrix<double> arcs = potentials(n, static_cast<std::uint64_t>(b));
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) lengths(b, i, j) = arcs(i, j);
  }
  const closure_batch_info info = closure(context::cpu(), min_plus<double>{}, lengths, before);
  int trees = 0;
  for (index_t b = 0; b < count; ++b) {
    if (!info.exists && info.diverging[b] >= 0) continue;
    ++trees;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        index_t steps = 0;
        for (std::int32_t v = before(b, i, j); v >= 0; v = before(b, i, v)) ASSERT_LT(++steps, n) << b;
      }
  }
  EXPECT_GT(trees, 10);
}

TEST(closure_rounding, shortest_paths_show_the_cycle) {
  const auto found = shortest_paths(context::cpu(), min_plus<double>{}, six_vertices(), {.predecessors = true});
  ASSERT_EQ(found.negative_cycle.size(), 3u);
  const std::vector<std::int32_t> wanted{1, 3, 2};
  const auto first = std::find(wanted.begin(), wanted.end(), found.negative_cycle[0]) - wanted.begin();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found.negative_cycle[k], wanted[(first + k) % 3]);
}

}  // namespace
}  // namespace kleene::test::closure_rounding_test
