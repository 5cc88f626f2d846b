// What is asked of the result of shortest paths where there is nothing to tell, or where it was changed.
#include "kleene/operations/shortest_paths.hpp"

#include "support/equal.hpp"
#include "support/graphs.hpp"

namespace kleene::test::shortest_paths_result_test {
namespace {

// 0 -> 1: 1, 1 -> 0: -2, 1 -> 2: 1.
TEST(shortest_paths_result, a_negative_cycle_is_shown_to_whoever_asks_for_more) {
  const context ctx = context::cpu();
  const auto r =
      shortest_paths(ctx, graph<double>(3, {{0, 1, 1.0}, {1, 0, -2.0}, {1, 2, 1.0}}), {.predecessors = true});
  ASSERT_EQ(r.negative_cycle.size(), 2u);
  const auto said = [](auto call) { return refusal<value_error>(fault_code::bad_input, call); };
  const auto shows = [](const std::string& text) {
    return contains(text, "0 -> 1 -> 0") || contains(text, "1 -> 0 -> 1");
  };
  const std::pair<std::int32_t, std::int32_t> one[] = {{0, 2}};
  for (const std::string& text :
       {said([&] { (void)r.path(0, 2); }), said([&] { (void)r.paths(ctx, one); }), said([&] { (void)summarise(r); })})
    EXPECT_TRUE(shows(text)) << text;
  coo<double> ring{40, 40, {}, {}, {}};
  for (std::int32_t v = 0; v < 40; ++v) ring.add(v, (v + 1) % 40, -1);
  const csr<double> long_one = make_csr(ring, [](double a, double) { return a; });
  const std::string text = said([&] { (void)summarise(shortest_paths(ctx, long_one)); });
  EXPECT_TRUE(contains(text, "(40 vertices)") && text.size() < 300) << text;
}

// What path() finds in matrices that are the caller's to change.
TEST(shortest_paths_result, one_that_was_moved_from_is_empty) {
  const auto g = graph<double>(3, {{0, 1, 1.0}});
  auto r = shortest_paths(context::cpu(), g, {.predecessors = true});
  const auto moved = std::move(r);
  EXPECT_EQ(summarise(moved).reachable_pairs, 1);
  EXPECT_EQ(summarise(r).reachable_pairs, 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(summarise(r).unreachable_pairs, 0);
  EXPECT_THROW((void)r.path(0, 1), argument_error);
}

TEST(shortest_paths_result, predecessors_that_lead_nowhere_are_reported) {
  const context ctx = context::cpu({.threads = 2});
  const auto g = graph<double>(4, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 3, 1.0}});
  auto r = shortest_paths(ctx, g, {.predecessors = true});
  const auto said = [](auto call) { return refusal<error>(fault_code::internal, call); };
  for (const std::int32_t wrong : {77, 3, -5}) {
    r.predecessors(0, 3) = wrong;
    EXPECT_TRUE(contains(said([&] { (void)r.path(0, 3); }), "do not lead back to 0")) << wrong;
    const std::vector<std::pair<std::int32_t, std::int32_t>> many(200, {0, 3});
    EXPECT_TRUE(contains(said([&] { (void)r.paths(ctx, many); }), "do not lead back to 0")) << wrong;
  }
  r.predecessors(0, 3) = 0;  // there is no such arc
  EXPECT_TRUE(contains(said([&] { (void)r.path(0, 3); }), "did the graph change?"));
  EXPECT_EQ(r.path(0, 2).cost, 2);
}

TEST(shortest_paths_result, an_arc_that_is_gone_from_a_dense_graph_is_reported) {
  constexpr double none = std::numeric_limits<double>::infinity();
  matrix<double> g(3, 3, none);
  g(0, 1) = 2, g(1, 2) = 3;
  const auto r = shortest_paths(context::cpu({.threads = 1}), min_plus<double>{}, g, {.predecessors = true});
  EXPECT_EQ(r.path(0, 2).cost, 5);
  g(1, 2) = none;
  EXPECT_TRUE(contains(refusal<error>(fault_code::internal, [&] { (void)r.path(0, 2); }), "did the graph change?"));
  EXPECT_EQ(r.path(0, 1).cost, 2);
}

// As the contract says: costs are summed along the graph as it is by then, distances stay.
TEST(shortest_paths_result, a_weight_that_changed_is_in_costs_and_not_in_distances) {
  matrix<double> g(3, 3, std::numeric_limits<double>::infinity());
  g(0, 1) = 2, g(1, 2) = 3;
  const auto r = shortest_paths(context::cpu({.threads = 1}), min_plus<double>{}, g, {.predecessors = true});
  g(1, 2) = 10;
  EXPECT_EQ(r.path(0, 2).cost, 12);
  EXPECT_EQ(r.distances(0, 2), 5);
}

}  // namespace
}  // namespace kleene::test::shortest_paths_result_test
