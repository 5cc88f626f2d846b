// Closures on grids of devices, bit by bit what one worker gives at the same block order.
#include "kleene/grid/device_closure.hpp"

#include "grid/device_grids.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

#include <cmath>

namespace kleene::test {
namespace {

namespace device_closure {

template <class S>
void expect_like_one_worker(const matrix<value_of<S>>& graph, index_t block) {
  if (!sampled()) return;
  using T = value_of<S>;
  const index_t n = graph.rows();
  SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " n " + std::to_string(n) + " block " + std::to_string(block));
  matrix<T> want = graph;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), S{}, want, {.block = block}).exists);
  on_every_device_grid([&](worker& w) {
    auto a = spread(w, {n, n, block, block, w.rows() - 1, w.cols() / 2}, graph);
    const closure_info info = closure(w, S{}, a);
    EXPECT_TRUE(info.exists);
    EXPECT_EQ(info.diverging, -1);
    EXPECT_EQ(info.block, block);
    EXPECT_EQ(info.operations, 2.0 * double(n) * double(n) * double(n));
    const matrix<T> whole = to_host(a).gather();
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(whole, want));
    }
  });
}

// The same lengths, and predecessors whose chains sum to them; those of one device where `same`.
template <class S>
void expect_paths(const matrix<value_of<S>>& graph, index_t block, bool same) {
  if (!sampled()) return;
  using T = value_of<S>;
  const index_t n = graph.rows();
  SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " n " + std::to_string(n) + " block " + std::to_string(block));
  const context ctx = context::cuda();
  auto closed = to_device(ctx, graph);
  device_matrix<std::int32_t> before(ctx, n, n);
  ASSERT_TRUE(closure(ctx, S{}, closed, before, {.block = block}).exists);
  const auto want = to_host(ctx, closed);
  const auto from = to_host(ctx, before);
  on_every_device_grid([&](worker& w) {
    const kleene::distribution d{n, n, block, block, 0, w.cols() - 1};
    auto a = spread(w, d, graph);
    distributed_device_matrix<std::int32_t> p(w, d);
    EXPECT_TRUE(closure(w, S{}, a, p).exists);
    const matrix<T> whole = to_host(a).gather();
    const matrix<std::int32_t> chains = to_host(p).gather();
    if (w.rank() != 0) return;
    EXPECT_TRUE(same_bits(whole, want));
    EXPECT_TRUE(reaches_source<S>(graph.view(), whole.view(), chains.view()));
    if (same) {
      EXPECT_TRUE(same_bits(chains, from));
    }
  });
}

}  // namespace device_closure
using device_closure::expect_like_one_worker;
using device_closure::expect_paths;

TEST(device_grid_closure, every_selective_algebra_equals_one_worker) {
  KLEENE_NEEDS_GPU();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const index_t n : {1, 200}) expect_like_one_worker<S>(closable<S>(n, 0.05, 3 + n), 64);
  });
}

TEST(device_grid_closure, blocks_that_do_not_divide_the_matrix) {
  KLEENE_NEEDS_GPU();
  for (const index_t n : {0, 2, 65, 257, 700})
    for (const index_t block : {30, 128, 300}) {
      expect_like_one_worker<min_plus<float>>(closable<min_plus<float>>(n, 0.05, n), block);
      expect_like_one_worker<min_plus<std::int32_t>>(closable<min_plus<std::int32_t>>(n, 0.05, n), block);
    }
}

// Many steps, and products of whole tiles: what streams must wait for each other for.
TEST(device_grid_closure, many_blocks) {
  KLEENE_NEEDS_GPU();
  expect_like_one_worker<min_plus<float>>(closable<min_plus<float>>(3000, 0.004, 1), 256);
  expect_like_one_worker<max_min<float>>(closable<max_min<float>>(2500, 0.004, 2), 128);
  expect_like_one_worker<min_plus<double>>(closable<min_plus<double>>(1500, 0.01, 3), 128);
}

// Sums that round: the order of blocks is part of the result, and the grid is not.
TEST(device_grid_closure, what_rounds_is_the_same_on_every_grid) {
  KLEENE_NEEDS_GPU();
  for (const index_t n : {131, 900})
    expect_like_one_worker<min_plus<float>>(
        problems::random_matrix<min_plus<float>>(n, n, problems::distribution::uniform, 5), 128);
}

TEST(device_grid_closure, sums_of_walks) {
  KLEENE_NEEDS_GPU();
  const index_t n = 300;
  problems::generator g(n);
  matrix<double> walks(n, n);
  for (index_t i = 0; i < walks.size(); ++i) walks.data()[i] = g.real() / double(2 * n);
  matrix<double> want = walks;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), plus_times<double>{}, want, {.block = 100}).exists);
  on_every_device_grid([&](worker& w) {
    auto a = spread(w, {n, n, 100, 100}, walks);
    EXPECT_TRUE(closure(w, plus_times<double>{}, a).exists);
    const matrix<double> whole = to_host(a).gather();
    for (index_t i = 0; i < whole.size(); ++i)
      ASSERT_NEAR(whole.data()[i], want.data()[i], 1e-12 * std::abs(want.data()[i])) << i;
  });
}

TEST(device_grid_closure, predecessors_are_those_of_one_device) {
  KLEENE_NEEDS_GPU();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_selective<S> && has_unit_star<S>)
      for (const index_t n : {1, 150})
        expect_paths<S>(closable<S>(n, 0.05, 7 + n), 32, S::name == std::string("min_plus"));
  });
  for (const index_t n : {2, 97, 600}) expect_paths<min_plus<float>>(closable<min_plus<float>>(n, 0.03, n), 64, true);
  expect_paths<min_plus<float>>(closable<min_plus<float>>(2000, 0.01, 5), 256, true);
}

// Ties and cycles that cost nothing: predecessors have to be repaired.
TEST(device_grid_closure, chains_that_go_round_are_repaired) {
  KLEENE_NEEDS_GPU();
  for (const index_t n : {20, 170}) {
    problems::generator g(17);
    matrix<std::int32_t> zeros(n, n, min_plus<std::int32_t>::zero());
    matrix<float> widths(n, n, max_min<float>::zero());
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        if (g.chance(0.15)) zeros(i, j) = static_cast<std::int32_t>(g.below(2));
        if (g.chance(0.15)) widths(i, j) = static_cast<float>(g.below(3));
      }
    expect_paths<min_plus<std::int32_t>>(zeros, 16, false);
    expect_paths<max_min<float>>(widths, 16, false);
  }
}

// A closed matrix, all of whose arcs are best: more of them than there is room for at once.
TEST(device_grid_closure, arcs_that_are_all_best) {
  KLEENE_NEEDS_GPU();
  auto graph = closable<min_plus<float>>(1500, 0.01, 9);
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), min_plus<float>{}, graph).exists);
  for (index_t i = 0; i < 1500; ++i) graph(i, i) = min_plus<float>::zero();
  expect_paths<min_plus<float>>(graph, 300, true);
}

// A negative cycle of two vertices: whoever finds it, all know the vertex of one worker.
TEST(device_grid_closure, a_negative_cycle_is_reported_by_all) {
  KLEENE_NEEDS_GPU();
  const index_t n = 300;
  for (const index_t u : {0, 110, 298})
    for (const index_t v : {1, 120, 299}) {
      auto graph = closable<min_plus<float>>(n, 0.02, 3);
      graph(u, v) = -1000, graph(v, u) = 4;
      auto one = graph;
      const closure_info want = closure(context::cpu({.threads = 2}), min_plus<float>{}, one, {.block = 70});
      ASSERT_FALSE(want.exists);
      on_every_device_grid([&](worker& w) {
        auto a = spread(w, {n, n, 70, 70}, graph);
        const closure_info info = closure(w, min_plus<float>{}, a);
        EXPECT_FALSE(info.exists);
        EXPECT_EQ(info.diverging, want.diverging);
      });
    }
}

TEST(device_grid_closure, errors_are_those_of_all_workers) {
  KLEENE_NEEDS_GPU();
  on_every_device_grid([](worker& w) {
    const auto message = [&](kleene::distribution d, index_t row, index_t col, float value) -> std::string {
      matrix<float> host(d.m, d.n, 1.0f);
      host(row, col) = value;
      auto a = spread(w, d, host);
      try {
        const closure_info info = closure(w, min_plus<float>{}, a);
        EXPECT_TRUE(info.exists);
      } catch (const argument_error& e) {
        return e.what();
      }
      return "";
    };
    EXPECT_EQ(message({10, 10, 3, 3}, 9, 8, 1), "");
    EXPECT_EQ(message({10, 9, 3, 3}, 0, 0, 1),
              "a closure needs a square matrix; A is 10 x 9 in blocks of 3 x 3 from (0, 0)");
    EXPECT_EQ(message({10, 10, 3, 3}, 9, 8, NAN), "A(9, 8) is NaN");
  });
}

TEST(device_grid_closure, an_overflow_is_an_error_of_all) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  for (const index_t block : {2, 9})
    on_every_device_grid([&](worker& w) {
      matrix<std::int32_t> host(9, 9, S::zero());
      for (index_t i = 0; i + 1 < 9; ++i) host(i, i + 1) = 2'000'000'000;
      auto a = spread(w, {9, 9, block, block}, host);
      EXPECT_THROW((void)closure(w, S{}, a), value_error);
    });
}

TEST(device_grid_closure, a_callback_ends_it) {
  KLEENE_NEEDS_GPU();
  const auto graph = closable<min_plus<float>>(500, 0.02, 3);
  const grid g = grid::cuda({0, 0});
  int calls = 0;
  const auto run = [&](bool goes_on) {
    g.run([&](worker& w) {
      auto a = spread(w, {500, 500, 64, 64}, graph);
      if (w.rank() == 0)
        w.context().on_progress([&](double done, double total) {
          EXPECT_LT(done, total);
          return ++calls < 3 || goes_on;
        });
      EXPECT_TRUE(closure(w, min_plus<float>{}, a).exists);
    });
  };
  EXPECT_THROW(run(false), error);
  EXPECT_EQ(calls, 3);
  run(true);
  EXPECT_EQ(calls, 3 + 8);
}

}  // namespace
}  // namespace kleene::test
