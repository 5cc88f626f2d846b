// Gradients of products over log_plus on the CPU: by hand, against plain loops over near and far terms, layouts,
// batches, and what is refused.
#include "kleene/operations/gradients/gemm.hpp"

#include "support/log_sum_gradients.hpp"
#include "support/product.hpp"

namespace kleene::test::gemm_gradients_test {
namespace {

template <class T>
constexpr T none = -std::numeric_limits<T>::infinity();

template <class T>
void check(index_t m, index_t n, index_t k, double range, std::uint64_t seed, int threads = 2) {
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " within " << range << ", " << type_name<T>);
  const context ctx = context::cpu({.threads = threads});
  const auto p = draw_gradient_problem<T>(m, n, k, range, seed, [&](const matrix<T>& a, const matrix<T>& b) {
    matrix<T> c(m, n);
    gemm(ctx, log_plus<T>{}, a, b, c);
    return c;
  });
  matrix<T> to_a(m, k, T(77)), to_b(k, n, T(77));
  gemm_gradients(ctx, log_plus<T>{}, p.a, p.b, p.c, p.g, to_a, to_b);
  expect_gradients(p, to_a, to_b);
}

TEST(gemm_gradients, by_hand) {
  const context ctx = context::cpu();
  const double log2 = 0.6931471805599453;
  const matrix<double> a{{0, 0}, {3, none<double>}}, b{{0, none<double>}, {0, 5}}, c{{log2, 5}, {3, none<double>}},
      g{{10, -1}, {4, 100}};
  matrix<double> to_a(2, 2), to_b(2, 2);
  gemm_gradients(ctx, log_plus<double>{}, a, b, c, g, to_a, to_b);
  EXPECT_NEAR(to_a(0, 0), 5, 1e-11);
  EXPECT_NEAR(to_a(0, 1), 4, 1e-11);  // half of 10, and all of -1
  EXPECT_NEAR(to_a(1, 0), 4, 1e-11);
  EXPECT_EQ(to_a(1, 1), 0);
  EXPECT_NEAR(to_b(0, 0), 9, 1e-11);
  EXPECT_EQ(to_b(0, 1), 0);
  EXPECT_NEAR(to_b(1, 0), 5, 1e-11);
  EXPECT_NEAR(to_b(1, 1), -1, 1e-11);
}

// Maxima that meet what is far below in the other matrix: their exponentials alone would be lost, or overflow.
TEST(gemm_gradients, far_apart_by_hand) {
  const context ctx = context::cpu();
  const matrix<double> a{{800, -900}}, b{{-800, 0}, {900, 1700}}, c{{0.6931471805599453, 800.6931471805599}}, g{{1, 1}};
  matrix<double> to_a(1, 2), to_b(2, 2);
  gemm_gradients(ctx, log_plus<double>{}, a, b, c, g, to_a, to_b);
  for (const index_t k : {0, 1}) {
    EXPECT_NEAR(to_a(0, k), 1, 1e-10);
    for (const index_t j : {0, 1}) EXPECT_NEAR(to_b(k, j), 0.5, 1e-10);
  }
}

TEST(gemm_gradients, near_and_far_terms) {
  std::uint64_t seed = 1;
  for (const double range : {1.0, 30.0, 300.0, 3000.0})
    for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 1, 1}, {5, 4, 3}, {40, 70, 33}, {65, 3, 130}}) {
      check<float>(m, n, k, range, seed += 3);
      check<double>(m, n, k, range, seed += 3);
    }
}

TEST(gemm_gradients, any_number_of_threads_gives_the_same) {
  for (const int threads : {1, 3}) check<float>(130, 120, 64, 200, 5, threads);
}

// Views of any strides, in one call with a batch.
TEST(gemm_gradients, layouts_and_batches) {
  const context ctx = context::cpu();
  const index_t m = 6, n = 5, k = 7;
  const auto multiply = [&](const matrix<double>& a, const matrix<double>& b) {
    matrix<double> c(m, n);
    gemm(ctx, log_plus<double>{}, a, b, c);
    return c;
  };
  const log_sum_gradient_problem<double> each[2] = {draw_gradient_problem<double>(m, n, k, 3, 1, multiply),
                                                    draw_gradient_problem<double>(m, n, k, 900, 9, multiply)};
  const auto a = transposed_pair(each[0].a, each[1].a), b = transposed_pair(each[0].b, each[1].b),
             c = transposed_pair(each[0].c, each[1].c), g = transposed_pair(each[0].g, each[1].g);
  batch<double> to_a(2, k, m), to_b(2, n, k);
  gemm_gradients(ctx, log_plus<double>{}, a.view().transposed(), b.view().transposed(), c.view().transposed(),
                 g.view().transposed(), to_a.view().transposed(), to_b.view().transposed());
  for (const int one : {0, 1})
    expect_gradients(each[one], of_transposed_pair(to_a, one), of_transposed_pair(to_b, one));
}

TEST(gemm_gradients, empty_extents) {
  const context ctx = context::cpu();
  const matrix<float> a(3, 2, 1.0f), b(2, 0), c(3, 0), g(3, 0);
  matrix<float> to_a(3, 2, 77.0f), to_b(2, 0);
  gemm_gradients(ctx, log_plus<float>{}, a, b, c, g, to_a, to_b);
  EXPECT_TRUE(equal(to_a, matrix<float>(3, 2, 0.0f)));
  matrix<float> nothing_a(3, 0), nothing_b(0, 2);
  gemm_gradients(ctx, log_plus<float>{}, matrix<float>(3, 0), matrix<float>(0, 2), matrix<float>(3, 2, none<float>),
                 matrix<float>(3, 2, 1.0f), nothing_a, nothing_b);
}

TEST(gemm_gradients, refusals) {
  const context ctx = context::cpu();
  const matrix<float> a(3, 4, 0.0f), b(4, 2, 0.0f), c(3, 2, 1.0f);
  matrix<float> to_a(3, 4, 77.0f), to_b(4, 2, 77.0f), wrong(2, 3, 0.0f);
  const auto run = [&](const auto& g, auto&& into_a, auto&& into_b) {
    gemm_gradients(ctx, log_plus<float>{}, a, b, c, g, into_a, into_b);
  };
  EXPECT_THROW(run(wrong, to_a, to_b), shape_error);
  EXPECT_THROW(run(c, wrong, to_b), shape_error);
  EXPECT_THROW(run(c, to_a, wrong), shape_error);
  EXPECT_THROW(gemm_gradients(ctx, log_plus<float>{}, a, b, wrong, wrong, to_a, to_b), shape_error);
  matrix<float> memory(8, 4, 0.0f);
  EXPECT_THROW(run(c, memory.view().block(0, 0, 3, 4), memory.view().block(2, 0, 4, 2)), argument_error);
  EXPECT_THROW(run(memory.view().block(0, 0, 3, 2), memory.view().block(2, 0, 3, 4), to_b), argument_error);
  EXPECT_THROW(run(c, matrix_view<float>(memory.data(), {3, 4}, {0, 1}), to_b), argument_error);
  EXPECT_TRUE(equal(to_a, matrix<float>(3, 4, 77.0f))) << "something was written";
}

}  // namespace
}  // namespace kleene::test::gemm_gradients_test
