// Real graphs with answers that others computed (data/oracles.json, SciPy), by both methods.
#include "kleene/io/graph.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "support/equal.hpp"

#include <cmath>
#include <cstdlib>

namespace kleene::test::shortest_paths_data_test {
namespace {

struct expected_answer {
  const char* file;
  bool hops;  // every arc counts 1
  index_t vertices, arcs;
  double sum, diameter;
  index_t unreachable;
};
// clang-format off
constexpr expected_answer answers[] = {
  // file                       hops   vertices  arcs    sum of distances     diameter            unreachable
  {"road/minnesota.mtx",        true,  2642,     6606,   246275628.0,         99,                 10560},
  {"road/minnesota_km.mtx",     false, 2642,     6606,   1655637046.679456,   846.4084870000003,  10560},
  {"lagraph/karate.mtx",        true,  34,       156,    2702,                5,                  0},
  {"lagraph/test_BF.mtx",       true,  7,        12,     49,                  3,                  14},
  {"lagraph/test_BF.mtx",       false, 7,        12,     181,                 14,                 14},
  {"lagraph/test_FW_1000.mtx",  true,  1000,     3996,   167166000.0,         500,                0},
  {"lagraph/test_FW_1000.mtx",  false, 1000,     3996,   4268073500.0,        12678,              0},
  {"lagraph/test_FW_2003.mtx",  true,  2003,     23973,  16112536.0,          18,                 1704164},
  {"lagraph/test_FW_2003.mtx",  false, 2003,     23973,  71205298.0,          467,                1704164},
  {"social/dolphins.mtx",       true,  62,       318,    12696,               8,                  0},
  {"social/netscience.mtx",     true,  1589,     5484,   886728,              17,                 2371058},
  {"power/1138_bus.mtx",        true,  1138,     4054,   16463218.0,          31,                 0},
};
// clang-format on

template <class T>
csr<T> graph_of(const io::graph_file& file, bool hops) {
  coo<T> list;
  std::visit(
      [&](const auto& edges) {
        list.rows = edges.rows, list.cols = edges.cols;
        for (index_t e = 0; e < edges.entries(); ++e)
          list.add(edges.row[e], edges.col[e], hops ? T(1) : static_cast<T>(edges.value[e]));
      },
      file.edges);
  return make_csr(list, [](T a, T b) { return b < a ? b : a; });
}

// Sums may round; diameters are single paths.
template <class S>
void expect_answer(const apsp_result<S>& r, const expected_answer& want, double tolerance) {
  EXPECT_EQ(r.vertices, want.vertices);
  EXPECT_EQ(r.arcs, want.arcs);
  EXPECT_TRUE(r.negative_cycle.empty());
  const auto s = summarise(r);
  EXPECT_EQ(s.unreachable_pairs, want.unreachable);
  EXPECT_EQ(s.reachable_pairs + s.unreachable_pairs, want.vertices * (want.vertices - 1));
  EXPECT_NEAR(std::strtod(s.distance_sum.c_str(), nullptr), want.sum, tolerance * want.sum);
  EXPECT_NEAR(double(s.diameter), want.diameter, tolerance * want.diameter);
  EXPECT_EQ(r.distances(r.row_of(s.diameter_from), s.diameter_to), s.diameter);
}

template <class T>
void check_answer(const expected_answer& want, double tolerance) {
  const csr<T> graph = graph_of<T>(io::read_graph(std::string(KLEENE_DATA "/") + want.file), want.hops);
  const context ctx = context::cpu({.threads = 2});
  const auto by_search = shortest_paths(ctx, graph, {.method = apsp_method::dijkstra});
  const auto by_elimination = shortest_paths(ctx, graph, {.method = apsp_method::floyd_warshall});
  expect_answer(by_search, want, tolerance);
  expect_answer(by_elimination, want, tolerance);
  if (tolerance == 0) {
    EXPECT_TRUE(equal(by_search.distances, by_elimination.distances));
  } else {
    EXPECT_TRUE(close(by_search.distances, by_elimination.distances, 1e-12));
  }
}

TEST(shortest_paths_data, integers_bit_for_bit) {
  for (const expected_answer& want : answers)
    if (want.hops || std::string(want.file).starts_with("lagraph")) {
      SCOPED_TRACE(std::string(want.file) + (want.hops ? " hops" : " weights"));
      check_answer<std::int32_t>(want, 0);
    }
}

TEST(shortest_paths_data, kilometres_of_minnesota) {
  for (const expected_answer& want : answers)
    if (!want.hops && std::string(want.file).starts_with("road")) check_answer<double>(want, 1e-12);
}

// The weights of this one are of both signs and of all sizes; the oracle took their magnitudes.
TEST(shortest_paths_data, power_network) {
  io::graph_file file = io::read_graph(KLEENE_DATA "/power/1138_bus.mtx");
  csr<double> graph = graph_of<double>(file, false);
  for (double& w : graph.values) w = std::abs(w);
  const auto r = shortest_paths(context::cpu({.threads = 2}), graph);
  expect_answer(r, {"", false, 1138, 4054, 1240261319.1529064, 38813.008661, 0}, 1e-12);
}

// Every route of the longest row is as long as it says; so are all routes of a sample.
TEST(shortest_paths_data, routes_of_minnesota_lead_home_and_sum_up) {
  const csr<double> graph = graph_of<double>(io::read_graph(KLEENE_DATA "/road/minnesota_km.mtx"), false);
  const context ctx = context::cpu({.threads = 2});
  for (const apsp_method method : {apsp_method::dijkstra, apsp_method::floyd_warshall}) {
    const auto r = shortest_paths(ctx, graph, {.method = method, .predecessors = true});
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::int32_t s = 0; s < 2642; s += 97)
      for (std::int32_t t = 0; t < 2642; ++t) pairs.emplace_back(s, t);
    const auto routes = r.paths(ctx, pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double distance = r.distances(pairs[i].first, pairs[i].second);
      ASSERT_TRUE(same(routes[i].cost, distance) || std::abs(routes[i].cost - distance) < 1e-9);
      ASSERT_EQ(routes[i].vertices.empty(), std::isinf(distance));
    }
    const auto s = summarise(r);
    const auto longest = r.path(s.diameter_from, s.diameter_to);
    EXPECT_NEAR(longest.cost, 846.408487, 1e-6);
    EXPECT_EQ(longest.vertices.front(), s.diameter_from);
    EXPECT_EQ(longest.vertices.back(), s.diameter_to);
  }
}

}  // namespace
}  // namespace kleene::test::shortest_paths_data_test
