// Closures on grids, bit by bit what one worker gives at the same block order.
#include "kleene/grid/own/closure.inl.hpp"

#include "grid/grids.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "support/closable.hpp"

#include <cmath>

namespace kleene::test {
namespace {

// A closure on every grid, in blocks of `block`, against that of one matrix.
template <class S>
void expect_like_one_worker(const matrix<value_of<S>>& graph, index_t block, bool with_predecessors) {
  using T = value_of<S>;
  const index_t n = graph.rows();
  const std::string what =
      name_of<S>() + " " + type_name<T> + " n " + std::to_string(n) + " block " + std::to_string(block);
  matrix<T> want = graph;
  matrix<std::int32_t> from(n, n);
  const context ctx = context::cpu({.threads = 1});
  closure_info expected;
  if constexpr (is_selective<S> && has_unit_star<S>) {
    if (with_predecessors) expected = closure(ctx, S{}, want, from, {.block = block});
    else expected = closure(ctx, S{}, want, {.block = block});
  } else {
    expected = closure(ctx, S{}, want, {.block = block});
  }
  ASSERT_TRUE(expected.exists) << what;
  on_every_grid([&](worker& w) {
    SCOPED_TRACE(what + " on " + std::to_string(w.rows()) + " x " + std::to_string(w.cols()));
    const distribution d{n, n, block, block, w.rows() - 1, w.cols() / 2};
    distributed_matrix<T> a(w, d);
    a.fill([&](index_t i, index_t j) { return graph(i, j); });
    closure_info info;
    if constexpr (is_selective<S> && has_unit_star<S>) {
      if (with_predecessors) {
        distributed_matrix<std::int32_t> p(w, d);
        info = closure(w, S{}, a, p);
        const matrix<std::int32_t> whole = p.gather();
        if (w.rank() == 0) {
          EXPECT_TRUE(same_bits(whole, from));
        }
      } else {
        info = closure(w, S{}, a);
      }
    } else {
      info = closure(w, S{}, a);
    }
    EXPECT_TRUE(info.exists);
    EXPECT_EQ(info.diverging, -1);
    EXPECT_EQ(info.block, block);
    EXPECT_EQ(info.operations, 2.0 * double(n) * double(n) * double(n));
    const matrix<T> whole = a.gather();
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(whole, want));
    }
  });
}

// Arcs from lower to higher vertices alone: every closure exists, over any algebra. Floats round.
template <class S>
matrix<value_of<S>> acyclic(index_t n, std::uint64_t seed) {
  using T = value_of<S>;
  problems::generator g(seed);
  matrix<T> a(n, n, S::zero());
  for (index_t i = 0; i < n; ++i)
    for (index_t j = i + 1; j < n; ++j) {
      if (!g.chance(0.2)) continue;
      const bool rounds = std::is_floating_point_v<T> && name_of<S>() != "xor_and";
      a(i, j) = rounds ? static_cast<T>(double(1 + g.below(1000)) / 3001) : static_cast<T>(j % 3 != 0);
    }
  return a;
}

TEST(grid_closure, every_algebra_equals_one_worker) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S>) {
      for (const index_t n : {1, 7, 40}) {
        if constexpr (is_idempotent<S>) expect_like_one_worker<S>(closable<S>(n, 0.2, 3 + n), 6, false);
        else expect_like_one_worker<S>(acyclic<S>(n, 5 + n), 6, false);
      }
    }
  });
}

TEST(grid_closure, predecessors_of_every_selective_algebra_equal_one_workers) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_selective<S> && has_unit_star<S>)
      for (const index_t n : {1, 9, 50}) expect_like_one_worker<S>(closable<S>(n, 0.1, 7 + n), 8, true);
  });
}

TEST(grid_closure, blocks_that_do_not_divide_the_matrix) {
  for (const index_t n : {0, 2, 63, 64, 65, 150, 201})
    for (const index_t block : {1, 16, 64, 100, 300}) {
      if (n > 100 && block == 1) continue;
      expect_like_one_worker<min_plus<float>>(closable<min_plus<float>>(n, 0.05, n), block, true);
    }
}

// Sums that round: the order of blocks is part of the result, and the grid is not.
TEST(grid_closure, what_rounds_is_the_same_on_every_grid) {
  for (const index_t n : {40, 131, 200}) {
    auto weights = problems::random_matrix<min_plus<float>>(n, n, problems::distribution::uniform, 5);
    expect_like_one_worker<min_plus<float>>(weights, 24, true);
    for (index_t i = 0; i < weights.size(); ++i) weights.data()[i] = (weights.data()[i] - 0.3f) / float(2 * n);
    expect_like_one_worker<plus_times<float>>(weights, 24, false);
    matrix<double> wide(n, n);
    for (index_t i = 0; i < wide.size(); ++i) wide.data()[i] = double(weights.data()[i]) / 3;
    expect_like_one_worker<plus_times<double>>(wide, 40, false);
  }
}

TEST(grid_closure, logarithms_are_the_same_on_every_grid) {
  for (const index_t n : {40, 131}) {
    auto f = problems::random_matrix<log_plus<float>>(n, n, problems::distribution::uniform, 5);
    matrix<double> d(n, n);
    for (index_t i = 0; i < f.size(); ++i) {
      f.data()[i] = -f.data()[i] - std::log(float(4 * n));  // rows sum to less than 1
      d.data()[i] = double(f.data()[i]) - 0.1;
    }
    expect_like_one_worker<log_plus<float>>(f, 24, false);
    expect_like_one_worker<log_plus<double>>(d, 24, false);
  }
}

// Ties and cycles that cost nothing: predecessors have to be repaired.
TEST(grid_closure, ties_are_broken_alike) {
  for (const index_t n : {20, 70}) {
    problems::generator g(17);
    matrix<std::int32_t> zeros(n, n, min_plus<std::int32_t>::zero());
    matrix<float> widths(n, n, max_min<float>::zero());
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        if (g.chance(0.15)) zeros(i, j) = static_cast<std::int32_t>(g.below(2));
        if (g.chance(0.15)) widths(i, j) = static_cast<float>(g.below(3));
      }
    for (const index_t block : {5, 16}) {
      expect_like_one_worker<min_plus<std::int32_t>>(zeros, block, true);
      expect_like_one_worker<max_min<float>>(widths, block, true);
    }
  }
}

// 1 -> 3 -> 2 -> 1 sums to 0 or to -2.2e-16, by where one begins: no predecessors end at their root.
TEST(grid_closure, a_cycle_that_rounds_to_less_than_0_is_reported_by_all) {
  matrix<double> graph(6, 6, min_plus<double>::zero());
  graph(0, 1) = -1.187332370091538, graph(0, 4) = 1.3973059844562767, graph(1, 3) = .1488431958556935;
  graph(2, 1) = -2.4337365251048793, graph(3, 2) = 2.2848933292491855;
  graph(4, 5) = -3.4928612176975227, graph(5, 3) = 1.4299474106334804;
  on_every_grid([&](worker& w) {
    distributed_matrix<double> a(w, {6, 6, 2, 2});
    distributed_matrix<std::int32_t> p(w, {6, 6, 2, 2});
    a.fill([&](index_t i, index_t j) { return graph(i, j); });
    const closure_info info = closure(w, min_plus<double>{}, a, p);
    EXPECT_FALSE(info.exists);
    EXPECT_TRUE(info.diverging >= 1 && info.diverging <= 3) << info.diverging;
  });
}

// A negative cycle of two vertices, in every pair of blocks: whoever finds it, all know the vertex of one worker.
TEST(grid_closure, a_negative_cycle_is_reported_by_all) {
  const index_t n = 30;
  for (const index_t u : {0, 11, 28})
    for (const index_t v : {1, 12, 29}) {
      auto graph = closable<min_plus<float>>(n, 0.1, 3);
      graph(u, v) = -10, graph(v, u) = 4;
      auto one = graph;
      const closure_info want = closure(context::cpu({.threads = 1}), min_plus<float>{}, one, {.block = 7});
      ASSERT_FALSE(want.exists);
      on_every_grid([&](worker& w) {
        distributed_matrix<float> a(w, {n, n, 7, 7});
        a.fill([&](index_t i, index_t j) { return graph(i, j); });
        const closure_info info = closure(w, min_plus<float>{}, a);
        EXPECT_FALSE(info.exists);
        EXPECT_EQ(info.diverging, want.diverging);
      });
    }
}

TEST(grid_closure, errors_are_those_of_all_workers) {
  on_every_grid([](worker& w) {
    const auto message = [&](distribution d, distribution of_p, auto change) -> std::string {
      distributed_matrix<float> a(w, d);
      distributed_matrix<std::int32_t> p(w, of_p);
      a.fill([](index_t, index_t) { return 1.0f; });
      for (index_t i = 0; i < a.local().rows(); ++i)
        for (index_t j = 0; j < a.local().cols(); ++j) change(a.global_row(i), a.global_col(j), a.local()(i, j));
      try {
        const closure_info info = closure(w, min_plus<float>{}, a, p);
        EXPECT_TRUE(info.exists);
      } catch (const argument_error& e) {
        return e.what();
      }
      return "";
    };
    const auto nothing = [](index_t, index_t, float&) {};
    const distribution square{10, 10, 3, 3};
    EXPECT_EQ(message(square, square, nothing), "");
    EXPECT_EQ(message({10, 9, 3, 3}, {10, 9, 3, 3}, nothing),
              "a closure needs a square matrix; A is 10 x 9 in blocks of 3 x 3 from (0, 0)");
    EXPECT_EQ(message({10, 10, 3, 4}, {10, 10, 3, 4}, nothing),
              "a closure on a grid needs square blocks; A is 10 x 10 in blocks of 3 x 4 from (0, 0)");
    EXPECT_EQ(message(square, {10, 10, 4, 4}, nothing),
              "the predecessor matrix is 10 x 10 in blocks of 4 x 4 from (0, 0), A is 10 x 10 in blocks of 3 x 3 from "
              "(0, 0)");
    EXPECT_EQ(message(square, square,
                      [](index_t i, index_t j, float& value) {
                        if (i == 9 && j == 8) value = NAN;
                      }),
              "A(9, 8) is NaN");
  });
}

TEST(grid_closure, an_overflow_is_an_error_of_all) {
  on_every_grid([](worker& w) {
    distributed_matrix<std::int32_t> a(w, {9, 9, 2, 2});
    a.fill([](index_t i, index_t j) { return j == i + 1 ? 2'000'000'000 : min_plus<std::int32_t>::zero(); });
    EXPECT_THROW((void)closure(w, min_plus<std::int32_t>{}, a), value_error);
  });
}

// An algebra that the library has never seen: routes with a capacity and no more.
struct widest {
  using value_type = float;
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return -INFINITY; }
  static constexpr float one() { return INFINITY; }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return b < a ? b : a; }
};
TEST(grid_closure, of_an_algebra_of_ones_own) {
  problems::generator g(23);
  matrix<float> graph(45, 45, widest::zero());
  for (index_t i = 0; i < 45; ++i)
    for (index_t j = 0; j < 45; ++j)
      if (g.chance(0.1)) graph(i, j) = static_cast<float>(g.below(20));
  matrix<float> want = graph;
  ASSERT_TRUE(closure(context::cpu({.threads = 1}), max_min<float>{}, want).exists);
  on_every_grid([&](worker& w) {
    distributed_matrix<float> a(w, {45, 45, 8, 8});
    a.fill([&](index_t i, index_t j) { return graph(i, j); });
    EXPECT_TRUE(closure(w, widest{}, a).exists);
    const matrix<float> whole = a.gather();
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(whole, want));
    }
  });
}

}  // namespace
}  // namespace kleene::test
