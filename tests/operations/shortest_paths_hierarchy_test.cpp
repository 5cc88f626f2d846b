// Shortest paths over a contracted graph: the distances of searches, predecessors that lead to the source; what it is
// not for, and when it is chosen.
#include "kleene/operations/shortest_paths.hpp"

#include "support/equal.hpp"
#include "support/problems.hpp"
#include "support/product.hpp"

namespace kleene::test::shortest_paths_hierarchy_test {
namespace {

using shortest = min_plus<std::int32_t>;

template <class S>
void expect_like_searches(const csr<value_of<S>>& g, const context& ctx, std::span<const std::int32_t> sources = {}) {
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " n " + std::to_string(g.rows) + " " + ctx.describe());
  const auto want = shortest_paths(ctx, S{}, g, {.method = apsp_method::dijkstra, .sources = sources});
  const auto r =
      shortest_paths(ctx, S{}, g, {.method = apsp_method::hierarchy, .predecessors = true, .sources = sources});
  EXPECT_EQ(r.method, apsp_method::hierarchy);
  ASSERT_TRUE(equal(r.distances, want.distances));
  for (index_t i = 0; i < r.distances.rows(); ++i)
    for (std::int32_t t = 0; t < g.rows; ++t) {
      const std::int32_t s = r.sources[i];
      const auto path = r.path(s, t);
      ASSERT_TRUE(path.cost == want.distances(i, t)) << s << " -> " << t;
      const bool none = s == t || want.distances(i, t) == S::zero();
      ASSERT_EQ(r.predecessors(i, t), none ? -1 : path.vertices.end()[-2]) << s << " -> " << t;
    }
}

// Crossings in rows, each a road to the next one and to the one below; one road in eight leads one way only.
template <class S>
csr<value_of<S>> roads(index_t rows, index_t columns, std::uint64_t seed, int sign = 1) {
  problems::generator g(seed);
  coo<value_of<S>> list{rows * columns, rows * columns, {}, {}, {}};
  const auto add = [&](index_t u, index_t v) {
    const auto length = [&] { return static_cast<value_of<S>>(sign * (1 + g.below(50))); };
    list.add(static_cast<std::int32_t>(u), static_cast<std::int32_t>(v), length());
    if (!g.chance(0.125)) list.add(static_cast<std::int32_t>(v), static_cast<std::int32_t>(u), length());
  };
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) {
      if (j + 1 < columns) add(i * columns + j, i * columns + j + 1);
      if (i + 1 < rows) add(i * columns + j, (i + 1) * columns + j);
    }
  return make_csr(list, [](auto a, auto b) { return S::add(a, b); });
}

TEST(shortest_paths_hierarchy, four_vertices_by_hand) {
  // 0 -> 1 (2), 1 -> 2 (3), 0 -> 2 (9), 2 -> 0 (1); nothing leads to 3.
  const csr<std::int32_t> g = make_csr(coo<std::int32_t>{4, 4, {0, 0, 1, 2, 3}, {1, 2, 2, 0, 0}, {2, 9, 3, 1, 7}},
                                       [](int a, int) { return a; });
  const auto r = shortest_paths(context::cpu(), g, {.method = apsp_method::hierarchy, .predecessors = true});
  const std::int32_t no = shortest::zero();
  EXPECT_TRUE(equal(r.distances, matrix<std::int32_t>{{0, 2, 5, no}, {4, 0, 3, no}, {1, 3, 0, no}, {7, 9, 12, 0}}));
  EXPECT_TRUE(
      equal(r.predecessors, matrix<std::int32_t>{{-1, 0, 1, -1}, {2, -1, 1, -1}, {2, 0, -1, -1}, {3, 0, 1, -1}}));
  EXPECT_EQ(r.reason, "as asked");
  EXPECT_EQ(r.operations, 2.0 * 5 * 4);
}

TEST(shortest_paths_hierarchy, is_what_searches_find) {
  for (const std::string_view isa : instruction_sets())
    for (const int threads : {1, 2}) {
      const context ctx = context::cpu({.threads = threads, .isa = isa});
      expect_like_searches<shortest>(roads<shortest>(9, 13, 1), ctx);
      expect_like_searches<min_plus<std::int64_t>>(roads<min_plus<std::int64_t>>(8, 12, 2), ctx);
      expect_like_searches<max_plus<std::int32_t>>(roads<max_plus<std::int32_t>>(7, 11, 3, -1), ctx);
      expect_like_searches<max_plus<std::int64_t>>(roads<max_plus<std::int64_t>>(6, 10, 4, -1), ctx);
    }
}

TEST(shortest_paths_hierarchy, graphs_of_any_shape) {
  const auto length = [](auto& g, index_t, index_t) { return 1 + g.below(9); };  // many ties
  for (const index_t n : {1, 2, 3, 15, 16, 17, 40, 90})
    for (const index_t arcs : {index_t{0}, n / 2, n, 3 * n, 12 * n})
      expect_like_searches<shortest>(problems::random_graph<shortest>(n, arcs, 5, length), context::cpu());
  csr<std::int32_t> infinite = roads<shortest>(4, 4, 6);  // an arc of no use
  infinite.values[3] = shortest::zero();
  expect_like_searches<shortest>(infinite, context::cpu());
  EXPECT_TRUE(
      shortest_paths(context::cpu(), csr<std::int32_t>{}, {.method = apsp_method::hierarchy}).distances.empty());
}

TEST(shortest_paths_hierarchy, some_sources_and_the_callers_matrices) {
  const csr<std::int32_t> g = roads<shortest>(10, 10, 7);
  const context ctx = context::cpu({.threads = 2});
  std::vector<std::int32_t> sources{99, 3, 40, 3};
  expect_like_searches<shortest>(g, ctx, sources);
  for (std::int32_t v = 0; v < 30; ++v) sources.push_back(v);
  expect_like_searches<shortest>(g, ctx, sources);

  matrix<std::int32_t> d(102, 105, -7), p(100, 100, -7);
  const auto inside = d.view().block(1, 2, 100, 100), across = p.view().transposed();
  const auto want = shortest_paths(ctx, g, {.method = apsp_method::hierarchy, .predecessors = true});
  const auto r =
      shortest_paths(ctx, problems::dense_of<shortest>(g), {.method = apsp_method::hierarchy, .predecessors = true},
                     {.distances = inside, .predecessors = across});
  EXPECT_TRUE(equal(inside, want.distances));
  EXPECT_TRUE(equal(across, want.predecessors));
  EXPECT_EQ(r.distances.data(), inside.data());
  index_t untouched = 0;
  for (index_t e = 0; e < d.size(); ++e) untouched += d.data()[e] == -7;
  EXPECT_EQ(untouched, d.size() - 100 * 100);
}

TEST(shortest_paths_hierarchy, is_chosen_for_roads_and_given_up_without_separators) {
  const csr<std::int32_t> g = roads<shortest>(40, 40, 8);
  const auto r = shortest_paths(context::cpu(), g, {.predecessors = true});
  EXPECT_EQ(r.method, apsp_method::hierarchy) << r.reason;
  EXPECT_TRUE(r.reason.starts_with("by estimate ") && r.reason.find("dijkstra about") != std::string::npos) << r.reason;
  const std::vector<std::int32_t> few{5, 6};
  EXPECT_EQ(shortest_paths(context::cpu(), g, {.sources = few}).method, apsp_method::dijkstra);

  const auto length = [](auto& draw, index_t, index_t) { return 1 + draw.below(9); };
  const auto random = problems::random_graph<shortest>(1500, 6000, 9, length);
  EXPECT_NE(shortest_paths(context::cpu(), random).method, apsp_method::hierarchy);
}

// Said by name and refused; by themselves searches or eliminations run.
template <class S>
void expect_refused(const csr<value_of<S>>& g, const char* why, bool predecessors = true) {
  const std::string said = refusal<value_error>(fault_code::bad_input, [&] {
    (void)shortest_paths(context::cpu(), S{}, g, {.method = apsp_method::hierarchy, .predecessors = predecessors});
  });
  EXPECT_NE(said.find(why), std::string::npos) << said;
  EXPECT_NE(shortest_paths(context::cpu(), S{}, g, {.predecessors = predecessors}).method, apsp_method::hierarchy);
}

TEST(shortest_paths_hierarchy, what_it_is_not_for) {
  expect_refused<min_plus<double>>(roads<min_plus<double>>(3, 3, 1), "it is for sums of i32 or i64");
  expect_refused<max_min<std::int32_t>>(roads<max_min<std::int32_t>>(3, 3, 1), "it is for sums of i32 or i64");

  csr<std::int32_t> g = roads<shortest>(3, 3, 1);
  g.values[0] = 0;
  expect_refused<shortest>(g, "the arc 0 -> 1 (0-based) costs nothing");
  const auto alone = shortest_paths(context::cpu(), g, {.method = apsp_method::hierarchy});
  EXPECT_TRUE(equal(alone.distances, shortest_paths(context::cpu(), g, {.method = apsp_method::dijkstra}).distances));

  g.values[0] = 15'000'000;  // times 2 * 9 no more than i32 has for lengths, 268,435,454; 14,913,081 would fit
  expect_refused<shortest>(g, "sums of two paths could leave i32");
  g.values[0] = 14'900'000;
  EXPECT_EQ(shortest_paths(context::cpu(), g, {.method = apsp_method::hierarchy}).method, apsp_method::hierarchy);

  g.values[0] = -1;
  const std::string said = refusal<value_error>(
      fault_code::bad_input, [&] { (void)shortest_paths(context::cpu(), g, {.method = apsp_method::hierarchy}); });
  EXPECT_NE(said.find("hierarchy: the arc 0 -> 1 (0-based) has weight -1, which improves a path"), std::string::npos)
      << said;
}

TEST(shortest_paths_hierarchy, progress_stops_it) {
  const csr<std::int32_t> g = roads<shortest>(20, 20, 3);
  context ctx = context::cpu({.threads = 1});
  double last = -1, all = 0;
  ctx.on_progress([&](double done, double total) {
    EXPECT_GT(done, last);
    last = done;
    all = total;
    return true;
  });
  EXPECT_EQ(shortest_paths(ctx, g, {.method = apsp_method::hierarchy}).operations, all);
  EXPECT_GT(last, 0.9 * all);
  ctx.on_progress([](double, double) { return false; });
  EXPECT_THROW((void)shortest_paths(ctx, g, {.method = apsp_method::hierarchy}), error);
}

// A random graph has no small separators: n^3 steps, here some 40 million.
TEST(shortest_paths_hierarchy, progress_stops_a_contraction) {
  const auto length = [](auto& g, index_t, index_t) { return 1 + g.below(9); };
  const auto g = problems::random_graph<shortest>(500, 10'000, 3, length);
  context ctx = context::cpu({.threads = 1});
  int before_any_row = 0;
  ctx.on_progress([&](double done, double) {
    before_any_row += done == 0;
    return before_any_row < 10;
  });
  const std::vector<std::int32_t> first{0};
  const apsp_options options{.method = apsp_method::hierarchy, .sources = first};
  EXPECT_EQ(refusal<error>(fault_code::usage, [&] { (void)shortest_paths(ctx, g, options); }), "interrupted");
  EXPECT_EQ(before_any_row, 10);
}

}  // namespace
}  // namespace kleene::test::shortest_paths_hierarchy_test
