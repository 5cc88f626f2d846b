// The contract of shortest paths: which arcs count, cycles, refusals, limits.
#include "kleene/operations/shortest_paths.hpp"

#include "support/equal.hpp"
#include "support/graphs.hpp"
#include "support/problems.hpp"

#include <cmath>

namespace kleene::test::shortest_paths_contract_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr apsp_method both[] = {apsp_method::floyd_warshall, apsp_method::dijkstra};

TEST(shortest_paths_contract, zero_and_tiny_weights_are_arcs) {
  const auto g = graph<double>(4, {{0, 1, 0.0}, {1, 2, 1e-9}, {0, 2, 1.0}, {2, 3, 1e-300}});
  for (const apsp_method method : both) {
    const auto r = shortest_paths(context::cpu(), g, {.method = method, .predecessors = true});
    EXPECT_EQ(r.arcs, 4);
    EXPECT_EQ(r.distances(0, 1), 0);
    EXPECT_EQ(r.distances(0, 2), 1e-9);
    EXPECT_EQ(r.distances(2, 3), 1e-300);
    EXPECT_EQ(r.path(0, 3).vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
    EXPECT_EQ(r.distances(1, 0), inf);
    EXPECT_TRUE(r.path(1, 0).vertices.empty());
    EXPECT_EQ(r.path(1, 0).cost, inf);
    EXPECT_EQ(r.path(2, 2).vertices, std::vector<std::int32_t>{2});
    EXPECT_EQ(r.path(2, 2).cost, 0);
  }
}

TEST(shortest_paths_contract, unreachable_stays_unreachable_through_negative_weights) {
  const auto g = graph<std::int32_t>(4, {{0, 1, -200000000}, {2, 1, -200000000}, {1, 3, -5}});
  const auto r = shortest_paths(context::cpu(), g);
  EXPECT_EQ(r.method, apsp_method::floyd_warshall);
  EXPECT_EQ(r.distances(3, 0), 1073741823);
  EXPECT_EQ(r.distances(0, 2), 1073741823);
  EXPECT_EQ(r.distances(0, 3), -200000005);
}

TEST(shortest_paths_contract, duplicates_keep_the_better_and_self_loops_are_legal) {
  const auto g = graph<std::int32_t>(2, {{0, 1, 9}, {0, 1, 4}, {0, 1, 7}, {0, 0, 3}, {1, 1, 0}});
  for (const apsp_method method : both) {
    const auto r = shortest_paths(context::cpu(), g, {.method = method, .predecessors = true});
    EXPECT_EQ(r.distances(0, 1), 4);
    EXPECT_EQ(r.distances(0, 0), 0);
    EXPECT_EQ(r.predecessors(0, 0), -1);
    EXPECT_EQ(r.arcs, 3);
  }
}

// A cycle that improves: each vertex once, every arc exists, the total is negative.
template <class T>
void expect_negative_cycle(const csr<T>& g, const apsp_result<min_plus<T>>& r) {
  ASSERT_FALSE(r.negative_cycle.empty());
  EXPECT_TRUE(r.distances.empty());
  double total = 0;
  std::vector<bool> seen(g.rows);
  for (std::size_t i = 0; i < r.negative_cycle.size(); ++i) {
    const std::int32_t u = r.negative_cycle[i], v = r.negative_cycle[(i + 1) % r.negative_cycle.size()];
    EXPECT_FALSE(seen[u]);
    seen[u] = true;
    bool found = false;
    for (index_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e)
      if (g.columns[e] == v) total += double(g.values[e]), found = true;
    EXPECT_TRUE(found) << u << " -> " << v << " is no arc";
  }
  EXPECT_LT(total, 0);
}

TEST(shortest_paths_contract, a_negative_cycle_is_never_silent) {
  const context ctx = context::cpu({.threads = 2});
  for (const std::uint64_t seed : {1, 2, 3, 4})
    for (const index_t n : {3, 50, 200}) {
      const auto weight = [](auto& g, index_t, index_t) { return g.below(30) - 4; };
      auto ints = problems::random_graph<min_plus<std::int32_t>>(n, 5 * n, seed, weight);
      auto reals = problems::random_graph<min_plus<double>>(n, 5 * n, seed, weight);
      for (const apsp_method method : {apsp_method::automatic, apsp_method::floyd_warshall}) {
        ints.values[0] = -100, reals.values[0] = -100;
        const auto r = shortest_paths(ctx, ints, {.method = method, .predecessors = true});
        if (!r.negative_cycle.empty()) expect_negative_cycle(ints, r);
        const auto q = shortest_paths(ctx, reals, {.method = method});
        EXPECT_EQ(q.negative_cycle.empty(), r.negative_cycle.empty());
        if (!q.negative_cycle.empty()) expect_negative_cycle(reals, q);
      }
    }
  const auto loop = graph<std::int32_t>(3, {{0, 1, 5}, {1, 1, -1}});
  const auto triangle = graph<double>(4, {{0, 1, 1.0}, {1, 2, -3.0}, {2, 0, 1.5}, {2, 3, 1.0}});
  for (const apsp_method method : {apsp_method::automatic, apsp_method::floyd_warshall}) {
    const auto r = shortest_paths(ctx, loop, {.method = method});
    EXPECT_EQ(r.negative_cycle, std::vector<std::int32_t>{1});
    EXPECT_TRUE(r.distances.empty());
    const auto q = shortest_paths(ctx, triangle, {.method = method});
    EXPECT_EQ(q.negative_cycle.size(), 3u);
    expect_negative_cycle(triangle, q);
  }
}

TEST(shortest_paths_contract, dijkstra_by_name_refuses_arcs_that_improve) {
  const auto g = graph<double>(3, {{0, 1, 1.0}, {1, 2, -0.5}});
  const std::string said = refusal<value_error>(
      fault_code::bad_input, [&] { (void)shortest_paths(context::cpu(), g, {.method = apsp_method::dijkstra}); });
  EXPECT_TRUE(contains(said, "1 -> 2") && contains(said, "-0.5")) << said;
  const auto r = shortest_paths(context::cpu(), g);
  EXPECT_EQ(r.method, apsp_method::floyd_warshall);
  EXPECT_TRUE(contains(r.reason, "1 -> 2")) << r.reason;
  (void)refusal<value_error>(fault_code::bad_input, [&] {
    (void)shortest_paths(context::cpu(), max_plus<double>{}, graph<double>(2, {{0, 1, 1.0}}),
                         {.method = apsp_method::dijkstra});
  });
}

TEST(shortest_paths_contract, empty_single_and_disconnected_graphs) {
  for (const apsp_method method : {apsp_method::automatic, apsp_method::floyd_warshall, apsp_method::dijkstra}) {
    const auto none = shortest_paths(context::cpu(), csr<double>{}, {.method = method, .predecessors = true});
    EXPECT_EQ(none.vertices, 0);
    EXPECT_TRUE(none.distances.empty());
    EXPECT_EQ(summarise(none).reachable_pairs, 0);
    const auto one = shortest_paths(context::cpu(), graph<double>(1, {}), {.method = method, .predecessors = true});
    EXPECT_TRUE(equal(one.distances, matrix<double>{{0}}));
    EXPECT_EQ(one.path(0, 0).vertices, std::vector<std::int32_t>{0});
    const auto apart = shortest_paths(context::cpu(), graph<double>(3, {}), {.method = method, .predecessors = true});
    EXPECT_TRUE(equal(apart.distances, matrix<double>{{0, inf, inf}, {inf, 0, inf}, {inf, inf, 0}}));
    const auto s = summarise(apart);
    EXPECT_EQ(s.unreachable_pairs, 6);
    EXPECT_FALSE(s.any_finite);
    EXPECT_EQ(s.diameter_from, -1);
    EXPECT_EQ(s.distance_sum, "0");
  }
}

TEST(shortest_paths_contract, a_summary_by_hand) {
  const auto r = shortest_paths(context::cpu(), graph<std::int64_t>(3, {{0, 1, 1000000000000}, {1, 2, 5}}));
  const auto s = summarise(r);
  EXPECT_EQ(s.reachable_pairs, 3);
  EXPECT_EQ(s.unreachable_pairs, 3);
  EXPECT_EQ(s.distance_sum, "2000000000010");
  EXPECT_DOUBLE_EQ(s.distance_mean, 2000000000010.0 / 3);
  EXPECT_EQ(s.diameter, 1000000000005);
  EXPECT_EQ(s.diameter_from, 0);
  EXPECT_EQ(s.diameter_to, 2);
}

// Rows are summed for themselves, then in order: no bit depends on the number of threads.
TEST(shortest_paths_contract, a_summary_is_the_same_on_any_number_of_threads) {
  using S = min_plus<float>;
  const auto g = problems::random_graph<S>(400, 700, 3, [](auto& r, index_t, index_t) { return float(r.real()) / 3; });
  const auto r = shortest_paths(context::cpu({.threads = 2}), g);
  double sum = 0;
  index_t finite = 0;
  float worst = 0;
  for (index_t i = 0; i < 400; ++i)
    for (index_t j = 0; j < 400; ++j)
      if (i != j && std::isfinite(r.distances(i, j)))
        sum += r.distances(i, j), worst = std::max(worst, r.distances(i, j)), ++finite;
  ASSERT_TRUE(finite > 1000 && finite < 400 * 399 - 1000);  // both kinds of pairs
  const auto one = summarise(r, context::cpu({.threads = 1}));
  EXPECT_EQ(one.reachable_pairs, finite);
  EXPECT_EQ(one.unreachable_pairs, 400 * 399 - finite);
  EXPECT_NEAR(std::stod(one.distance_sum), sum, 1e-9 * sum);
  EXPECT_EQ(one.diameter, worst);
  EXPECT_EQ(r.distances(one.diameter_from, one.diameter_to), worst);
  for (const int threads : {2, 3, 7}) {
    const auto many = summarise(r, context::cpu({.threads = threads}));
    EXPECT_EQ(many.distance_sum, one.distance_sum);
    EXPECT_EQ(many.distance_mean, one.distance_mean);
    EXPECT_EQ(many.reachable_pairs, one.reachable_pairs);
    EXPECT_EQ(many.unreachable_pairs, one.unreachable_pairs);
    EXPECT_EQ(many.diameter, one.diameter);
    EXPECT_EQ(many.diameter_from, one.diameter_from);
    EXPECT_EQ(many.diameter_to, one.diameter_to);
  }
}

// The caller's memory takes the results, whatever its strides; nothing beside it is written.
TEST(shortest_paths_contract, results_in_the_callers_matrices) {
  using S = min_plus<std::int32_t>;
  const context ctx = context::cpu({.threads = 2});
  const auto g = problems::random_graph<S>(90, 400, 5, [](auto& r, index_t, index_t) { return r.below(50); });
  const std::vector<std::int32_t> all, some{7, 80, 7};
  for (const apsp_method method : both)
    for (const auto& sources : {all, some}) {
      const index_t rows = sources.empty() ? 90 : 3;
      const apsp_options options{.method = method, .predecessors = true, .sources = sources};
      const auto want = shortest_paths(ctx, g, options);
      matrix<std::int32_t> d(rows + 2, 95, -7), p(90, rows, -7);
      const auto inside = d.view().block(1, 2, rows, 90), across = p.view().transposed();
      const auto r = shortest_paths(ctx, g, options, {.distances = inside, .predecessors = across});
      EXPECT_TRUE(r.own_distances.empty() && r.own_predecessors.empty());
      EXPECT_EQ(r.distances.data(), inside.data());
      EXPECT_EQ(r.predecessors.data(), across.data());
      EXPECT_TRUE(equal(inside, want.distances));
      EXPECT_TRUE(equal(r.distances, want.distances));
      for (const std::int32_t t : {0, 40, 89}) EXPECT_EQ(r.path(7, t).cost, want.path(7, t).cost);
      index_t untouched = 0;
      for (index_t e = 0; e < d.size(); ++e) untouched += d.data()[e] == -7;
      EXPECT_EQ(untouched, d.size() - rows * 90);

      const auto half = shortest_paths(ctx, g, options, {.distances = inside});  // the other half is the result's
      EXPECT_EQ(half.distances.data(), inside.data());
      EXPECT_EQ(half.predecessors.data(), half.own_predecessors.data());
      EXPECT_TRUE(equal(half.predecessors, want.predecessors));
    }
}

TEST(shortest_paths_contract, a_result_moves_with_its_memory) {
  using result = apsp_result<min_plus<double>>;
  static_assert(std::is_nothrow_move_constructible_v<result> && !std::is_copy_constructible_v<result>);
  result r = shortest_paths(context::cpu(), graph<double>(2, {{0, 1, 2.5}}));
  const result moved = std::move(r);
  EXPECT_EQ(moved.distances(0, 1), 2.5);
  EXPECT_EQ(moved.distances.data(), moved.own_distances.data());
  r = shortest_paths(context::cpu(), graph<double>(1, {}));
  EXPECT_TRUE(equal(r.distances, matrix<double>{{0}}));
}

TEST(shortest_paths_contract, targets_that_do_not_fit_are_refused) {
  const context ctx = context::cpu();
  const auto g = graph<float>(3, {{0, 1, 1.f}});
  const std::vector<std::int32_t> two{0, 2};
  const apsp_options with{.predecessors = true};
  matrix<float> d(3, 3), oblong(3, 4);
  matrix<std::int32_t> p(3, 3);
  const auto shape = [&](auto call) { return refusal<shape_error>(fault_code::bad_input, call); };
  const auto said = [&](auto call) { return refusal<argument_error>(fault_code::bad_input, call); };
  EXPECT_TRUE(contains(shape([&] { (void)shortest_paths(ctx, g, {}, {.distances = oblong}); }), "3x4"));
  EXPECT_TRUE(contains(shape([&] { (void)shortest_paths(ctx, g, {.sources = two}, {.distances = d}); }), "2x3"));
  const auto low = p.view().block(0, 0, 2, 3);
  EXPECT_TRUE(
      contains(shape([&] { (void)shortest_paths(ctx, g, with, {.distances = d, .predecessors = low}); }), "2x3"));
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, g, {}, {.predecessors = p}); }), "do not ask"));
  const matrix_view<float> one_row(d.data(), {3, 3}, {0, 1});
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, g, {}, {.distances = one_row}); }), "stride 0"));
  const auto ints = graph<std::int32_t>(3, {{0, 1, 1}});
  EXPECT_TRUE(
      contains(said([&] { (void)shortest_paths(ctx, ints, with, {.distances = p, .predecessors = p}); }), "overlaps"));
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, d, {}, {.distances = d}); }), "overlaps"));
}

TEST(shortest_paths_contract, refusals) {
  const context ctx = context::cpu();
  const auto g = graph<double>(3, {{0, 1, 1.0}});
  const std::vector<std::int32_t> outside{0, 3}, negative{-1};
  const auto said = [&](auto call) { return refusal<argument_error>(fault_code::bad_input, call); };
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, g, {.sources = outside}); }), "3"));
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, g, {.sources = negative}); }), "-1"));
  const auto r = shortest_paths(ctx, g), with = shortest_paths(ctx, g, {.predecessors = true});
  EXPECT_TRUE(contains(said([&] { (void)r.path(0, 1); }), "predecessors"));
  EXPECT_TRUE(contains(said([&] { (void)with.path(0, 3); }), "3"));
  EXPECT_TRUE(contains(said([&] { (void)with.path(7, 0); }), "7"));
  const std::pair<std::int32_t, std::int32_t> bad[] = {{0, 1}, {0, -1}};
  EXPECT_TRUE(contains(said([&] { (void)with.paths(ctx, bad); }), "-1"));
  csr<double> oblong = g;
  oblong.cols = 4;
  (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)shortest_paths(ctx, oblong); });
  const auto nan = graph<double>(3, {{0, 1, 1.0}, {2, 1, std::nan("")}});
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, nan); }), "2 -> 1"));
  EXPECT_TRUE(contains(said([&] { (void)shortest_paths(ctx, max_times<double>{}, graph<double>(2, {{1, 0, -0.25}})); }),
                       "-0.25"));
  EXPECT_TRUE(
      contains(said([&] { (void)shortest_paths(ctx, graph<std::int32_t>(2, {{1, 0, 268435455}})); }), "268435455"));
  EXPECT_EQ(apsp_method_from("auto"), apsp_method::automatic);
  EXPECT_EQ(apsp_method_from(to_string(apsp_method::dijkstra)), apsp_method::dijkstra);
  (void)refusal<error>(fault_code::usage, [] { (void)apsp_method_from("bellman"); });
}

// Distances that leave the range, by both methods, on narrow and on wide accumulators.
TEST(shortest_paths_contract, distances_that_do_not_fit_are_reported) {
  for (const apsp_method method : both) {
    const auto too_far = [&](auto s, auto g) {
      (void)refusal<value_error>(fault_code::bad_input,
                                 [&] { (void)shortest_paths(context::cpu(), s, g, {.method = method}); });
    };
    too_far(min_plus<std::int32_t>{}, graph<std::int32_t>(3, {{0, 1, 200000000}, {1, 2, 200000000}}));
    too_far(min_plus<std::int32_t>{},
            graph<std::int32_t>(5, {{0, 1, 200000000}, {1, 2, 200000000}, {2, 3, 200000000}, {3, 4, 9}}));
    too_far(min_times<std::int32_t>{}, graph<std::int32_t>(3, {{0, 1, 100000}, {1, 2, 100000}}));
    too_far(min_times<std::int32_t>{}, graph<std::int32_t>(3, {{0, 1, 65536}, {1, 2, 65536}}));
    const auto fits = shortest_paths(context::cpu(), min_times<std::int32_t>{},
                                     graph<std::int32_t>(3, {{0, 1, 46340}, {1, 2, 46340}}), {.method = method});
    EXPECT_EQ(fits.distances(0, 2), 2147395600);
  }
  // A search reports only what stays too far: here a better way is found later.
  const auto g = graph<std::int32_t>(4, {{0, 1, 200000000}, {1, 2, 200000000}, {0, 3, 200000001}, {3, 2, 1}});
  EXPECT_EQ(shortest_paths(context::cpu(), g, {.method = apsp_method::dijkstra}).distances(0, 2), 200000002);
}

TEST(shortest_paths_contract, more_memory_than_there_is_is_refused_with_the_number) {
  csr<float> g;
  g.rows = g.cols = 3000000;
  g.offsets.assign(3000001, 0);
  for (const apsp_method method : {apsp_method::automatic, apsp_method::floyd_warshall, apsp_method::dijkstra}) {
    const std::string said =
        refusal<error>(fault_code::memory, [&] { (void)shortest_paths(context::cpu(), g, {.method = method}); });
    EXPECT_TRUE(contains(said, "36000000000000") || contains(said, "3602304")) << said;  // n^2 floats, and blocks
  }
  const std::vector<std::int32_t> one{5};
  EXPECT_EQ(shortest_paths(context::cpu(), g, {.sources = one}).distances.cols(), 3000000);
}

TEST(shortest_paths_contract, progress_can_stop_both_methods) {
  const auto g =
      problems::random_graph<min_plus<double>>(300, 900, 1, [](auto& r, index_t, index_t) { return r.real(); });
  for (const apsp_method method : both) {
    context ctx = context::cpu({.threads = 1});
    int calls = 0;
    ctx.on_progress([&](double done, double total) {
      EXPECT_LE(done, total);
      return ++calls < 2;
    });
    const apsp_options options{.method = method, .closure = {.block = 64}};
    EXPECT_EQ(refusal<error>(fault_code::usage, [&] { (void)shortest_paths(ctx, g, options); }), "interrupted");
    EXPECT_EQ(calls, 2);
  }
}

TEST(shortest_paths_contract, what_a_progress_callback_throws_arrives) {
  const auto g =
      problems::random_graph<min_plus<double>>(300, 900, 1, [](auto& r, index_t, index_t) { return r.real(); });
  for (const apsp_method method : both)
    for (const int threads : {1, 2}) {
      context ctx = context::cpu({.threads = threads});
      ctx.on_progress([](double, double) -> bool { throw std::range_error("enough"); });
      EXPECT_THROW((void)shortest_paths(ctx, g, {.method = method}), std::range_error) << threads;
      ctx.on_progress({});
      EXPECT_EQ(shortest_paths(ctx, g, {.method = method}).method, method);  // and the context still works
    }
}

TEST(shortest_paths_contract, sparse_graphs_that_do_not_hang_together_are_refused) {
  const context ctx = context::cpu();
  const std::vector<index_t> offsets{0, 1, 2}, few{0};
  const std::vector<std::int32_t> columns{1, -7}, fine{1, 0};
  const std::vector<float> weights{1, 1};
  for (const apsp_method method : both) {
    const apsp_options options{.method = method};
    EXPECT_TRUE(contains(
        refusal<shape_error>(
            fault_code::bad_input,
            [&] { (void)shortest_paths(ctx, min_plus<float>{}, csr_view<float>{2, 2, few, fine, weights}, options); }),
        "2 rows has 1 offsets"));
    EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input,
                                              [&] {
                                                (void)shortest_paths(ctx, min_plus<float>{},
                                                                     csr_view<float>{2, 2, offsets, columns, weights},
                                                                     options);
                                              }),
                         "column -7"));
  }
  const std::vector<index_t> one_row{0, 2, 2, 2};
  const std::vector<std::int32_t> falling{2, 1};
  const csr_view<float> unsorted{3, 3, one_row, falling, weights};
  EXPECT_TRUE(contains(
      refusal<value_error>(fault_code::bad_input, [&] { (void)shortest_paths(ctx, min_plus<float>{}, unsorted); }),
      "ascend"));
  EXPECT_EQ(shortest_paths(ctx, min_plus<float>{}, unsorted, {.check_indices = false}).distances(0, 1), 1);
  const matrix_view<const float> nothing(nullptr, {4, 4});
  EXPECT_TRUE(contains(
      refusal<argument_error>(fault_code::bad_input, [&] { (void)shortest_paths(ctx, min_plus<float>{}, nothing); }),
      "null pointer"));
}

TEST(shortest_paths_contract, messages_call_vertices_as_they_are_told) {
  const auto g = graph<float>(2, {{0, 1, -3.0f}});
  const std::vector<std::string> names{"Fulda", "Essen"};
  for (const bool named : {false, true}) {
    apsp_options options{.method = apsp_method::dijkstra};
    if (named) options.vertex_name = [&](index_t v) { return names[v]; };
    const std::string arc = named ? "the arc Fulda -> Essen has weight -3" : "the arc 0 -> 1 (0-based) has weight -3";
    EXPECT_TRUE(contains(
        refusal<value_error>(fault_code::bad_input, [&] { (void)shortest_paths(context::cpu(), g, options); }), arc));
    options.method = apsp_method::automatic;
    EXPECT_TRUE(contains(shortest_paths(context::cpu(), g, options).reason, arc));
  }
}

}  // namespace
}  // namespace kleene::test::shortest_paths_contract_test
