// Batches of small graphs by what their lengths are: positive whole numbers, which the CPU closes as integers
// (kernels/cpu/closure/leaf_lengths.inl.hpp), and all that is barely none of these.
#include "kleene/operations/closure.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/reference/closure.hpp"
#include "support/closable.hpp"
#include "support/product.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace kleene::test::closure_lengths_test {
namespace {

// +1 or -1: which way lengths of S are long.
template <class S>
constexpr int sign = S::zero() > S::one() ? 1 : -1;

template <class S>
matrix<value_of<S>> graph_of(index_t n, double density, index_t longest, std::uint64_t seed) {
  using T = value_of<S>;
  problems::generator g(seed);
  matrix<T> a(n, n, S::zero());
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      if (g.chance(density)) a(i, j) = static_cast<T>(sign<S> * (1 + g.below(longest)));
  return a;
}

// Lengths as the reference has them, to the last bit where no path is -0 long, and chains of predecessors that add up
// to them; in place and of a copy, with and without predecessors, by rows and by columns.
template <class S>
void expect_closed(const context& ctx, const matrix<value_of<S>>& graph) {
  using T = value_of<S>;
  const index_t n = graph.rows();
  SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " n " + std::to_string(n) + " " + ctx.describe());
  auto want = graph;
  for (index_t i = 0; i < n; ++i) want(i, i) = S::add(S::one(), want(i, i));
  ASSERT_EQ(kernels::reference::closure<S>(want.view()).state, status::ok);

  batch<T> found({2, n, n}, 7), alone({2, n, n}, 7), arcs({2, n, n}, S::zero());
  batch<std::int32_t> p({2, n, n}, -7);
  const batch_view<T> turned(alone.data(), {2, n, n}, {n * n, 1, n});
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      for (const index_t b : {0, 1}) arcs(b, i, j) = turned(b, i, j) = graph(i, j);
  double largest = 0;
  ASSERT_TRUE(detail::run_closure_of_copies<S>(ctx, arcs, found.view(), p.view(), {}, largest).exists);
  ASSERT_TRUE(closure(ctx, S{}, turned).exists);
  double longest = 0;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      if (graph(i, j) != S::zero()) longest = std::max(longest, std::abs(static_cast<double>(graph(i, j))));
  EXPECT_EQ(largest, std::is_integral_v<T> ? 0 : longest);
  for (const index_t b : {0, 1}) {
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        ASSERT_EQ(found(b, i, j), want(i, j)) << i << ", " << j;
        ASSERT_EQ(turned(b, i, j), want(i, j)) << i << ", " << j;
      }
    ASSERT_TRUE(reaches_source<S>(graph.view(), found.view()[b], p.view()[b]));
  }

  batch<std::int32_t> wide({2, n, 2 * n}, -7);
  const batch_view<std::int32_t> q(wide.data(), {2, n, n}, {2 * n * n, 2, 2 * n});  // by columns, every second element
  ASSERT_TRUE(closure(ctx, S{}, arcs, q).exists);
  for (const index_t b : {0, 1})
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        ASSERT_EQ(arcs(b, i, j), want(i, j)) << i << ", " << j;
        ASSERT_EQ(q(b, i, j), p(b, i, j)) << i << ", " << j;
      }

  // One element into memory, as no vector likes it, and nothing written beside.
  const index_t all = 2 * n * n;
  std::vector<T> lengths(all + 2, T{9});
  std::vector<std::int32_t> before(all + 2, -9);
  for (index_t b = 0, at = 1; b < 2; ++b)
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) lengths[at++] = graph(i, j);
  ASSERT_TRUE(closure(ctx, S{}, batch_view<T>(lengths.data() + 1, {2, n, n}),
                      batch_view<std::int32_t>(before.data() + 1, {2, n, n}))
                  .exists);
  for (const index_t outside : {index_t{0}, all + 1}) ASSERT_TRUE(lengths[outside] == 9 && before[outside] == -9);
  for (index_t e = 0; e < all; ++e) {
    ASSERT_EQ(lengths[e + 1], found.data()[e]) << e;
    ASSERT_EQ(before[e + 1], p.data()[e]) << e;
  }
}

template <class Function>
void for_each_row(const Function& function) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 1, .isa = isa});
    function(ctx, min_plus<float>{}), function(ctx, max_plus<float>{});
    function(ctx, min_plus<double>{}), function(ctx, max_plus<double>{});
    function(ctx, min_plus<std::int32_t>{}), function(ctx, max_plus<std::int32_t>{});
    function(ctx, min_plus<std::int64_t>{}), function(ctx, max_plus<std::int64_t>{});
  }
}

TEST(closure_lengths, whole_numbers_of_every_size) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    for (index_t n = 1; n <= 64; ++n)
      for (const double density : {0.05, 0.3, 1.0}) expect_closed<S>(ctx, graph_of<S>(n, density, 40, 7 + n));
  });
}

// One arc, late in the matrix, is not of the kind: none, a loop of nothing, or too long for n of them.
TEST(closure_lengths, with_one_that_is_no_positive_whole_number) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    for (const index_t n : {3, 16, 17, 32, 40, 64}) {
      auto graph = graph_of<S>(n, 0.3, 9, 3 + n);
      const auto expect_with = [&](T length) {
        graph(n - 1, n - 2) = length;
        expect_closed<S>(ctx, graph);
      };
      expect_with(0);
      expect_with(T(sign<S> * ((1 << 24) / n - 1)));  // the longest of the kind, or nearly
      expect_with(T(sign<S> * ((1 << 24) / n + 1)));
      expect_with(T(sign<S> * (1 << 24)));
      if constexpr (!std::is_integral_v<T>) {
        expect_with(T(sign<S>) * T(0.5));
        expect_with(T(sign<S>) * std::numeric_limits<T>::denorm_min());
        expect_with(T(-0.0));
      }
      graph(n - 1, n - 2) = T(sign<S> * 3);
      graph(n - 1, n - 1) = 0;  // a loop
      expect_closed<S>(ctx, graph);
      if constexpr (!std::is_integral_v<T>) graph(n - 1, n - 1) = T(sign<S>) * T(0.25);
      expect_closed<S>(ctx, graph);
    }
  });
}

// What all pairs of arcs that tie, and arcs of no length, do to chains.
TEST(closure_lengths, that_tie) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    for (const index_t n : {7, 32, 41}) {
      expect_closed<S>(ctx, graph_of<S>(n, 0.5, 1, n));
      auto graph = graph_of<S>(n, 0.3, 2, n);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j)
          if (graph(i, j) != S::zero()) graph(i, j) -= value_of<S>(sign<S>);  // 0 and 1
      expect_closed<S>(ctx, graph);
    }
  });
}

// Lengths of both signs, no cycle of which improves: each arc has the difference of its ends' heights on top.
TEST(closure_lengths, below_nothing) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    for (const index_t n : {5, 32, 50}) {
      auto graph = graph_of<S>(n, 0.3, 20, n);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j)
          if (graph(i, j) != S::zero()) graph(i, j) += static_cast<value_of<S>>(i * 7 % n - j * 7 % n);
      expect_closed<S>(ctx, graph);
    }
  });
}

// Paths about as long as 16 bits hold beside a vertex, and much longer.
TEST(closure_lengths, about_which_keys_hold_them) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    for (const index_t n : {2, 20, 32})
      for (const int arc : {1, 30, 31, 32, 33, 48, 50, 51, 52, 53, 54, 200, 255, 256, 340, 341, 511, 512, 1022, 1023}) {
        matrix<T> ring(n, n, S::zero());
        for (index_t i = 0; i < n; ++i) ring(i, (i + 1) % n) = static_cast<T>(sign<S> * arc);
        expect_closed<S>(ctx, ring);
        ring(n - 1, 0) = S::zero();  // a chain: not all is reached
        expect_closed<S>(ctx, ring);
      }
    for (const index_t longest : {3, 30, 100, 250, 1000}) expect_closed<S>(ctx, graph_of<S>(32, 0.07, longest, 5));
  });
}

// Sums that reach just below 2^24, which is where floats stop to hold every whole number.
TEST(closure_lengths, on_the_longest_paths) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    for (const index_t n : {2, 33, 64}) {
      matrix<T> ring(n, n, S::zero());
      for (index_t i = 0; i < n; ++i) ring(i, (i + 1) % n) = static_cast<T>(sign<S> * (((1 << 24) - 2) / n));
      expect_closed<S>(ctx, ring);
    }
  });
}

TEST(closure_lengths, of_a_cycle_that_improves_and_of_no_numbers) {
  for_each_row([](const context& ctx, auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    batch<T> graphs({3, 20, 20}, S::zero());
    for (index_t b = 0; b < 3; ++b)
      for (index_t i = 0; i < 20; ++i)
        for (index_t j = 0; j < 20; ++j) graphs(b, i, j) = T(sign<S> * (1 + (i * j) % 5));
    graphs(1, 19, 19) = T(-sign<S>);
    auto closed = graphs;
    const auto info = closure(ctx, S{}, closed);
    ASSERT_FALSE(info.exists);
    EXPECT_EQ(info.diverging, (std::vector<std::int32_t>{-1, 19, -1}));
    if constexpr (!std::is_integral_v<T>)
      for (const index_t at : {18, 19}) {  // off the diagonal, and on it
        auto with_nan = graphs;
        with_nan(1, 19, at) = std::numeric_limits<T>::quiet_NaN();
        batch<T> to({3, 20, 20}, T(0));
        double largest = 0;
        EXPECT_EQ(refusal<value_error>(
                      fault_code::bad_input,
                      [&] { (void)detail::run_closure_of_copies<S>(ctx, with_nan, to.view(), {}, {}, largest); }),
                  "A(1, 19, " + std::to_string(at) + ") is NaN");
      }
  });
}

}  // namespace
}  // namespace kleene::test::closure_lengths_test
