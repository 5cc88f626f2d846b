// The block order that the contract of closures gives, spelled out here in plain loops: a closure whose sums round is
// equal to it to the last bit.
#include "kleene/kernels/contract/closure_order.hpp"

#include "support/equal.hpp"
#include "support/problems.hpp"

#include "kleene/operations/closure.hpp"

namespace kleene::test::closure_order_test {
namespace {

using S = min_plus<float>;

// to := left right, or the better of the two.
void multiply(const matrix<float>& left, const matrix<float>& right, const matrix_view<float>& to, bool accumulate) {
  for (index_t i = 0; i < to.rows(); ++i)
    for (index_t j = 0; j < to.cols(); ++j) {
      float best = accumulate ? to(i, j) : S::zero();
      for (index_t k = 0; k < left.cols(); ++k) best = std::min(best, left(i, k) + right(k, j));
      to(i, j) = best;
    }
}
matrix<float> copy_of(const matrix_view<float>& v) {
  matrix<float> m(v.rows(), v.cols());
  for (index_t i = 0; i < v.rows(); ++i)
    for (index_t j = 0; j < v.cols(); ++j) m(i, j) = v(i, j);
  return m;
}

void close_vertex_by_vertex(const matrix_view<float>& a) {
  for (index_t k = 0; k < a.rows(); ++k)
    for (index_t i = 0; i < a.rows(); ++i)
      for (index_t j = 0; j < a.rows(); ++j)
        if (i != k && j != k) a(i, j) = std::min(a(i, j), a(i, k) + a(k, j));
}

// The diagonal is there.
void close_by_blocks(const matrix_view<float>& a, index_t block) {
  const index_t n = a.rows();
  for (index_t k = 0; k < n; k += block) {
    const index_t b = std::min(block, n - k), rest = n - k - b;
    const matrix_view<float> diagonal = a.block(k, k, b, b);
    if (b <= 64) close_vertex_by_vertex(diagonal);
    else close_by_blocks(diagonal, 64);
    const matrix<float> d = copy_of(diagonal);
    struct strip {
      index_t at, size;
    } const outside[] = {{0, k}, {k + b, rest}};
    for (const auto [j, cols] : outside) {
      const auto r = a.block(k, j, b, cols);
      multiply(d, copy_of(r), r, false);
    }
    for (const auto [i, rows] : outside)
      for (const auto [j, cols] : outside)
        multiply(copy_of(a.block(i, k, rows, b)), copy_of(a.block(k, j, b, cols)), a.block(i, j, rows, cols), true);
    for (const auto [i, rows] : outside) {
      const auto l = a.block(i, k, rows, b);
      multiply(copy_of(l), d, l, false);
    }
  }
}

TEST(closure_order, is_the_contracts_to_the_last_bit) {
  for (const index_t n : {1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 200}) {
    const matrix<float> graph = problems::random_matrix<S>(n, n, problems::distribution::uniform, 17 + n);
    for (const index_t block : {0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 100, 128, 1000}) {
      matrix<float> got = graph, want = graph;
      for (index_t i = 0; i < n; ++i) want(i, i) = std::min(0.0f, want(i, i));
      const index_t asked = block > 0 ? block : 384;
      close_by_blocks(want.view(), asked < n ? asked : 64);
      ASSERT_TRUE(closure(context::cpu({.threads = 1}), S{}, got, {.block = block}).exists);
      EXPECT_TRUE(equal(got, want)) << "n " << n << " block " << block;
    }
  }
}

TEST(closure_order, small_matrices_have_the_blocks_that_were_asked_for) {
  using kernels::blocks_of_closure;
  EXPECT_EQ(blocks_of_closure(63, 3), 3);
  EXPECT_EQ(blocks_of_closure(63, 62), 62);
  EXPECT_EQ(blocks_of_closure(63, 63), 64);
  EXPECT_EQ(blocks_of_closure(64, 64), 64);
  EXPECT_EQ(blocks_of_closure(65, 64), 64);
  EXPECT_EQ(blocks_of_closure(65, 384), 64);
  EXPECT_EQ(blocks_of_closure(385, 384), 384);
  for (index_t n = 0; n <= 200; ++n)
    for (index_t block = 1; block <= 200; ++block)
      EXPECT_EQ(blocks_of_closure(n, block), block < n ? block : 64) << n << " " << block;
}

}  // namespace
}  // namespace kleene::test::closure_order_test
