// The blocked closure against the reference, and against what a closure must satisfy.
#include "kleene/operations/closure.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/reference/closure.hpp"
#include "support/closable.hpp"
#include "support/product.hpp"

#include <cmath>

namespace kleene::test::closure_test {
namespace {

// Nothing rounds on these values: every algebra is compared exactly.
template <class S>
void expect_like_reference(const context& ctx, index_t n, index_t block, double density) {
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + " n " + std::to_string(n) + " block " +
               std::to_string(block) + " " + ctx.describe());
  auto a = closable<S>(n, density, 11 + n), want = a;
  for (index_t i = 0; i < n; ++i) want(i, i) = S::add(value_of<S>(S::one()), want(i, i));
  ASSERT_EQ(kernels::reference::closure<S>(want.view()).state, status::ok);
  const closure_info info = closure(ctx, S{}, a, {.block = block});
  ASSERT_TRUE(info.exists);
  EXPECT_EQ(info.diverging, -1);
  EXPECT_EQ(info.block, block > 0 ? block : 384);
  EXPECT_TRUE(equal(a, want));
}

TEST(closure, every_idempotent_algebra_and_size_equals_the_reference) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const std::string_view isa : instruction_sets())
        for (const index_t n : {0, 1, 2, 3, 63, 64, 65, 127, 129, 200})
          expect_like_reference<S>(context::cpu({.threads = 2, .isa = isa}), n, 0, 8.0 / double(n + 1));
  });
}

TEST(closure, block_sizes_and_threads_change_nothing) {
  for (const index_t n : {65, 150, 257})
    for (const index_t block : {1, 16, 64, 100, 256, 1000})
      for (const int threads : {1, 3}) {
        const context ctx = context::cpu({.threads = threads});
        expect_like_reference<min_plus<float>>(ctx, n, block, 0.05);
        expect_like_reference<min_plus<std::int32_t>>(ctx, n, block, 0.05);
        expect_like_reference<min_plus<std::int64_t>>(ctx, n, block, 0.05);
        expect_like_reference<max_min<double>>(ctx, n, block, 0.05);
      }
}

// Small graphs with predecessors, many at once: distances as the reference has them, and each chain of predecessors
// leads to its root by arcs whose product is the distance.
template <class S>
void expect_small_graphs(const context& ctx, index_t largest, double density) {
  using T = value_of<S>;
  batch<T> graphs(largest + 1, largest, largest, S::zero()), closed = graphs;
  batch<std::int32_t> p(largest + 1, largest, largest, -7);
  std::vector<std::int32_t> sizes(largest + 1);
  for (index_t n = 0; n <= largest; ++n) {
    sizes[n] = static_cast<std::int32_t>(n);
    const auto graph = closable<S>(n, density, 5 + n);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) graphs(n, i, j) = closed(n, i, j) = graph(i, j);
  }
  ASSERT_TRUE(closure(ctx, S{}, closed, p, {.sizes = sizes}).exists);
  for (index_t n = 0; n <= largest; ++n) {
    SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " n " + std::to_string(n) + " " + ctx.describe());
    matrix<T> want(n, n);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j)
        want(i, j) = i == j ? normalise<S>(S::add(widen<S>(S::one()), widen<S>(graphs(n, i, j)))) : graphs(n, i, j);
    ASSERT_EQ(kernels::reference::closure<S>(want.view()).state, status::ok);
    const auto block = [n](const auto& many) { return many.view()[n].block(0, 0, n, n); };
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) ASSERT_TRUE(closed(n, i, j) == want(i, j)) << i << ", " << j;
    ASSERT_TRUE(reaches_source<S>(block(graphs), block(closed), block(p)));
  }
}

TEST(closure, small_graphs_with_predecessors) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_selective<S> && has_unit_star<S>)
      for (const std::string_view isa : instruction_sets())
        for (const double density : {0.1, 0.7})
          expect_small_graphs<S>(context::cpu({.threads = 2, .isa = isa}), 41, density);
  });
  for (const std::string_view isa : instruction_sets()) {  // up to a leaf, and beyond
    expect_small_graphs<min_plus<float>>(context::cpu({.threads = 2, .isa = isa}), 66, 0.1);
    expect_small_graphs<max_plus<double>>(context::cpu({.threads = 2, .isa = isa}), 66, 0.1);
  }
}

TEST(closure, a_batch_refuses_its_first_value_that_is_wrong) {
  batch<float> many(500, 7, 7, 1);
  many(451, 2, 3) = many(450, 6, 5) = std::numeric_limits<float>::quiet_NaN();
  const auto said = [&](index_t first) {
    return refusal<value_error>(fault_code::bad_input, [&] {
      (void)closure(context::cpu({.threads = 2}), min_plus<float>{}, many, {.first = first});
    });
  };
  EXPECT_EQ(said(0), "A(450, 6, 5) is NaN");
  EXPECT_EQ(said(1000), "A(1450, 6, 5) is NaN");
  EXPECT_EQ(many(0, 0, 0), 1) << "nothing is written";
}

TEST(closure, more_than_one_default_block) {
  for (const index_t n : {385, 800}) {
    expect_like_reference<min_plus<float>>(context::cpu(), n, 0, 0.02);
    expect_like_reference<or_and<float>>(context::cpu(), n, 0, 0.003);
    expect_like_reference<max_plus<std::int32_t>>(context::cpu(), n, 0, 0.02);
  }
}

// Sums that round: the same up to the order of additions.
TEST(closure, rounding_weights_stay_within_the_bound) {
  for (const index_t n : {65, 200, 300}) {
    auto a = problems::random_matrix<min_plus<float>>(n, n, distribution::uniform, 5), want = a;
    for (index_t i = 0; i < n; ++i) want(i, i) = 0;
    ASSERT_EQ(kernels::reference::closure<min_plus<float>>(want.view()).state, status::ok);
    ASSERT_TRUE(closure(context::cpu(), min_plus<float>{}, a).exists);
    EXPECT_TRUE(close(a, want, 1e-6));
  }
}

TEST(closure, signed_weights_without_negative_cycles) {
  for (const index_t n : {5, 64, 150, 300})
    for (const index_t block : {0, 16, 100}) {
      const auto graph = problems::random_signed_graph<min_plus<std::int32_t>>(n, 6 * n, 21);
      auto a = problems::dense_of<min_plus<std::int32_t>>(graph), want = a;
      for (index_t i = 0; i < n; ++i) want(i, i) = std::min(0, want(i, i));
      ASSERT_EQ(kernels::reference::closure<min_plus<std::int32_t>>(want.view()).state, status::ok);
      ASSERT_TRUE(closure(context::cpu({.threads = 2}), min_plus<std::int32_t>{}, a, {.block = block}).exists);
      EXPECT_TRUE(equal(a, want)) << n << " " << block;
    }
}

TEST(closure, is_idempotent_and_solves_its_equation) {
  const context ctx = context::cpu({.threads = 2});
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>) {
      SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>>);
      const auto a = closable<S>(130, 0.05, 31);
      auto star_a = a;
      ASSERT_TRUE(closure(ctx, s, star_a).exists);
      auto again = star_a;
      ASSERT_TRUE(closure(ctx, s, again).exists);
      EXPECT_TRUE(equal(again, star_a)) << "(A*)* = A*";
      matrix<value_of<S>> right(130, 130, S::zero());
      for (index_t i = 0; i < 130; ++i) right(i, i) = S::one();
      gemm(ctx, s, a, star_a, right, {.accumulate = true});
      EXPECT_TRUE(equal(right, star_a)) << "A* = I + A A*";
      for (index_t i = 0; i < 130; ++i) ASSERT_EQ(star_a(i, i), S::one());
    }
  });
}

// Entries of at most 1/(2n) in magnitude: I - A is safely invertible.
template <class T>
void expect_inverse(index_t n, index_t block, double bound) {
  const context ctx = context::cpu({.threads = 2});
  auto a = problems::random_matrix<plus_times<T>>(n, n, distribution::uniform, 41);
  for (index_t i = 0; i < a.size(); ++i) a.data()[i] = (a.data()[i] - T(0.3)) / static_cast<T>(2 * n);
  auto x = a;
  ASSERT_TRUE(closure(ctx, plus_times<T>{}, x, {.block = block}).exists);
  matrix<T> left(n, n), identity(n, n);
  gemm(ctx, plus_times<T>{}, a, x, left);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j) left(i, j) = x(i, j) - left(i, j);
    identity(i, i) = 1;
  }
  EXPECT_TRUE(close(left, identity, bound)) << "(I - A) A* = I, n " << n << " block " << block;
}

TEST(closure, of_plus_times_is_the_inverse_of_one_minus_a) {
  for (const index_t n : {1, 2, 64, 65, 130, 300}) {
    expect_inverse<double>(n, 0, 1e-13);
    expect_inverse<float>(n, 0, 1e-5);
  }
  for (const index_t block : {16, 64, 100}) expect_inverse<double>(200, block, 1e-13);
}

TEST(closure, of_other_summing_algebras) {
  const context ctx = context::cpu({.threads = 2});
  constexpr index_t n = 150;
  // log_plus is plus_times in logarithms.
  auto p = problems::random_matrix<plus_times<double>>(n, n, distribution::uniform, 51);
  matrix<double> l(n, n);
  for (index_t i = 0; i < p.size(); ++i) p.data()[i] /= 2 * n, l.data()[i] = std::log(p.data()[i]);
  ASSERT_TRUE(closure(ctx, plus_times<double>{}, p, {.block = 64}).exists);
  ASSERT_TRUE(closure(ctx, log_plus<double>{}, l, {.block = 64}).exists);
  for (index_t i = 0; i < p.size(); ++i) l.data()[i] = std::exp(l.data()[i]);
  EXPECT_TRUE(close(l, p, 1e-12));
  // Paths in a line of double arcs, counted, and their parity in a line of single ones: vertices in a scrambled order.
  matrix<std::int32_t> count(n, n), parity(n, n);
  const auto place = [](index_t v) { return v * 7 % n; };
  for (index_t v = 0; v + 1 < 20; ++v) count(place(v), place(v + 1)) = 2;
  for (index_t v = 0; v + 2 < n; ++v) parity(place(v), place(v + 1)) = parity(place(v), place(v + 2)) = 1;
  auto want = parity;
  ASSERT_TRUE(closure(ctx, plus_times<std::int32_t>{}, count, {.block = 16}).exists);
  for (index_t v = 0; v < 20; ++v)
    for (index_t w = v; w < 20; ++w) ASSERT_EQ(count(place(v), place(w)), 1 << (w - v));
  ASSERT_EQ(kernels::reference::closure<xor_and<std::int32_t>>(want.view()).state, status::ok);
  ASSERT_TRUE(closure(ctx, xor_and<std::int32_t>{}, parity, {.block = 16}).exists);
  EXPECT_TRUE(equal(parity, want));
}

}  // namespace
}  // namespace kleene::test::closure_test
