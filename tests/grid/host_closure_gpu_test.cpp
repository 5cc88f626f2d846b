// Closures of matrices in host memory by a device: bit by bit those of the CPU at the same block order.
#include "kleene/grid/host_closure.hpp"

#include "grid/grids.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

#include <cmath>

namespace kleene::test {
namespace {

namespace host_closure {

template <class S>
void expect_like_cpu(const context& ctx, const matrix<value_of<S>>& graph, index_t block) {
  if (!sampled()) return;
  const index_t n = graph.rows();
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " n " + std::to_string(n) + " block " +
               std::to_string(block));
  auto want = graph, got = graph;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), S{}, want, {.block = block}).exists);
  const closure_info info = closure_from_host(ctx, S{}, got.view(), {.block = block});
  EXPECT_TRUE(info.exists);
  EXPECT_EQ(info.block, block);
  EXPECT_EQ(info.operations, 2.0 * double(n) * double(n) * double(n));
  EXPECT_TRUE(same_bits(got, want));
}

}  // namespace host_closure
using host_closure::expect_like_cpu;

TEST(closure_from_host, every_idempotent_algebra_equals_the_cpu) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const index_t n : {1, 100}) expect_like_cpu<S>(ctx, closable<S>(n, 0.06, 3 + n), 16);
  });
}

TEST(closure_from_host, blocks_and_strips_that_do_not_divide_the_matrix) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {0, 2, 63, 257, 700})
    for (const index_t block : {1, 3, 30, 128, 300, 1000}) {
      if (block < 30 && n > 100) continue;
      expect_like_cpu<min_plus<float>>(ctx, closable<min_plus<float>>(n, 0.03, n), block);
    }
  expect_like_cpu<min_plus<float>>(
      ctx, problems::random_matrix<min_plus<float>>(900, 900, problems::distribution::uniform, 5), 128);
  expect_like_cpu<min_plus<double>>(ctx, closable<min_plus<double>>(2500, 0.004, 2), 512);
}

TEST(closure_from_host, rows_may_be_apart) {
  KLEENE_NEEDS_GPU();
  const auto graph = closable<min_plus<float>>(150, 0.03, 4);
  auto want = graph;
  ASSERT_TRUE(closure(context::cpu(), min_plus<float>{}, want, {.block = 40}).exists);
  matrix<float> wide(150, 170, -5.0f);
  for (index_t i = 0; i < 150; ++i) std::copy_n(&graph(i, 0), 150, &wide(i, 0));
  ASSERT_TRUE(
      closure_from_host(context::cuda(), min_plus<float>{}, wide.view().block(0, 0, 150, 150), {.block = 40}).exists);
  for (index_t i = 0; i < 150; ++i)
    for (index_t j = 0; j < 170; ++j) ASSERT_EQ(wide(i, j), j < 150 ? want(i, j) : -5.0f) << i << ", " << j;
}

TEST(closure_from_host, a_negative_cycle_is_that_of_the_cpu) {
  KLEENE_NEEDS_GPU();
  for (const index_t u : {0, 110, 298}) {
    auto graph = closable<min_plus<float>>(300, 0.02, 3);
    graph(u, 120) = -1000, graph(120, u) = 4;
    auto one = graph;
    const closure_info want = closure(context::cpu(), min_plus<float>{}, one, {.block = 70});
    const closure_info info = closure_from_host(context::cuda(), min_plus<float>{}, graph.view(), {.block = 70});
    EXPECT_FALSE(info.exists);
    EXPECT_EQ(info.diverging, want.diverging);
  }
}

// 3.75 n b + 2 b^2 elements of 4 bytes: with n = 1,000 and b = 64 992,768 bytes, with 128 2,051,072.
TEST(closure_from_host, blocks_are_as_large_as_the_memory_allows) {
  KLEENE_NEEDS_GPU();
  const auto block_for = [](std::size_t memory) {
    matrix<float> graph(1000, 1000, INFINITY);
    return closure_from_host(context::cuda(), min_plus<float>{}, graph.view(), {.memory = memory}).block;
  };
  EXPECT_EQ(block_for(992'768), 64);
  EXPECT_EQ(block_for(2'051'071), 64);
  EXPECT_EQ(block_for(2'051'072), 128);
  EXPECT_EQ(block_for(0), 4096);
  try {
    block_for(992'767);
    FAIL() << "not refused";
  } catch (const error& e) {
    EXPECT_STREQ(e.what(),
                 "a closure of 1000 vertices in blocks of 64 needs 992768 bytes on the device; 992767 are allowed or "
                 "available");
  }
}

// A matrix of 256 MB.
TEST(closure_from_host, through_64_megabytes) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const index_t n = 8000;
  auto got = closable<min_plus<float>>(n, 0.0005, 2);
  device_matrix<float> want = to_device(ctx, got);
  const closure_info info = closure_from_host(ctx, min_plus<float>{}, got.view(), {.memory = std::size_t{64} << 20});
  EXPECT_TRUE(info.exists);
  EXPECT_EQ(info.block, 512);
  ASSERT_TRUE(closure(ctx, min_plus<float>{}, want, {.block = 512}).exists);
  EXPECT_TRUE(same_bits(got, to_host(ctx, want)));
}

TEST(closure_from_host, what_is_wrong_is_refused_before_the_matrix_is_written) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  matrix<float> graph(30, 30, 1.0f);
  graph(29, 3) = NAN;
  const auto message = [&](const context& where, const matrix_view<float>& a) -> std::string {
    try {
      return closure_from_host(where, min_plus<float>{}, a).exists ? "closed" : "";
    } catch (const std::exception& e) {
      return e.what();
    }
  };
  EXPECT_EQ(message(ctx, graph.view()), "A(29, 3) is NaN");
  EXPECT_EQ(graph(5, 5), 1.0f);
  EXPECT_EQ(message(ctx, graph.view().block(0, 0, 30, 29)), "a closure needs a square matrix; A is 30 x 29");
  EXPECT_EQ(message(ctx, graph.view().transposed()), "neighbours in a row of A lie 30 elements apart; one is needed");
  EXPECT_NE(message(context::cpu(), graph.view()).find("is for CUDA devices"), std::string::npos);
}

TEST(closure_from_host, a_callback_ends_it) {
  KLEENE_NEEDS_GPU();
  context ctx = context::cuda();
  auto graph = closable<min_plus<float>>(200, 0.02, 3);
  int calls = 0;
  ctx.on_progress([&](double done, double total) {
    EXPECT_LT(done, total);
    return ++calls < 3;
  });
  EXPECT_THROW((void)closure_from_host(ctx, min_plus<float>{}, graph.view(), {.block = 64}), error);
  EXPECT_EQ(calls, 3);
}

TEST(closure_from_host, an_overflow_is_an_error) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  matrix<std::int32_t> graph(9, 9, S::zero());
  for (index_t i = 0; i + 1 < 9; ++i) graph(i, i + 1) = 2'000'000'000;
  for (const index_t block : {2, 9}) {
    auto a = graph;
    EXPECT_THROW((void)closure_from_host(context::cuda(), S{}, a.view(), {.block = block}), value_error);
  }
}

}  // namespace
}  // namespace kleene::test
