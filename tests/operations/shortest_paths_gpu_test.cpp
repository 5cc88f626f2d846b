// Shortest paths on a device against the CPU: sparse and dense graphs, sources, routes, cycles, real data where it lies
// beside the program (KLEENE_TEST_DATA, or the repository's).
#include "kleene/operations/shortest_paths.hpp"

#include "kleene/io/graph.hpp"
#include "kleene/operations/paths.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

#include <cstdlib>
#include <filesystem>

namespace kleene::test {
namespace {

// The same question on both. Distances are equal (floats: within `relative`), routes reach their source.
template <class S>
void expect_like_cpu(const context& ctx, const csr<value_of<S>>& graph, double relative = 0) {
  if (!sampled()) return;
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " " + std::to_string(graph.rows) + " vertices");
  const context host = context::cpu({.threads = 2});
  const apsp_options options{.method = apsp_method::floyd_warshall, .predecessors = true};
  const auto want = shortest_paths(host, S{}, graph, options), got = shortest_paths(ctx, S{}, graph, options);
  ASSERT_EQ(got.negative_cycle.empty(), want.negative_cycle.empty());
  EXPECT_EQ(got.arcs, want.arcs);
  if (!got.negative_cycle.empty()) {
    EXPECT_EQ(got.negative_cycle, want.negative_cycle);
    return;
  }
  if (relative > 0) {
    EXPECT_TRUE(close(got.distances, want.distances, relative));
  } else {
    EXPECT_TRUE(equal(got.distances, want.distances));
  }
  EXPECT_TRUE(reaches_source<S>(problems::dense_of<S>(graph).view(), got.distances, got.predecessors, relative));
}

TEST(shortest_paths_on_cuda, random_graphs) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {1, 2, 65, 300, 1001})
    for (const index_t degree : {1, 4, 20}) {
      const auto weight = [](auto& g, index_t, index_t) { return 1 + g.below(100); };
      expect_like_cpu<min_plus<float>>(ctx, problems::random_graph<min_plus<float>>(n, degree * n, 1, weight));
      expect_like_cpu<min_plus<std::int64_t>>(ctx,
                                              problems::random_graph<min_plus<std::int64_t>>(n, degree * n, 2, weight));
      expect_like_cpu<max_min<double>>(ctx, problems::random_graph<max_min<double>>(n, degree * n, 3, weight));
      expect_like_cpu<min_plus<std::int32_t>>(
          ctx, problems::random_signed_graph<min_plus<std::int32_t>>(n, degree * n, 4, 3));
      expect_like_cpu<min_plus<double>>(ctx,
                                        problems::random_graph<min_plus<double>>(
                                            n, degree * n, 5, [](auto& g, index_t, index_t) { return g.real(); }),
                                        1e-12);
    }
}

TEST(shortest_paths_on_cuda, cycles_are_reported_as_on_the_cpu) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {3, 90, 700}) {
    auto graph = problems::random_graph<min_plus<std::int32_t>>(
        n, 4 * n, 7, [](auto& g, index_t, index_t) { return g.below(50) - 3; });
    expect_like_cpu<min_plus<std::int32_t>>(ctx, graph);
  }
}

TEST(shortest_paths_on_cuda, dense_graphs_sources_and_targets) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda(), host = context::cpu({.threads = 2});
  const matrix<float> graph = closable<S>(203, 0.05, 3);
  const apsp_options all{.method = apsp_method::floyd_warshall, .predecessors = true};
  const auto want = shortest_paths(host, S{}, graph, all);
  matrix<float> d(203, 203, -1.0f);
  matrix<std::int32_t> p(203, 203, -9);
  const auto got = shortest_paths(ctx, S{}, graph, all, {d.view(), p.view()});
  EXPECT_EQ(got.distances.data(), d.data());
  EXPECT_TRUE(equal(d, want.distances));
  EXPECT_TRUE(reaches_source<S>(graph.view(), d.view(), p.view()));
  EXPECT_EQ(got.method, apsp_method::floyd_warshall);

  const std::vector<std::int32_t> sources{7, 0, 202};
  const auto some = shortest_paths(ctx, S{}, graph, {.predecessors = true, .sources = sources});
  ASSERT_EQ(some.distances.rows(), 3);
  for (index_t i = 0; i < 3; ++i)
    for (index_t j = 0; j < 203; ++j) {
      ASSERT_EQ(some.distances(i, j), want.distances(sources[i], j));
      const auto route = some.path(sources[i], static_cast<std::int32_t>(j));
      ASSERT_EQ(route.cost, want.distances(sources[i], j));
    }
  EXPECT_THROW((void)shortest_paths(ctx, S{}, graph, {.method = apsp_method::dijkstra}), error);
}

TEST(shortest_paths_on_cuda, too_large_is_refused_with_numbers) {
  KLEENE_NEEDS_GPU();
  csr<double> path;
  path.rows = path.cols = 400000;
  path.offsets.assign(path.rows + 1, 0);
  try {
    (void)shortest_paths(context::cuda(), path, {.sources = std::vector<std::int32_t>{0}});
    FAIL() << "1.3 TB fit";
  } catch (const error& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(fault_code::memory));
    EXPECT_TRUE(contains(e.what(), "bytes on the device")) << e.what();
  }
}

// Copies too large for the driver's own staging: both ways, contiguous and pitched.
TEST(shortest_paths_on_cuda, large_copies) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  matrix<std::int32_t> host(5003, 4001, uninitialised{});
  for (index_t i = 0; i < host.rows(); ++i)
    for (index_t j = 0; j < host.cols(); ++j) host(i, j) = static_cast<std::int32_t>(i * 7919 + j);
  EXPECT_TRUE(equal(to_host(ctx, to_device(ctx, host)), host));
  device_matrix<std::int32_t> wide(ctx, 5003, 4100);
  copy(ctx, host, wide.view().block(0, 50, 5003, 4001));
  matrix<std::int32_t> back(5003, 4500, -1);
  copy(ctx, wide.view().block(0, 50, 5003, 4001), back.view().block(0, 7, 5003, 4001));
  ctx.synchronise();
  EXPECT_TRUE(equal(back.view().block(0, 7, 5003, 4001), host));
  EXPECT_EQ(back(5002, 6), -1);
  EXPECT_EQ(back(0, 4008), -1);
}

TEST(shortest_paths_on_cuda, paths_from_predecessors_on_the_device) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  const index_t n = 300;
  auto a = to_device(ctx, closable<S>(n, 0.02, 4));
  device_matrix<std::int32_t> p(ctx, n, n);
  ASSERT_TRUE(closure(ctx, S{}, a, p).exists);
  std::vector<vertex_pair> pairs;
  for (std::int32_t s = 0; s < n; ++s)
    for (std::int32_t t = 0; t < n; t += 3) pairs.emplace_back(s, t);
  const path_list got = paths(ctx, p, pairs), want = paths(context::cpu(), to_host(ctx, p), pairs);
  EXPECT_EQ(got.offsets, want.offsets);
  EXPECT_EQ(got.vertices, want.vertices);
  EXPECT_EQ(paths(ctx, p, {}).count(), 0);
  EXPECT_THROW((void)paths(ctx, p, {{0, 300}}), value_error);
  EXPECT_THROW((void)paths(context::cpu(), p, {{0, 1}}), error);
  matrix<std::int32_t> bad(3, 3, -1);
  bad(0, 1) = 2, bad(0, 2) = 1;
  EXPECT_THROW((void)paths(ctx, to_device(ctx, bad), {{0, 1}}), value_error);
}

template <class T>
csr<T> graph_of(const io::graph_file& file) {
  coo<T> list;
  std::visit(
      [&](const auto& edges) {
        list.rows = edges.rows, list.cols = edges.cols;
        for (index_t e = 0; e < edges.entries(); ++e)
          list.add(edges.row[e], edges.col[e], static_cast<T>(edges.value[e]));
      },
      file.edges);
  return make_csr(list, [](T a, T b) { return b < a ? b : a; });
}

TEST(shortest_paths_on_cuda, every_graph_at_hand) {
  KLEENE_NEEDS_GPU();
  const char* named = std::getenv("KLEENE_TEST_DATA");
  const std::filesystem::path folder = named ? named : KLEENE_DATA;
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no data at " << folder;
  const context ctx = context::cuda();
  int graphs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.find("malformed") != path.npos) continue;
    io::graph_file file;
    try {
      file = io::read_graph(path);
    } catch (const std::exception&) {
      continue;  // no graph, or one without a square matrix
    }
    if (file.vertices == 0 || file.vertices > 6000) continue;
    SCOPED_TRACE(path);
    const csr<double> weights = graph_of<double>(file);
    bool whole = true, positive = true;
    for (const double w : weights.values) whole &= w == std::floor(w) && std::abs(w) < 1e5, positive &= w > 0;
    expect_like_cpu<min_plus<double>>(ctx, weights, whole ? 0 : 1e-11);
    if (whole) expect_like_cpu<min_plus<std::int32_t>>(ctx, graph_of<std::int32_t>(file));
    if (whole && positive) expect_like_cpu<max_min<float>>(ctx, graph_of<float>(file));
    ++graphs;
  }
  std::printf("%d graphs\n", graphs);
  EXPECT_GT(graphs, 0);
}

}  // namespace
}  // namespace kleene::test
