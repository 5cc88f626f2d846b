// The contract of find_order: orders that can be told by hand, all orders of small networks tried beside it, and what
// it says of itself.
#include "networks/order_checks.hpp"
#include "support/equal.hpp"

#include <thread>

namespace kleene::test::order_test {
namespace {

const order_options greedy_alone{.seconds = 0, .threads = 1};

double operations(const contraction_order& order) { return std::exp2(order.cost.operations); }

// Vertices 0 .. n - 1, of which each has an edge to the three beside it and the one across: connected, not planar.
network twisted_ring(int vertices) {
  network n;
  n.extents.assign(static_cast<std::size_t>(vertices), 2);
  for (int v = 0; v < vertices; ++v) {
    n.tensors.push_back({v, (v + 1) % vertices});
    if (v < vertices / 2) n.tensors.push_back({v, v + vertices / 2});
    n.tensors.push_back({v});
  }
  return n;
}

TEST(find_order, the_textbook_chain) {
  const network chain{{10, 100, 5, 50}, {{0, 1}, {1, 2}, {2, 3}}, {0, 3}};
  const contraction_order order = find_order(chain, {.seconds = 0, .traffic_weight = 0});
  expect_order(chain, order);
  EXPECT_NEAR(operations(order), 7500, 1e-6);
  // CLRS, 15.2: six matrices of 30 x 35, 35 x 15, 15 x 5, 5 x 10, 10 x 20, 20 x 25 take 15,125.
  const network six{{30, 35, 15, 5, 10, 20, 25}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}, {0, 6}};
  EXPECT_NEAR(operations(find_order(six, {.seconds = 0, .traffic_weight = 0})), 15125, 1e-6);
}

// A King's graph row by row: what is kept are the rest of a row, the next one as far as a corner's neighbour, n + 1 in
// all; with the vertex that leaves each of n^2 products is over n + 2 indices at most.
TEST(find_order, lattices_row_by_row) {
  constexpr int side = 16;
  network n;
  n.extents.assign(side * side, 2);
  for (int v = 0; v < side * side; ++v) {
    n.tensors.push_back({v});
    const bool is_first = v % side == 0, is_last = v % side == side - 1, has_below = v / side + 1 < side;
    if (!is_last) n.tensors.push_back({v, v + 1});
    if (has_below) n.tensors.push_back({v, v + side});
    if (has_below && !is_last) n.tensors.push_back({v, v + side + 1});
    if (has_below && !is_first) n.tensors.push_back({v, v + side - 1});
  }
  const contraction_order order = find_order(n, greedy_alone);
  expect_order(n, order);
  EXPECT_LE(order.cost.largest, side + 1);
  EXPECT_LE(operations(order), 1.01 * side * side * std::exp2(side + 2));
}

TEST(find_order, networks_of_no_pairs) {
  const contraction_order empty = find_order({});
  EXPECT_TRUE(empty.pairs.empty());
  EXPECT_EQ(empty.slices, 1);
  const network one{{3, 4}, {{0, 1, 1}}, {1}};
  const contraction_order single = find_order(one);
  expect_order(one, single);
  EXPECT_TRUE(single.pairs.empty());
}

TEST(find_order, few_tensors_as_well_as_any_order) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const network n = random_network(2 + static_cast<int>(seed % 4), 6, {0, 1, 2, 3, 8}, seed);
    for (const double weight : {0.0, 16.0}) {
      const contraction_order order = find_order(n, {.seconds = 0, .traffic_weight = weight});
      expect_order(n, order);
      const plain_cost cost = plain_cost_of(n, order.pairs);
      const double least = least_of_all(plain_contraction(n), weight, std::numeric_limits<double>::infinity());
      EXPECT_LE(cost.operations + weight * cost.traffic, least * (1 + 1e-9));
    }
  }
}

TEST(find_order, few_tensors_within_a_limit) {
  int limited = 0, sliced = 0;
  for (std::uint64_t seed = 100; seed < 160; ++seed) {
    SCOPED_TRACE(seed);
    network n = random_network(5, 6, {2, 3, 4}, seed);
    n.open.clear();
    const double most = 16;
    const double least = least_of_all(plain_contraction(n), 1, most);
    const contraction_order order = find_order(n, {.seconds = 0, .most_elements = 16, .traffic_weight = 1});
    expect_order(n, order);
    EXPECT_LE(order.cost.largest, 4 + 1e-9);
    if (std::isinf(least)) {
      EXPECT_FALSE(order.sliced.empty());
      ++sliced;
    } else {
      const plain_cost cost = plain_cost_of(n, order.pairs, order.sliced);
      EXPECT_LE(cost.operations + cost.traffic, least * (1 + 1e-9));
      ++limited;
    }
  }
  EXPECT_GT(limited, 5);
  EXPECT_GT(sliced, 5);
}

TEST(find_order, more_tensors_by_every_method) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const network n = random_network(11 + static_cast<int>(seed), 20, {1, 2, 3, 5}, seed);
    const contraction_order first = find_order(n, greedy_alone), later = find_order(n, {.threads = 1, .sweeps = 20});
    expect_order(n, first);
    expect_order(n, later);
    const auto score = [](const contraction_order& o) {
      return std::exp2(o.cost.operations) + 16 * std::exp2(o.cost.traffic);
    };
    EXPECT_LE(score(later), score(first) * (1 + 1e-9));
  }
}

TEST(find_order, hyperedges_open_indices_and_parts) {
  network star;  // an index that 40 tensors have, with one of their own each: no tensor needs more than those two
  star.extents.assign(41, 2);
  for (int t = 0; t < 40; ++t) star.tensors.push_back({0, t + 1});
  const contraction_order of_star = find_order(star, greedy_alone);
  expect_order(star, of_star);
  EXPECT_EQ(of_star.cost.largest, 2) << "a leaf";
  star.open = {7, 0};
  const contraction_order of_open = find_order(star, greedy_alone);
  expect_order(star, of_open);
  EXPECT_EQ(of_open.cost.largest, 2);

  network parts = grid_network(4);
  const int shift = parts.indices();
  const std::size_t tensors = parts.tensors.size();
  for (std::size_t t = 0; t < tensors; ++t)
    parts.tensors.push_back({parts.tensors[t][0] + shift, parts.tensors[t][1] + shift});
  parts.extents.resize(2 * parts.extents.size(), 2);
  for (int scalars = 0; scalars < 3; ++scalars) parts.tensors.emplace_back();
  const contraction_order of_parts = find_order(parts, {.sweeps = 50});
  expect_order(parts, of_parts);
  EXPECT_LE(of_parts.cost.largest, 5) << "each part is a grid of four by four";
}

TEST(find_order, a_grid_needs_its_side) {
  const network n = grid_network(8);
  const contraction_order order = find_order(n, {.sweeps = 200, .traffic_weight = 0});
  expect_order(n, order);
  EXPECT_LE(order.cost.largest, 8);
  EXPECT_LE(order.cost.operations, 13.2) << "row by row takes 8 * 8 * 2^9 = 2^15";
}

TEST(find_order, a_chain_as_well_as_the_classical_program) {
  splitmix64 random{5};
  network n;
  for (int i = 0; i <= 14; ++i) n.extents.push_back(2 + static_cast<index_t>(random() % 40));
  for (int i = 0; i < 14; ++i) n.tensors.push_back({i, i + 1});
  n.open = {0, 14};
  std::vector<std::vector<double>> least(15, std::vector<double>(15, 0));  // of matrices i .. j - 1
  const auto extent = [&](std::size_t i) { return static_cast<double>(n.extents[i]); };
  for (std::size_t length = 2; length <= 14; ++length)
    for (std::size_t i = 0; i + length <= 14; ++i) {
      double& best = least[i][i + length] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i + 1; k < i + length; ++k)
        best = std::min(best, least[i][k] + least[k][i + length] + extent(i) * extent(k) * extent(i + length));
    }
  const contraction_order order = find_order(n, {.sweeps = 1000, .traffic_weight = 0});
  expect_order(n, order);
  EXPECT_NEAR(operations(order), least[0][14], 1e-6 * least[0][14]);
}

TEST(find_order, extents_of_nothing_and_of_one) {
  network n = grid_network(5);
  n.extents[7] = 0;
  for (int i = 10; i < 15; ++i) n.extents[static_cast<std::size_t>(i)] = 1;
  n.extents[3] = 3;
  const contraction_order order = find_order(n, {.sweeps = 20});
  expect_order(n, order);
  network none = grid_network(5);
  none.extents.assign(25, 0);
  const contraction_order of_none = find_order(none, {.sweeps = 20});
  expect_order(none, of_none);
  EXPECT_TRUE(of_none.sliced.empty());
}

TEST(find_order, one_seed_one_order) {
  const network n = twisted_ring(40);
  const order_options options{.most_elements = 64, .seed = 3, .threads = 1, .sweeps = 40};
  const contraction_order first = find_order(n, options);
  expect_order(n, first);
  for (const int threads : {1, 2, 5}) {
    order_options more = options;
    more.threads = threads;
    const contraction_order again = find_order(n, more);
    EXPECT_EQ(again.pairs, first.pairs) << threads << " threads";
    EXPECT_EQ(again.sliced, first.sliced);
    EXPECT_EQ(again.method, first.method);
  }
  order_options other = options;
  other.seed = 4;
  EXPECT_NE(find_order(n, other).pairs, first.pairs) << "what the seed is for";
}

TEST(find_order, progress_is_told_and_may_end_it) {
  const network n = grid_network(12);
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  order_options options{.seconds = 3600, .threads = 2};
  options.progress = [&](double part, const contraction_cost& best) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    EXPECT_GT(best.operations, 0);
    return ++calls < 3;
  };
  const contraction_order order = find_order(n, options);
  expect_order(n, order);
  EXPECT_EQ(calls, 3);
}

TEST(find_order, a_large_tree_costs_next_to_nothing) {
  network n;  // 100,000 vertices, each joined to one before it
  n.extents.assign(100'000, 2);
  splitmix64 random{1};
  for (int v = 1; v < 100'000; ++v)
    n.tensors.push_back({v, static_cast<int>(random() % static_cast<std::uint64_t>(v))});
  const contraction_order order = find_order(n, {.seconds = 0});
  EXPECT_EQ(cost_of(n, order.pairs).operations, order.cost.operations);
  EXPECT_EQ(order.cost.largest, 2);
  EXPECT_LE(order.cost.operations, std::log2(100'000 * 8.0));
}

TEST(find_order, trees_larger_than_the_caches_are_mended_in_pieces) {
  const network n = grid_network(80);
  const contraction_order first = find_order(n, {.seconds = 0, .traffic_weight = 0});
  const contraction_order order = find_order(n, {.sweeps = 20, .traffic_weight = 0});
  EXPECT_EQ(cost_of(n, order.pairs).operations, order.cost.operations);
  EXPECT_LT(order.cost.operations, first.cost.operations - 1);
  EXPECT_EQ(order.method.find("annealed from"), 0u) << order.method;
}

TEST(find_order, refuses_options_that_mean_nothing) {
  const auto refused = [](const order_options& options) {
    return refusal<argument_error>(fault_code::bad_input, [&] { find_order(grid_network(2), options); });
  };
  EXPECT_EQ(refused({.seconds = -1}), "find_order: -1 seconds");
  EXPECT_EQ(refused({.seconds = std::nan("")}), "find_order: nan seconds");
  EXPECT_EQ(refused({.most_elements = 0}), "find_order: at most 0 elements; a scalar has one");
  EXPECT_EQ(refused({.threads = -2}), "find_order: -2 threads");
  EXPECT_EQ(refused({.sweeps = -3}), "find_order: -3 sweeps");
  EXPECT_EQ(refused({.traffic_weight = -0.5}), "find_order: a traffic weight of -0.5");
}

TEST(find_order, refuses_what_is_no_network) {
  EXPECT_TRUE(contains(refusal<argument_error>(fault_code::bad_input, [] { find_order({{2}, {{3}}, {}}); }),
                       "tensor 0 has index 3"));
}

}  // namespace
}  // namespace kleene::test::order_test
