// Shortest paths on random graphs: both methods against brute force, paths that reach their source and sum up, ties of
// all kinds.
#include "kleene/operations/shortest_paths.hpp"

#include "support/equal.hpp"
#include "support/problems.hpp"

#include <cmath>

namespace kleene::test::shortest_paths_test {
namespace {

constexpr apsp_method both[] = {apsp_method::floyd_warshall, apsp_method::dijkstra};

// Distances by n rounds over all arcs from every source (Bellman and Ford), in the algebra's own operators.
template <class S>
matrix<value_of<S>> brute_force(const csr<value_of<S>>& g) {
  matrix<value_of<S>> d(g.rows, g.rows, S::zero());
  for (index_t s = 0; s < g.rows; ++s) {
    d(s, s) = S::one();
    for (index_t round = 0; round < g.rows; ++round)
      for (index_t u = 0; u < g.rows; ++u)
        for (index_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
          const auto through = S::mul(widen<S>(d(s, u)), widen<S>(g.values[e]));
          d(s, g.columns[e]) = normalise<S>(S::add(widen<S>(d(s, g.columns[e])), through));
        }
  }
  return d;
}

// Every chain of predecessors ends at its source over arcs that exist, and sums up to the distance.
template <class S>
void expect_paths(const context& ctx, const apsp_result<S>& r, double tolerance) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const std::int32_t s : r.sources)
    for (std::int32_t t = 0; t < r.vertices; ++t) pairs.emplace_back(s, t);
  const auto paths = r.paths(ctx, pairs);
  ASSERT_EQ(paths.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [s, t] = pairs[i];
    const index_t row = r.row_of(s);
    const auto distance = r.distances(row, t);
    const auto cost = paths[i].cost;
    ASSERT_TRUE(cost == distance || std::abs(double(cost) - double(distance)) <= tolerance) << s << " -> " << t;
    if (s == t || distance == S::zero()) {
      ASSERT_EQ(r.predecessors(row, t), -1);
      ASSERT_EQ(paths[i].vertices.size(), s == t ? 1u : 0u);
    } else {
      ASSERT_EQ(paths[i].vertices.front(), s);
      ASSERT_EQ(paths[i].vertices.back(), t);
      ASSERT_EQ(r.predecessors(row, t), paths[i].vertices.end()[-2]);
    }
  }
}

template <class S>
void check_graph(const csr<value_of<S>>& g, bool searchable = true, double tolerance = 0) {
  const auto want = brute_force<S>(g);
  for (const apsp_method method : both)
    for (const int threads : {1, 2}) {
      if (method == apsp_method::dijkstra && !searchable) continue;
      const context ctx = context::cpu({.threads = threads});
      const auto r = shortest_paths(ctx, S{}, g, {.method = method, .predecessors = true, .closure = {.block = 64}});
      SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " " + to_string(method) + " n " +
                   std::to_string(g.rows));
      ASSERT_TRUE(r.negative_cycle.empty());
      EXPECT_EQ(r.method, method);
      EXPECT_EQ(r.reason, "as asked");
      ASSERT_TRUE(tolerance == 0 ? equal(r.distances, want) : close(r.distances, want, tolerance));
      expect_paths(ctx, r, tolerance);
      const auto plain = shortest_paths(ctx, S{}, g, {.method = method, .closure = {.block = 64}});
      if (tolerance == 0) {
        EXPECT_TRUE(equal(plain.distances, want));
      }
      EXPECT_TRUE(plain.predecessors.empty());
    }
}

TEST(shortest_paths, random_graphs_against_brute_force) {
  for (const index_t n : {1, 2, 7, 40, 100})
    for (const index_t arcs : {n, 4 * n}) {
      const auto whole = [](auto& g, index_t, index_t) { return 1 + g.below(50); };
      const auto real = [](auto& g, index_t, index_t) { return g.real(); };
      check_graph<min_plus<std::int32_t>>(problems::random_graph<min_plus<std::int32_t>>(n, arcs, 1, whole));
      check_graph<min_plus<std::int64_t>>(problems::random_graph<min_plus<std::int64_t>>(n, arcs, 2, whole));
      check_graph<min_plus<double>>(problems::random_graph<min_plus<double>>(n, arcs, 3, real), true, 1e-13);
      check_graph<min_plus<float>>(problems::random_graph<min_plus<float>>(n, arcs, 4, real), true, 1e-5);
    }
}

TEST(shortest_paths, other_algebras_against_brute_force) {
  for (const index_t n : {2, 30, 90}) {
    const auto whole = [](auto& g, index_t, index_t) { return g.below(6); };
    const auto probability = [](auto& g, index_t, index_t) { return std::exp2(-double(g.below(4))); };
    check_graph<max_min<float>>(problems::random_graph<max_min<float>>(n, 3 * n, 5, whole));
    check_graph<max_min<std::int32_t>>(problems::random_graph<max_min<std::int32_t>>(n, 3 * n, 6, whole));
    check_graph<min_max<double>>(problems::random_graph<min_max<double>>(n, 3 * n, 7, whole));
    check_graph<max_times<float>>(problems::random_graph<max_times<float>>(n, 3 * n, 8, probability));
    check_graph<max_times<double>>(problems::random_graph<max_times<double>>(n, 3 * n, 9, probability));
    check_graph<or_and<float>>(
        problems::random_graph<or_and<float>>(n, 2 * n, 10, [](auto&, index_t, index_t) { return 1; }));
    check_graph<max_plus<std::int32_t>>(problems::random_graph<max_plus<std::int32_t>>(
        n, 3 * n, 11, [](auto& g, index_t, index_t) { return -g.below(9); }));
  }
}

// Cycles that cost nothing, equal weights everywhere: many best paths, and predecessors must still reach the source.
TEST(shortest_paths, ties_of_all_kinds) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const index_t n : {20, 100, 150}) {
      const auto zero = [](auto&, index_t, index_t) { return 0; };
      const auto mostly_zero = [](auto& g, index_t, index_t) { return g.below(8) == 0; };
      const auto one = [](auto&, index_t, index_t) { return 1; };
      using shortest = min_plus<std::int32_t>;
      check_graph<shortest>(problems::random_graph<shortest>(n, 6 * n, seed, zero));
      check_graph<shortest>(problems::random_graph<shortest>(n, 6 * n, seed, mostly_zero));
      check_graph<shortest>(problems::random_graph<shortest>(n, 6 * n, seed, one));
      check_graph<min_plus<float>>(problems::random_graph<min_plus<float>>(n, 6 * n, seed, mostly_zero));
      check_graph<max_min<float>>(problems::random_graph<max_min<float>>(n, 6 * n, seed, mostly_zero));
      check_graph<min_max<std::int32_t>>(problems::random_graph<min_max<std::int32_t>>(n, 6 * n, seed, mostly_zero));
      check_graph<or_and<std::int32_t>>(problems::random_graph<or_and<std::int32_t>>(n, 6 * n, seed, one));
      check_graph<max_times<float>>(problems::random_graph<max_times<float>>(n, 6 * n, seed, one));
    }
}

// Zero cycles of signed weights: potentials shift a graph whose arcs cost 0, 1 or 2.
TEST(shortest_paths, signed_weights_with_zero_cycles) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const index_t n : {20, 100, 150})
      for (const int base : {1, 3}) {
        check_graph<min_plus<std::int32_t>>(problems::random_signed_graph<min_plus<std::int32_t>>(n, 5 * n, seed, base),
                                            false);
        check_graph<min_plus<float>>(problems::random_signed_graph<min_plus<float>>(n, 5 * n, seed, base), false);
      }
}

TEST(shortest_paths, a_subset_of_sources) {
  const auto g = problems::random_signed_graph<min_plus<std::int32_t>>(80, 300, 4);
  auto positive = g;
  for (auto& w : positive.values) w = std::abs(w);
  const std::vector<std::int32_t> sources{79, 3, 40, 3};
  for (const apsp_method method : both) {
    const csr<std::int32_t>& graph = method == apsp_method::dijkstra ? positive : g;
    const auto want = brute_force<min_plus<std::int32_t>>(graph);
    const context ctx = context::cpu({.threads = 2});
    const auto r = shortest_paths(ctx, graph, {.method = method, .predecessors = true, .sources = sources});
    ASSERT_EQ(r.distances.rows(), 4);
    for (index_t i = 0; i < 4; ++i)
      for (index_t t = 0; t < 80; ++t) ASSERT_EQ(r.distances(i, t), want(sources[i], t));
    EXPECT_EQ(r.row_of(40), 2);
    EXPECT_EQ(r.sources[r.row_of(3)], 3);
    expect_paths(ctx, r, 0);
    (void)refusal<value_error>(fault_code::bad_input, [&] { (void)r.path(5, 6); });
  }
}

TEST(shortest_paths, dense_input_says_the_same) {
  using S = min_plus<std::int32_t>;
  const auto g = problems::random_graph<S>(70, 250, 9, [](auto& r, index_t, index_t) { return r.below(20); });
  const matrix<std::int32_t> dense = problems::dense_of<S>(g);
  const context ctx = context::cpu({.threads = 2});
  for (const apsp_method method : both) {
    const auto r = shortest_paths(ctx, dense, {.method = method, .predecessors = true});
    EXPECT_TRUE(equal(r.distances, brute_force<S>(g)));
    EXPECT_EQ(r.arcs, g.entries());
    expect_paths(ctx, r, 0);
  }
  EXPECT_TRUE(equal(dense, problems::dense_of<S>(g))) << "the graph is only read";
}

}  // namespace
}  // namespace kleene::test::shortest_paths_test
