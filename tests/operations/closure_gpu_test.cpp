// Closures on a device against the CPU: every algebra, sizes at the edges of tiles and blocks, layouts, predecessors,
// divergence, refusals, batches.
#include "kleene/operations/closure.hpp"

#include "support/closable.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

#include <thread>

namespace kleene::test {
namespace {

// The same closure on both; equal unless `bound` says how far apart sums may be.
template <class S>
void expect_like_cpu(const context& ctx, const matrix<value_of<S>>& graph, index_t block = 0, double bound = 0) {
  if (!sampled()) return;
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " n " + std::to_string(graph.rows()) + " block " +
               std::to_string(block));
  auto want = graph;
  auto a = to_device(ctx, graph);
  const closure_info cpu = closure(context::cpu({.threads = 2}), S{}, want, {.block = block});
  const closure_info info = closure(ctx, S{}, a, {.block = block});
  ASSERT_EQ(info.exists, cpu.exists);
  ASSERT_EQ(info.block, cpu.block);
  if (!cpu.exists) return;
  EXPECT_EQ(info.diverging, -1);
  if (bound > 0) {
    EXPECT_TRUE(close(to_host(ctx, a), want, bound));
  } else {
    EXPECT_TRUE(equal(to_host(ctx, a), want));
  }
}

TEST(closure_on_cuda, every_idempotent_algebra_at_the_edges_of_tiles) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const index_t n : {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 200, 255, 388, 401})
        expect_like_cpu<S>(ctx, closable<S>(n, 8.0 / double(n + 1), 11 + n));
  });
}

TEST(closure_on_cuda, every_idempotent_algebra_over_several_blocks) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const index_t n : {768, 900, 1201}) expect_like_cpu<S>(ctx, closable<S>(n, 4.0 / double(n), 5 + n));
  });
}

// 384 lets the next block get ready ahead, the others do not.
TEST(closure_on_cuda, block_sizes_change_nothing) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {150, 520, 1000})
    for (const index_t block : {16, 64, 100, 256, 384, 768, 5000}) {
      expect_like_cpu<min_plus<float>>(ctx, closable<min_plus<float>>(n, 0.02, n), block);
      expect_like_cpu<min_plus<std::int32_t>>(ctx, closable<min_plus<std::int32_t>>(n, 0.02, n), block);
      expect_like_cpu<max_min<double>>(ctx, closable<max_min<double>>(n, 0.02, n), block);
    }
}

// The block order is the CPU's, so that sums that round are equal to the last bit.
TEST(closure_on_cuda, rounding_weights_equal_the_cpu) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {65, 384, 500, 1100}) {
    expect_like_cpu<min_plus<float>>(ctx, problems::random_matrix<min_plus<float>>(n, n, distribution::uniform, 5));
    expect_like_cpu<min_plus<double>>(ctx, problems::random_matrix<min_plus<double>>(n, n, distribution::uniform, 6));
    expect_like_cpu<max_times<float>>(ctx, problems::random_matrix<max_times<float>>(n, n, distribution::uniform, 7));
    auto gains = problems::random_matrix<max_plus<float>>(n, n, distribution::uniform, 8);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) gains(i, j) -= 1;
    expect_like_cpu<max_plus<float>>(ctx, gains);
  }
}

TEST(closure_on_cuda, signed_weights) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {5, 64, 150, 800, 1537}) {
    expect_like_cpu<min_plus<std::int32_t>>(ctx,
                                            problems::dense_of<min_plus<std::int32_t>>(
                                                problems::random_signed_graph<min_plus<std::int32_t>>(n, 6 * n, 21)));
    expect_like_cpu<min_plus<float>>(
        ctx, problems::dense_of<min_plus<float>>(problems::random_signed_graph<min_plus<float>>(n, 6 * n, 22)));
    expect_like_cpu<min_plus<double>>(
        ctx, problems::dense_of<min_plus<double>>(problems::random_signed_graph<min_plus<double>>(n, 6 * n, 23)));
  }
}

// Sums of all walks: (I - A)^-1, logarithms of sums, parities and numbers of paths.
TEST(closure_on_cuda, algebras_that_sum) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {1, 50, 64, 130, 400, 800}) {
    problems::generator g(n);
    matrix<double> a(n, n, 0.0), logs(n, n, log_plus<double>::zero());
    matrix<std::int32_t> paths(n, n, 0), parities(n, n, 0);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        a(i, j) = g.real() / double(2 * n);
        logs(i, j) = std::log(a(i, j));
        if (i < j && g.chance(1.5 / double(n))) paths(i, j) = 1;
        if (i < j && g.chance(0.1)) parities(i, j) = 1;
      }
    expect_like_cpu<plus_times<double>>(ctx, a, 0, 1e-12);
    expect_like_cpu<log_plus<double>>(ctx, logs, 0, 1e-10);
    expect_like_cpu<plus_times<std::int32_t>>(ctx, paths);
    expect_like_cpu<xor_and<std::int32_t>>(ctx, parities);
  }
}

TEST(closure_on_cuda, any_layout) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  for (const index_t n : {65, 500, 801}) {
    const auto graph = closable<S>(n, 0.02, n);
    auto want = graph;
    ASSERT_TRUE(closure(context::cpu(), S{}, want).exists);
    struct {
      index_t row, col, offset;
    } constexpr layouts[] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 3}, {0, 2, 1}};  // 0: the other index's run
    for (const auto& [row, col, offset] : layouts) {
      const index_t pitch = 2 * n + 7;
      const std::array<index_t, 2> strides =
          col == 0 ? std::array<index_t, 2>{pitch, 1} : std::array<index_t, 2>{col, pitch};
      matrix<float> host(1, n * pitch + offset + 2 * n, 77.0f);
      matrix_view<float> inside(host.data() + offset, {n, n}, strides);
      matrix<std::int32_t> p_host(1, n * pitch + offset + 2 * n, -7);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) inside(i, j) = graph(i, j);
      auto device = to_device(ctx, host);
      auto p = to_device(ctx, p_host);
      view<float, 2, memory::device> a(device.data() + offset, {n, n}, strides);
      view<std::int32_t, 2, memory::device> before(p.data() + offset, {n, n}, strides);
      ASSERT_TRUE(closure(ctx, S{}, a, before).exists);
      auto result = to_host(ctx, device);
      auto p_result = to_host(ctx, p);
      const matrix_view<const std::int32_t> chains(p_result.data() + offset, {n, n}, strides);
      const matrix_view<const float> closed(result.data() + offset, {n, n}, strides);
      EXPECT_TRUE(reaches_source<S>(graph.view(), closed, chains)) << n;
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) {
          inside(i, j) = want(i, j);
          result(0, inside.data() + i * strides[0] + j * strides[1] - host.data()) = closed(i, j);
        }
      EXPECT_TRUE(equal(result, host)) << "values, and what lies around them";
    }
  }
}

// Predecessors reach the root along arcs whose product is the distance, whatever ties.
template <class S>
void expect_predecessors(const context& ctx, const matrix<value_of<S>>& graph, double relative = 0) {
  if (!sampled()) return;
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " n " + std::to_string(graph.rows()));
  auto want = graph;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), S{}, want).exists);
  auto a = to_device(ctx, graph);
  device_matrix<std::int32_t> p(ctx, graph.rows(), graph.cols());
  ASSERT_TRUE(closure(ctx, S{}, a, p).exists);
  const auto closed = to_host(ctx, a);
  const auto before = to_host(ctx, p);
  if (relative > 0) {
    EXPECT_TRUE(close(closed, want, relative));
  } else {
    EXPECT_TRUE(equal(closed, want));
  }
  EXPECT_TRUE(reaches_source<S>(graph.view(), closed.view(), before.view(), relative));
}

TEST(closure_on_cuda, predecessors_of_every_selective_algebra) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_selective<S>)
      for (const index_t n : {1, 2, 64, 130, 500})
        expect_predecessors<S>(ctx, closable<S>(n, 5.0 / double(n + 4), 3 + n));
  });
}

TEST(closure_on_cuda, predecessors_with_ties_never_go_round) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {3, 40, 200, 450})
    for (const double density : {0.02, 0.2, 0.9}) {
      problems::generator g(n);
      matrix<std::int32_t> zeros(n, n, min_plus<std::int32_t>::zero());
      matrix<float> few(n, n, 0.0f), reach(n, n, 0.0f), floats(n, n, min_plus<float>::zero());
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j)
          if (g.chance(density)) {
            zeros(i, j) = static_cast<std::int32_t>(g.below(2));
            few(i, j) = static_cast<float>(1 + g.below(3));
            reach(i, j) = 1;
            floats(i, j) =
                g.chance(0.5) ? 0.0f : 1e-9f * static_cast<float>(g.below(5)) + static_cast<float>(g.below(2));
          }
      expect_predecessors<min_plus<std::int32_t>>(ctx, zeros);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j)
          if (few(i, j) == 0) few(i, j) = max_min<float>::zero();
      expect_predecessors<max_min<float>>(ctx, few);
      expect_predecessors<or_and<float>>(ctx, reach);
      expect_predecessors<min_plus<float>>(ctx, floats, 1e-6);
    }
}

TEST(closure_on_cuda, predecessors_of_rounding_and_of_signed_weights) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {100, 700}) {
    expect_predecessors<min_plus<float>>(ctx, problems::random_matrix<min_plus<float>>(n, n, distribution::uniform, 5),
                                         1e-5);
    expect_predecessors<min_plus<double>>(
        ctx, problems::random_matrix<min_plus<double>>(n, n, distribution::uniform, 5), 1e-12);
    expect_predecessors<min_plus<std::int32_t>>(
        ctx, problems::dense_of<min_plus<std::int32_t>>(
                 problems::random_signed_graph<min_plus<std::int32_t>>(n, 6 * n, 9, 2)));
  }
}

TEST(closure_on_cuda, divergence_is_never_silent) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {2, 70, 500, 1300})
    for (const index_t at : {index_t{0}, (n - 1) / 2, n - 2}) {
      auto graph = closable<min_plus<std::int32_t>>(n, 3.0 / double(n), n);
      graph(at, at + 1) = -5, graph(at + 1, at) = 4;
      auto a = to_device(ctx, graph);
      device_matrix<std::int32_t> p(ctx, n, n);
      closure_info info = closure(ctx, min_plus<std::int32_t>{}, a, p);
      EXPECT_FALSE(info.exists) << n;
      EXPECT_GE(info.diverging, 0);
      EXPECT_LT(info.diverging, n);
      EXPECT_FALSE(closure(context::cpu(), min_plus<std::int32_t>{}, graph).exists);
    }
  matrix<double> one(3, 3, 0.0);
  one(1, 1) = 1;
  auto a = to_device(ctx, one);
  EXPECT_FALSE(closure(ctx, plus_times<double>{}, a).exists);
}

TEST(closure_on_cuda, refusals_leave_the_matrix_alone) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto message = [&](const auto& run) {
    try {
      run();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  matrix<float> host(70, 70, 1.0f);
  host(68, 3) = std::numeric_limits<float>::quiet_NaN();
  auto a = to_device(ctx, host);
  EXPECT_EQ(message([&] { (void)closure(ctx, min_plus<float>{}, a); }), "A(68, 3) is NaN");
  EXPECT_EQ(to_host(ctx, a)(0, 0), 1.0f);
  host(68, 3) = -2;
  a = to_device(ctx, host);
  EXPECT_EQ(message([&] { (void)closure(ctx, max_times<float>{}, a); }),
            "A(68, 3) = -2 is outside the domain of max_times");
  device_matrix<float> wide(ctx, 3, 4);
  EXPECT_EQ(message([&] { (void)closure(ctx, min_plus<float>{}, wide); }), "a closure needs a square matrix; A is 3x4");
  EXPECT_NE(message([&] { (void)closure(ctx, min_plus<float>{}, host); }).find("cannot reach"), std::string::npos);
  EXPECT_NE(message([&] { (void)closure(context::cpu(), min_plus<float>{}, a); }).find("cannot reach"),
            std::string::npos);

  matrix<std::int32_t> steps(3, 3, min_plus<std::int32_t>::zero());
  const std::int32_t far = std::numeric_limits<std::int32_t>::max() / 8 - 1;
  steps(0, 1) = far, steps(1, 2) = far;
  auto b = to_device(ctx, steps);
  EXPECT_NE(message([&] { (void)closure(ctx, min_plus<std::int32_t>{}, b); }).find("too large"), std::string::npos);
}

// A contiguous batch as one tall matrix.
template <class T>
matrix_view<const T> tall(const batch<T>& b) {
  return {b.data(), {b.extents()[0] * b.rows(), b.cols()}};
}

template <class S>
void expect_batch_like_cpu(const context& ctx, index_t count, index_t n, bool ragged, double relative = 0) {
  if (!sampled()) return;
  using T = value_of<S>;
  SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " " + std::to_string(count) + " of " + std::to_string(n));
  batch<T> graphs({count, n, n}, T(S::zero()));
  std::vector<std::int32_t> sizes(count, static_cast<std::int32_t>(n));
  for (index_t b = 0; b < count; ++b) {
    const auto one = closable<S>(n, 6.0 / double(n + 2), 100 * n + b);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) graphs(b, i, j) = one(i, j);
    if (ragged) sizes[b] = static_cast<std::int32_t>((b * 7 + 1) % (n + 1));
  }
  const closure_batch_options options{.sizes = sizes};
  auto want = graphs, values_only = graphs;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), S{}, want, options).exists);
  auto a = to_device(ctx, graphs), alone = to_device(ctx, graphs);
  ASSERT_TRUE(closure(ctx, S{}, alone, options).exists);
  const auto without = to_host(ctx, alone);
  EXPECT_TRUE(equal(tall(without), tall(want)));
  if constexpr (is_selective<S>) {
    auto p = to_device(ctx, batch<std::int32_t>({count, n, n}, -9));
    ASSERT_TRUE(closure(ctx, S{}, a, p, options).exists);
    const auto closed = to_host(ctx, a);
    const auto before = to_host(ctx, p);
    EXPECT_TRUE(equal(tall(closed), tall(want)));
    for (index_t b = 0; b < count; ++b) {
      const index_t size = sizes[b];
      const auto part = [&](const auto& v) { return as_view(v)[b].block(0, 0, size, size); };
      EXPECT_TRUE(reaches_source<S>(part(graphs), part(closed), part(before), relative)) << "matrix " << b;
      for (index_t j = size; j < n; ++j) ASSERT_EQ(before(b, n - 1, j), -9) << "beyond matrix " << b;
    }
  }
}

TEST(closure_on_cuda, batches) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const bool ragged : {false, true}) {
    for (const index_t n : {1, 16, 33, 64, 65, 100, 128, 200, 256, 300}) {
      expect_batch_like_cpu<min_plus<float>>(ctx, 9, n, ragged);
      expect_batch_like_cpu<min_plus<double>>(ctx, 5, n, ragged);
    }
    expect_batch_like_cpu<max_min<float>>(ctx, 40, 70, ragged);
    expect_batch_like_cpu<or_and<float>>(ctx, 40, 130, ragged);
    expect_batch_like_cpu<min_plus<std::int32_t>>(ctx, 2000, 20, ragged);
    expect_batch_like_cpu<min_plus<std::int64_t>>(ctx, 12, 90, ragged);
  }
}

// For compute-sanitizer's slower tools: every kernel, on little.
TEST(closure_on_cuda, a_little_of_everything) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {30, 130}) {
    expect_predecessors<min_plus<float>>(ctx, closable<min_plus<float>>(n, 0.05, n));
    expect_predecessors<or_and<float>>(ctx, closable<or_and<float>>(n, 0.05, n));
  }
  expect_like_cpu<min_plus<float>>(ctx, closable<min_plus<float>>(450, 0.01, 1));
  expect_like_cpu<min_plus<float>>(ctx, closable<min_plus<float>>(230, 0.02, 1), 100);
  for (const index_t n : {9, 30, 60, 100}) expect_batch_like_cpu<min_plus<float>>(ctx, 3, n, true);
}

TEST(closure_on_cuda, contexts_side_by_side) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const auto graph = closable<S>(1200, 0.01, 1);
  auto want = graph;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), S{}, want).exists);
  std::vector<std::thread> threads;
  std::vector<int> good(6, 0);
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      const context ctx = context::cuda();
      for (int round = 0; round < 5; ++round) {
        auto a = to_device(ctx, graph);
        if (closure(ctx, S{}, a).exists && equal(to_host(ctx, a), want)) ++good[t];
      }
    });
  for (std::thread& t : threads) t.join();
  for (const int g : good) EXPECT_EQ(g, 5);
}

}  // namespace
}  // namespace kleene::test
