// Many paths at once from predecessors in host memory.
#include "kleene/operations/paths.hpp"

#include "kleene/operations/closure.hpp"
#include "support/closable.hpp"
#include "support/equal.hpp"

namespace kleene::test::paths_test {
namespace {

// 0 -> 1 -> 2, and 3 alone.
TEST(paths, by_hand) {
  matrix<std::int32_t> p(4, 4, -1);
  p(0, 1) = 0, p(0, 2) = 1, p(1, 2) = 1;
  const path_list found = paths(context::cpu(), p, {{0, 2}, {1, 2}, {2, 0}, {3, 3}, {0, 1}});
  ASSERT_EQ(found.count(), 5);
  const auto is = [&](index_t q, std::vector<std::int32_t> want) {
    EXPECT_EQ(std::vector<std::int32_t>(found[q].begin(), found[q].end()), want) << q;
  };
  is(0, {0, 1, 2}), is(1, {1, 2}), is(2, {}), is(3, {3}), is(4, {0, 1});
  EXPECT_EQ(paths(context::cpu(), p, {}).count(), 0);
}

TEST(paths, refusals) {
  matrix<std::int32_t> p(3, 3, -1), wide(3, 4, -1);
  EXPECT_THROW((void)paths(context::cpu(), p, {{0, 3}}), value_error);
  EXPECT_THROW((void)paths(context::cpu(), p, {{-1, 0}}), value_error);
  EXPECT_THROW((void)paths(context::cpu(), wide, {{0, 0}}), shape_error);
  const matrix_view<const std::int32_t> nothing(nullptr, {3, 3});
  EXPECT_THROW((void)paths(context::cpu(), nothing, {{0, 1}}), argument_error);
  p(0, 1) = 2, p(0, 2) = 1;  // round and round
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { (void)paths(context::cpu(), p, {{0, 1}}); }),
                       "do not lead back"));
  p(0, 2) = -1;  // ends on the way
  EXPECT_THROW((void)paths(context::cpu(), p, {{0, 1}}), value_error);
}

TEST(paths, all_pairs_sum_to_their_distances) {
  using S = min_plus<std::int32_t>;
  const index_t n = 150;
  const auto graph = closable<S>(n, 0.03, 4);
  auto a = graph;
  matrix<std::int32_t> p(n, n);
  const context ctx = context::cpu({.threads = 2});
  ASSERT_TRUE(closure(ctx, S{}, a, p).exists);
  std::vector<vertex_pair> pairs;
  for (std::int32_t s = 0; s < n; ++s)
    for (std::int32_t t = 0; t < n; ++t) pairs.emplace_back(s, t);
  const path_list found = paths(ctx, p.view().transposed().transposed(), pairs);
  for (std::size_t q = 0; q < pairs.size(); ++q) {
    const auto path = found[q];
    const std::int32_t distance = a(pairs[q].first, pairs[q].second);
    ASSERT_EQ(path.empty(), distance == S::zero());
    if (path.empty()) continue;
    ASSERT_EQ(path.front(), pairs[q].first);
    ASSERT_EQ(path.back(), pairs[q].second);
    std::int32_t sum = 0;
    for (std::size_t e = 1; e < path.size(); ++e) sum += graph(path[e - 1], path[e]);
    ASSERT_EQ(sum, distance);
  }
}

}  // namespace
}  // namespace kleene::test::paths_test
