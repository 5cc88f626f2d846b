// Batches of products of a matrix and a vector by einsum, beside plain loops: each matrix is read once.
#include "kleene/operations/einsum.hpp"

#include "kleene/data/splitmix64.hpp"
#include "support/equal.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace kleene::test::einsum_vectors_test {
namespace {

constexpr index_t batch = 7, rows = 40, depth = 50;

template <class T>
tensor<T> drawn(const axis_values& extents, std::uint64_t seed) {
  splitmix64 random{seed};
  tensor<T> t(extents);
  for (index_t e = 0; e < t.size(); ++e) t.data()[e] = static_cast<T>(random() % 100);
  return t;
}

template <class T>
bool same(const tensor<T>& a, const tensor<T>& b) {
  return a.extents() == b.extents() && std::equal(a.data(), a.data() + a.size(), b.data());
}

// y_bi = y_bi (+) (+)_j a_bij (x) x_bj.
template <class S>
void add_products(const tensor<value_of<S>>& a, const tensor<value_of<S>>& x, tensor<value_of<S>>& y) {
  for (index_t b = 0; b < batch; ++b)
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < depth; ++j) y(b, i) = S::add(y(b, i), S::mul(a(b, i, j), x(b, j)));
}

// Sums of integers, in any type, are exact in any order.
template <class S>
void agrees_with_plain_loops() {
  using T = value_of<S>;
  const auto a = drawn<T>({batch, rows, depth}, 1), x = drawn<T>({batch, depth}, 2);
  const auto turned = einsum(context::cpu(), S{}, "bij->bji", a);
  tensor<T> want({batch, rows}, S::zero()), added = drawn<T>({batch, rows}, 3);
  const tensor<T> before = added;
  add_products<S>(a, x, want);
  add_products<S>(a, x, added);
  for (const int threads : {1, 2, 16}) {
    SCOPED_TRACE(threads);
    const context ctx = context::cpu({.threads = threads});
    EXPECT_TRUE(same(einsum(ctx, S{}, "bij,bj->bi", a, x), want));
    EXPECT_TRUE(same(einsum(ctx, S{}, "bj,bij->bi", x, a), want));
    EXPECT_TRUE(same(einsum(ctx, S{}, "bj,bji->bi", x, turned), want));
    EXPECT_TRUE(same(einsum(ctx, S{}, "bji,bj->bi", turned, x), want));
    const auto across = einsum(ctx, S{}, "bij,bj->ib", a, x);
    for (index_t b = 0; b < batch; ++b)
      for (index_t i = 0; i < rows; ++i) ASSERT_EQ(across(i, b), want(b, i));
    tensor<T> c = before;
    einsum(ctx, S{}, "bij,bj->bi", a, x, c, {.accumulate = true});
    EXPECT_TRUE(same(c, added));
  }
}

TEST(einsum_vectors, agree_with_plain_loops) {
  agrees_with_plain_loops<min_plus<float>>();
  agrees_with_plain_loops<max_plus<std::int32_t>>();
  agrees_with_plain_loops<plus_times<double>>();
  agrees_with_plain_loops<plus_times<std::int32_t>>();
}

TEST(einsum_vectors, witnesses_are_the_first) {
  using S = max_plus<float>;
  const auto a = drawn<float>({batch, rows, depth}, 4), x = drawn<float>({batch, depth}, 5);
  tensor<float> c({batch, rows});
  tensor<std::int64_t> w({batch, rows});
  einsum(context::cpu({.threads = 2}), S{}, "bij,bj->bi", a, x, c, w, {});
  for (index_t b = 0; b < batch; ++b)
    for (index_t i = 0; i < rows; ++i) {
      std::int64_t first = 0;
      for (index_t j = 1; j < depth; ++j)
        if (a(b, i, j) + x(b, j) > a(b, i, first) + x(b, first)) first = j;
      ASSERT_EQ(w(b, i), first) << b << ", " << i;
      ASSERT_EQ(c(b, i), a(b, i, first) + x(b, first));
    }
}

// What becomes a product of a matrix and a vector, or a batch of them, on either machine.
TEST(einsum_vectors, are_told_from_products_of_matrices) {
  const auto step = [](const char* text, const std::vector<index_t>& extents) {
    const einsum_equation equation(text);
    const auto axes = [&](std::span<const int> labels) {
      detail::labelled_axes of;
      for (const int l : labels) of.label[of.rank] = l, of.extent[of.rank++] = extents[static_cast<std::size_t>(l)];
      detail::pack(of);
      return of;
    };
    return detail::plan_einsum(axes(equation.operand(0)), axes(equation.operand(1)), axes(equation.output()), false);
  };
  const auto is_vectors = [&](const char* text, const std::vector<index_t>& extents) {
    const detail::einsum_step s = step(text, extents);
    return s.is_vectors && !s.a.is_copied && !s.b.is_copied && !s.c.is_copied;
  };
  EXPECT_TRUE(is_vectors("bij,bj->bi", {7, 40, 50}));
  EXPECT_TRUE(is_vectors("bij,bi->bj", {7, 40, 50}));
  EXPECT_TRUE(is_vectors("bj,bij->bi", {7, 50, 40}));
  EXPECT_TRUE(is_vectors("bij,bij->b", {7, 40, 50}));
  EXPECT_TRUE(is_vectors("bij,bj->ib", {7, 40, 50}));
  const detail::einsum_step shared = step("bij,j->bi", {7, 40, 50});  // one vector for all is one product
  EXPECT_TRUE(shared.is_vector && !shared.is_vectors);
  EXPECT_EQ(shared.m, 280);
  EXPECT_FALSE(is_vectors("bij,bj->bi", {7, 20, 50}));   // too small
  EXPECT_FALSE(is_vectors("bij,bi->bij", {7, 40, 50}));  // nothing to sum
  EXPECT_FALSE(is_vectors("bi,bj->bij", {7, 40, 50}));
  EXPECT_FALSE(is_vectors("bik,bkj->bij", {7, 40, 50, 60}));
  EXPECT_FALSE(is_vectors("bij,bj->bi", {7, 40, 0}));
}

// One value of the last matrix, or of a vector, is not in the domain: no element of C was written, and it is named.
TEST(einsum_vectors, a_wrong_value_leaves_the_output_as_it_was) {
  using S = max_times<float>;
  auto a = drawn<float>({batch, rows, depth}, 6), x = drawn<float>({batch, depth}, 7);
  const tensor<float> before = drawn<float>({batch, rows}, 8);
  const auto said = [&](int threads) {
    tensor<float> c = before;
    const context ctx = context::cpu({.threads = threads});
    const std::string text =
        refusal<value_error>(fault_code::bad_input, [&] { einsum(ctx, S{}, "bij,bj->bi", a, x, c, {}); });
    EXPECT_TRUE(same(c, before));
    return text;
  };
  a(6, 39, 49) = -4;
  for (const int threads : {1, 2, 16})
    EXPECT_TRUE(contains(said(threads), "operand 1(6, 39, 49) = -4")) << said(threads);
  a(6, 39, 49) = 1;
  x(3, 20) = -4;
  EXPECT_TRUE(contains(said(2), "operand 2(3, 20) = -4")) << said(2);
}

// Products of integers that could leave 32 bits: of one matrix alone, and all are refused.
TEST(einsum_vectors, sums_that_could_wrap_are_refused) {
  using S = plus_times<std::int32_t>;
  auto a = drawn<std::int32_t>({batch, rows, depth}, 9), x = drawn<std::int32_t>({batch, depth}, 10);
  a(5, 0, 0) = x(5, 0) = std::numeric_limits<std::int32_t>::max();
  const tensor<std::int32_t> before = drawn<std::int32_t>({batch, rows}, 11);
  tensor<std::int32_t> c = before;
  const context ctx = context::cpu({.threads = 2});
  EXPECT_THROW(einsum(ctx, S{}, "bij,bj->bi", a, x, c, {}), value_error);
  EXPECT_TRUE(same(c, before));
}

}  // namespace
}  // namespace kleene::test::einsum_vectors_test
