// Closures by exponents on the tensor cores, called directly and so on graphs of any size, against the CPU: distances
// at both sides of the limit, unreachable vertices, arcs that are not for it.
#include "kleene/kernels/cuda/closure/exponents.cuh"

#include "kleene/operations/closure.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

constexpr auto by_mma = kernels::cuda::exponent_engine::mma;

// `degree` arcs a vertex to vertices drawn from the `reach` that follow it, weights from `low` to `high`.
template <class S>
matrix<value_of<S>> draw_graph(index_t n, index_t degree, index_t reach, int low, int high, std::uint64_t seed) {
  using T = value_of<S>;
  problems::generator g(seed);
  matrix<T> graph(n, n, S::zero());
  for (index_t i = 0; i < n; ++i)
    for (index_t d = 0; d < degree; ++d)
      graph(i, (i + 1 + g.below(reach)) % n) = T(kernels::level_sign<S> * (low + g.below(high - low + 1)));
  return graph;
}

enum class outcome : int { not_tried, closed, left_open };

// Runs it, and the ordinary closure behind it where it left the graph open: then that must give what it gives from the
// beginning.
template <class S, kernels::cuda::exponent_engine Engine = kernels::cuda::exponent_engine::chosen>
void check(const context& ctx, const matrix<value_of<S>>& graph, outcome expected) {
  if (!sampled()) return;
  using T = value_of<S>;
  using namespace kernels::cuda;
  const index_t n = graph.rows();
  SCOPED_TRACE(testing::Message() << name_of<S>() << " " << type_name<T> << " n " << n);
  matrix<T> start = graph, want = graph;
  for (index_t i = 0; i < n; ++i) start(i, i) = S::add(S::one(), start(i, i));
  closure(context::cpu(), S{}, want);
  auto a = to_device(ctx, start);
  exponent_closure<S, Engine> closing(ctx, n, true);
  const auto plan = [&](void* base) {
    parts_of_workspace parts(base);
    auto* const report = parts.template take<closure_report>(1);
    closing.plan(parts);
    return std::pair(report, parts.bytes());
  };
  closure_report* const report = plan(ctx.workspace(plan(nullptr).second)).first;
  gpu::launch(clear_closure_report, {1, 1, 0, static_cast<cudaStream_t>(ctx.stream())}, report);
  const bool closed = closing.run(a.data(), n, report);
  const matrix<T> got = to_host(ctx, a);
  EXPECT_EQ(closed, expected == outcome::closed);
  if (expected == outcome::closed) {
    EXPECT_TRUE(equal(got, want));
    return;
  }
  if (expected == outcome::not_tried) {
    EXPECT_TRUE(equal(got, start));
    return;
  }
  matrix<T> rest = got;
  closure(context::cpu(), S{}, rest);
  EXPECT_TRUE(equal(rest, want));
}

TEST(closure_by_exponents_on_cuda, short_distances) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {10, 64, 129, 300, 1024, 1025, 1500, 2100}) {
    check<min_plus<float>>(ctx, draw_graph<min_plus<float>>(n, 6, n, 1, 1, n), outcome::closed);
    check<min_plus<std::int32_t>>(ctx, draw_graph<min_plus<std::int32_t>>(n, 9, n, 0, 2, n), outcome::closed);
    check<min_plus<std::int32_t>, by_mma>(ctx, draw_graph<min_plus<std::int32_t>>(n, 9, n, 0, 2, n), outcome::closed);
  }
  check<min_plus<double>>(ctx, draw_graph<min_plus<double>>(1100, 8, 1100, 0, 1, 1), outcome::closed);
  check<max_plus<float>>(ctx, draw_graph<max_plus<float>>(1100, 8, 1100, 0, 2, 2), outcome::closed);
  check<max_plus<std::int64_t>>(ctx, draw_graph<max_plus<std::int64_t>>(700, 12, 700, 1, 3, 3), outcome::closed);
}

// Heavy arcs that no shortest path takes are no reason to leave a graph open; parts that nothing leads to stay so.
TEST(closure_by_exponents_on_cuda, heavy_arcs_and_unreachable_vertices) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  matrix<float> heavy = draw_graph<S>(1200, 8, 1200, 1, 1, 4);
  problems::generator g(5);
  for (int arc = 0; arc < 3000; ++arc) {
    float& at = heavy(g.below(1200), g.below(1200));
    if (at == S::zero()) at = float(30 + g.below(100000));
  }
  check<S>(ctx, heavy, outcome::closed);
  matrix<float> apart(1300, 1300, S::zero());
  const matrix<float> one = draw_graph<S>(600, 8, 600, 1, 1, 6), other = draw_graph<S>(700, 8, 700, 1, 1, 7);
  for (index_t i = 0; i < 600; ++i)
    for (index_t j = 0; j < 600; ++j) apart(i, j) = one(i, j);
  for (index_t i = 0; i < 700; ++i)
    for (index_t j = 0; j < 700; ++j) apart(600 + i, 600 + j) = other(i, j);
  check<S>(ctx, apart, outcome::closed);
  apart(3, 1200) = 5;  // one way
  check<S>(ctx, apart, outcome::closed);
}

// A path that hangs off a graph: the farthest distance is the limit, or one below it.
TEST(closure_by_exponents_on_cuda, distances_at_the_limit) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  const context ctx = context::cuda();
  for (const index_t n : {40, 1100}) {
    matrix<std::int32_t> star(n, n, S::zero());  // 1 from 0 to all others and back: distances of 2
    for (index_t i = 1; i < n; ++i) star(0, i) = star(i, 0) = 1;
    for (index_t i = 1; i < n; ++i)
      for (const index_t j : {i + 1, i + 2, i + 3}) star(i, 1 + (j - 1) % (n - 1)) = 3;
    for (index_t j = 1; j < n; ++j) star(n - 1, j) = S::zero();
    for (const auto& [arc, expected] : {std::pair{23, outcome::closed},  // from n - 1 to others 24
                                        {24, outcome::left_open},
                                        {70000, outcome::left_open}}) {
      star(n - 1, 0) = arc;
      check<S>(ctx, star, expected);
      check<S, by_mma>(ctx, star, expected);
    }
  }
}

TEST(closure_by_exponents_on_cuda, long_distances_are_left_to_others) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {200, 1030, 2060}) {
    check<min_plus<float>>(ctx, draw_graph<min_plus<float>>(n, 6, 12, 2, 6, n), outcome::left_open);
    check<max_plus<std::int32_t>>(ctx, draw_graph<max_plus<std::int32_t>>(n, 6, 12, 2, 6, n), outcome::left_open);
  }
}

TEST(closure_by_exponents_on_cuda, arcs_that_are_not_for_it) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  const index_t n = 500;
  const matrix<float> graph = draw_graph<S>(n, 8, n, 1, 1, 8);
  for (const float odd : {0.5f, -1.0f, 131072.0f, 5000000.0f}) {
    matrix<float> with = graph;
    with(123, 456) = odd;
    check<S>(ctx, with, outcome::not_tried);
  }
  check<S>(ctx, draw_graph<S>(n, 3, n, 1, 1, 9), outcome::not_tried);  // few arcs
  check<S>(ctx, draw_graph<S>(n, 8, n, 7, 9, 9), outcome::not_tried);  // none of them light
}

}  // namespace
}  // namespace kleene::test
