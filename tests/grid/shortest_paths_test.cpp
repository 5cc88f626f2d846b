// Shortest paths by all workers of a grid: those of one machine at the same block order.
#include "kleene/grid/shortest_paths.hpp"

#include "grid/grids.hpp"
#include "support/closable.hpp"
#include "support/equal.hpp"

#include <limits>
#include <optional>

namespace kleene::test::grid_shortest_paths {
namespace {

constexpr index_t block = 16;

template <class S>
void expect_like_one_machine(const csr<value_of<S>>& graph, const std::vector<std::int32_t>& sources = {}) {
  const apsp_options options{
      .method = apsp_method::floyd_warshall, .predecessors = true, .sources = sources, .closure = {.block = block}};
  const auto want = shortest_paths(context::cpu({.threads = 1}), S{}, graph, options);
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + ", " + std::to_string(graph.rows) + " vertices");
  ASSERT_TRUE(want.negative_cycle.empty());
  on_every_grid([&](worker& w) {
    const auto got = shortest_paths(w, S{}, graph, options);
    if (w.rank() != 0) {
      EXPECT_TRUE(got.distances.is_null());
      return;
    }
    EXPECT_TRUE(equal(got.distances, want.distances));
    EXPECT_TRUE(equal(got.predecessors, want.predecessors));
    EXPECT_EQ(got.sources, want.sources);
    EXPECT_EQ(got.arcs, graph.entries());
    EXPECT_EQ(got.method, apsp_method::floyd_warshall);
    for (const std::int32_t s : got.sources)
      for (std::int32_t t = 0; t < got.vertices; t += 7) EXPECT_EQ(got.path(s, t).vertices, want.path(s, t).vertices);
  });
}

template <class S>
csr<value_of<S>> closable_graph(index_t n) {
  coo<value_of<S>> list{n, n, {}, {}, {}};
  const auto dense = closable<S>(n, 0.1, 11 + n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      if (!(dense(i, j) == S::zero()))
        list.add(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), dense(i, j));
  return make_csr(list, [](auto a, auto) { return a; });
}

template <class S>
void expect_of_all_sizes() {
  for (const index_t n : {1, 53}) expect_like_one_machine<S>(closable_graph<S>(n));
}

TEST(grid_shortest_paths, algebras_with_paths) {
  expect_of_all_sizes<min_plus<float>>();
  expect_of_all_sizes<min_plus<std::int64_t>>();
  expect_of_all_sizes<max_plus<std::int32_t>>();
  expect_of_all_sizes<max_min<float>>();
  expect_of_all_sizes<max_times<double>>();
  expect_of_all_sizes<or_and<bool>>();
}

TEST(grid_shortest_paths, graphs_of_signed_weights_and_of_no_vertex) {
  for (const index_t n : {0, 2, 40, 70})
    expect_like_one_machine<min_plus<double>>(n == 0 ? csr<double>{}
                                                     : problems::random_signed_graph<min_plus<double>>(n, 4 * n, 5));
}

TEST(grid_shortest_paths, some_sources_in_their_order) {
  expect_like_one_machine<min_plus<float>>(closable_graph<min_plus<float>>(53), {40, 3, 3, 52});
}

TEST(grid_shortest_paths, results_go_to_the_targets_of_worker_0) {
  using S = min_plus<std::int32_t>;
  const auto graph = closable_graph<S>(53);
  const auto want = shortest_paths(context::cpu({.threads = 1}), S{}, graph);
  on_every_grid([&](worker& w) {
    matrix<std::int32_t> mine(53, 53, -7);
    const auto got = shortest_paths(w, S{}, problems::dense_of<S>(graph), {}, {.distances = mine.view()});
    if (w.rank() == 0) {
      EXPECT_EQ(got.distances.data(), mine.data());
      EXPECT_TRUE(equal(mine, want.distances));
    } else {
      EXPECT_EQ(mine(5, 5), -7);
    }
  });
}

// 2 -> 0 -> 1 -> 2 sums up to -1.
TEST(grid_shortest_paths, a_negative_cycle_is_shown) {
  coo<double> list{40, 40, {}, {}, {}};
  list.add(0, 1, 1), list.add(1, 2, 1), list.add(2, 0, -3), list.add(30, 39, 2);
  const auto graph = make_csr(list, [](auto a, auto) { return a; });
  on_every_grid([&](worker& w) {
    const auto got = shortest_paths(w, min_plus<double>{}, graph, {.predecessors = true, .closure = {.block = block}});
    if (w.rank() != 0) return;
    auto cycle = got.negative_cycle;
    ASSERT_EQ(cycle.size(), 3u);
    std::ranges::rotate(cycle, std::ranges::find(cycle, 0));
    EXPECT_EQ(cycle, (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_TRUE(got.distances.is_null());
  });
}

// What all workers throw.
template <class S>
std::string refusal(worker& w, const csr<value_of<S>>& graph, const apsp_options& options = {}) {
  try {
    (void)shortest_paths(w, S{}, graph, options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

template <class T>
csr<T> chain(const std::vector<T>& weights) {
  const auto n = static_cast<index_t>(weights.size()) + 1;
  coo<T> list{n, n, {}, {}, {}};
  for (std::size_t v = 0; v < weights.size(); ++v)
    list.add(static_cast<std::int32_t>(v), static_cast<std::int32_t>(v + 1), weights[v]);
  return make_csr(list, [](auto a, auto) { return a; });
}

TEST(grid_shortest_paths, errors_are_those_of_all_workers) {
  const double inf = std::numeric_limits<double>::infinity();
  on_every_grid([&](worker& w) {
    EXPECT_EQ(refusal<min_plus<double>>(w, chain<double>({1, 2})), "");
    EXPECT_EQ(refusal<min_plus<double>>(w, chain<double>({1, inf - inf})), "the arc 1 -> 2 (0-based) has weight NaN");
    EXPECT_EQ(refusal<min_plus<double>>(w, chain<double>({1e308, 1e308})),
              "min_plus: the distance from 0 to 2 (0-based) is finite but too large for f64; use smaller weights");
    EXPECT_EQ(refusal<min_plus<double>>(w, chain<double>({1}), {.method = apsp_method::dijkstra}),
              "dijkstra searches on one machine: on a grid all pairs are eliminated at once");
    csr<double> oblong = chain<double>({1});
    oblong.cols = 3;
    EXPECT_EQ(refusal<min_plus<double>>(w, oblong),
              "a graph on a grid is a square matrix of int32 vertices; this one is 2x3");
    const std::vector<std::int32_t> beyond{4};
    EXPECT_EQ(refusal<min_plus<double>>(w, chain<double>({1}), {.sources = beyond}),
              "source 4 is no vertex of a graph of 2 (0-based)");
  });
}

// Nine arcs of 200,000,000 are longer than 2^28, and below it each.
TEST(grid_shortest_paths, lengths_that_integers_do_not_hold) {
  using S = min_plus<std::int32_t>;
  const auto graph = chain<std::int32_t>(std::vector<std::int32_t>(9, 200'000'000));
  on_every_grid([&](worker& w) { EXPECT_THROW((void)shortest_paths(w, S{}, graph), overflow_error); });
}

// Stopped after three blocks of 32 on a grid of 2 x 2, and gone on with in the same blocks, where nobody says which.
TEST(grid_shortest_paths, a_checkpoint_says_in_which_blocks_to_go_on) {
  if (!is_first_process() || !is_possible({6, 1})) return;  // of threads
  using S = min_plus<float>;
  const auto graph = closable_graph<S>(300);
  const apsp_options options{.predecessors = true};
  const auto want =
      shortest_paths(context::cpu({.threads = 1}), S{}, graph,
                     {.method = apsp_method::floyd_warshall, .predecessors = true, .closure = {.block = 32}});
  const std::string folder = temporary_name("paths");
  EXPECT_THROW(grid::threads(2, 2).run([&](worker& w) {
    if (w.rank() == 0) w.context().on_progress([left = 3](double, double) mutable { return left-- > 0; });
    (void)shortest_paths(w, S{}, graph, {.predecessors = true, .closure = {.block = 32}}, {},
                         {.folder = folder, .every = 0});
  }),
               error);
  for (const auto& [rows, cols] : {grid_shape{1, 1}, {2, 3}})
    grid::threads(rows, cols).run([&, shape = rows * cols](worker& w) {
      double first = -1;
      if (w.rank() == 0)
        w.context().on_progress([&](double done, double) { return first = first < 0 ? done : first, true; });
      const auto got = shortest_paths(w, S{}, graph, options, {}, {.folder = folder, .every = 3600, .resume = true});
      if (w.rank() != 0) return;
      EXPECT_EQ(first, 2.0 * 300 * 300 * 96) << "three blocks are done";
      EXPECT_EQ(got.operations, 2.0 * 300 * 300 * 204);
      EXPECT_TRUE(equal(got.distances, want.distances)) << shape;
      EXPECT_TRUE(equal(got.predecessors, want.predecessors)) << shape;
    });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kleene::test::grid_shortest_paths
