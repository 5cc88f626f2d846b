// Shortest paths over integers that go on in a wider type, by both methods.
#include "kleene/operations/own/shortest_paths.inl.hpp"
#include "kleene/operations/widening.hpp"

#include "operations/widening_graphs.hpp"
#include "support/product.hpp"

namespace kleene::test::shortest_paths_widening_test {
namespace {

constexpr apsp_method methods[] = {apsp_method::floyd_warshall, apsp_method::dijkstra};

template <class S>
csr<value_of<S>> arcs_of(const matrix<value_of<S>>& graph) {
  coo<value_of<S>> list{graph.rows(), graph.cols(), {}, {}, {}};
  for (std::int32_t i = 0; i < graph.rows(); ++i)
    for (std::int32_t j = 0; j < graph.cols(); ++j)
      if (graph(i, j) != S::zero()) list.add(i, j, graph(i, j));
  return make_csr(list, [](auto a, auto b) { return S::add(a, b); });
}

// The lengths, and along the paths again.
template <class S>
void expect_paths(const widened_paths<S>& paths, const matrix<i64>& want) {
  paths.visit([&](const auto& r) {
    using A = typename std::remove_cvref_t<decltype(r)>::algebra;
    ASSERT_EQ(r.distances.rows(), want.rows());
    for (std::int32_t i = 0; i < want.rows(); ++i)
      for (std::int32_t j = 0; j < want.cols(); ++j) {
        const bool none = want(i, j) == as_i64<S>::type::zero();
        ASSERT_EQ(r.distances(i, j) == A::zero(), none) << i << " " << j;
        if (none) continue;
        ASSERT_EQ(r.distances(i, j), want(i, j)) << i << " " << j;
        ASSERT_EQ(r.path(i, j).cost, want(i, j)) << i << " " << j;
      }
  });
}

template <class S>
void straddle(int most, i64 limit, const char* narrow, const char* next) {
  const context ctx = context::cpu({.threads = 2});
  for (const index_t n : {4, 70})
    for (const i64 beyond : {0, 1}) {
      const auto graph = straddling<S>(n, most, limit + beyond, 3 + n);
      const auto arcs = arcs_of<S>(graph);
      const auto want = lengths_over_i64<S>(graph);
      for (const apsp_method method : methods) {
        SCOPED_TRACE(name_of<S>() + " " + narrow + " n " + std::to_string(n) + " beyond " + std::to_string(beyond) +
                     " by " + to_string(method));
        const apsp_options options{.method = method, .predecessors = true};
        const auto sparse = shortest_paths(ctx, widening<S>{}, arcs, options);
        const auto dense = shortest_paths(ctx, widening<S>{}, graph, options);
        for (const auto* paths : {&sparse, &dense}) {
          EXPECT_STREQ(paths->type(), beyond ? next : narrow);
          EXPECT_EQ(paths->reason.empty(), !beyond);
          expect_paths<S>(*paths, want);
        }
      }
    }
}

TEST(shortest_paths_widening, the_type_is_left_just_where_a_length_does_not_fit) {
  straddle<min_plus<u8>>(6, 63, "u8", "u16");
  straddle<min_plus<i8>>(2, 14, "i8", "i16");
  straddle<min_plus<u16>>(900, 16383, "u16", "i32");
}

// From one source nothing is too far, from the other something is. What is moved stays whole.
TEST(shortest_paths_widening, of_the_sources_that_were_asked_for) {
  const context ctx = context::cpu({.threads = 1});
  const auto arcs = arcs_of<min_plus<u8>>(chain<min_plus<u8>>(5, 20));  // 4 -> 0 -> 1 -> 2 -> 3
  for (const std::int32_t source : {0, 4}) {
    const std::int32_t sources[] = {source};
    auto found = shortest_paths(ctx, widening<min_plus<u8>>{}, arcs,
                                {.method = apsp_method::dijkstra, .predecessors = true, .sources = sources});
    EXPECT_STREQ(found.type(), source == 0 ? "u8" : "u16");
    const auto moved = std::move(found);
    moved.visit([&](const auto& r) { EXPECT_EQ(r.path(source, 3).cost, source == 0 ? 60 : 80); });
  }
}

TEST(shortest_paths_widening, weights_outside_the_domain) {
  const context ctx = context::cpu({.threads = 1});
  matrix<u8> graph(3, 3, u8{127});
  graph(0, 1) = 64, graph(1, 2) = 255;
  const auto dense = shortest_paths(ctx, widening<min_plus<u8>>{}, graph, {.predecessors = true});
  EXPECT_EQ(dense.reason, "u8 holds lengths up to 63, and a weight is 64: u16 instead");
  expect_paths<min_plus<u8>>(dense, lengths_over_i64<min_plus<u8>>(graph));
  const auto arcs = arcs_of<min_plus<u8>>(graph);
  expect_paths<min_plus<u8>>(shortest_paths(ctx, widening<min_plus<u8>>{}, arcs, {.predecessors = true}),
                             lengths_over_i64<min_plus<u8>>(graph));
}

// Negative cycles are found whatever overflows beside them, and long negative paths are none.
TEST(shortest_paths_widening, cycles_that_improve) {
  const context ctx = context::cpu({.threads = 1});
  for (const index_t n : {6, 30, 100}) {
    auto graph = chain<min_plus<i8>>(n, -14);
    const auto none = shortest_paths(ctx, widening<min_plus<i8>>{}, graph, {.predecessors = true});
    expect_paths<min_plus<i8>>(none, lengths_over_i64<min_plus<i8>>(graph));
    graph(2, 1) = 13;
    const auto found = shortest_paths(ctx, widening<min_plus<i8>>{}, arcs_of<min_plus<i8>>(graph));
    found.visit([&](const auto& r) {
      ASSERT_EQ(r.negative_cycle.size(), 2u) << n;
      EXPECT_EQ(r.negative_cycle[0] + r.negative_cycle[1], 3);
    });
  }
  // In the type itself, too: what was taken for a cycle was a length beyond i32.
  const auto far = chain<min_plus<i32>>(9, -200000000);
  EXPECT_THROW((void)shortest_paths(ctx, min_plus<i32>{}, far), overflow_error);
  EXPECT_STREQ(shortest_paths(ctx, widening<min_plus<i32>>{}, far).type(), "i64");
  auto ring = far;
  ring(7, 8) = 250000000;
  EXPECT_EQ(shortest_paths(ctx, min_plus<i32>{}, ring).negative_cycle.size(), 9u);
}

// An arc that is stored with the algebra's zero is of infinite length in every type.
TEST(shortest_paths_widening, stored_infinities) {
  coo<i8> list{3, 3, {}, {}, {}};
  list.add(0, 1, 63), list.add(1, 2, 14), list.add(2, 1, 14);
  const csr<i8> arcs = make_csr(list, [](i8 a, i8) { return a; });
  const auto found = shortest_paths(context::cpu(), widening<min_plus<i8>>{}, arcs);
  found.visit([](const auto& r) { EXPECT_EQ(r.distances(0, 2), (std::remove_cvref_t<decltype(r)>::algebra::zero())); });
  EXPECT_STREQ(found.type(), "i8");
}

}  // namespace
}  // namespace kleene::test::shortest_paths_widening_test
