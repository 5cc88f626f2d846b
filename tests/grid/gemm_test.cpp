// Products on grids: what one product of the whole matrices gives where nothing rounds, and everywhere the bits of a
// grid of one worker.
#include "kleene/grid/gemm.hpp"

#include "grid/grids.hpp"
#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/reference/gemm.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "support/problems.hpp"

#include <cmath>
#include <cstring>

namespace kleene::test {
namespace {

using problems::distribution;
using layout = kleene::distribution;

struct product_shape {
  index_t m, n, k, mb, nb, kb;
};

template <class S>
void spread(distributed_matrix<value_of<S>>& to, const matrix<value_of<S>>& from) {
  to.fill([&](index_t i, index_t j) { return from(i, j); });
}

// Block after block of k on one worker, by the operation that everybody else has.
template <class S>
matrix<value_of<S>> by_blocks(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b, index_t kb,
                              const matrix<value_of<S>>* c) {
  using T = value_of<S>;
  matrix<T> sum = c ? *c : matrix<T>(a.rows(), b.cols(), S::zero());
  for (index_t k = 0; k < a.cols(); k += kb) {
    const index_t size = std::min(kb, a.cols() - k);
    gemm(context::cpu({.threads = 1}), S{}, a.view().block(0, k, a.rows(), size), b.view().block(k, 0, size, b.cols()),
         sum, {.accumulate = c != nullptr || k > 0});
  }
  return sum;
}

template <class S>
void expect_product(const product_shape& s, distribution values, bool accumulate) {
  using T = value_of<S>;
  const std::string what = name_of<S>() + " " + type_name<T> + " " + std::to_string(s.m) + "x" + std::to_string(s.n) +
                           "x" + std::to_string(s.k) + (accumulate ? " accumulated" : "");
  const auto a = problems::random_matrix<S>(s.m, s.k, values, 1), b = problems::random_matrix<S>(s.k, s.n, values, 2),
             c = problems::random_matrix<S>(s.m, s.n, values, 3);
  const matrix<T> want = by_blocks<S>(a, b, s.kb, accumulate ? &c : nullptr);
  on_every_grid([&](worker& w) {
    SCOPED_TRACE(what + " on " + std::to_string(w.rows()) + " x " + std::to_string(w.cols()));
    const int row = w.rows() - 1, col = w.cols() - 1;
    distributed_matrix<T> at_a(w, {s.m, s.k, s.mb, s.kb, row, 0}), at_b(w, {s.k, s.n, s.kb, s.nb, 0, col}),
        at_c(w, {s.m, s.n, s.mb, s.nb, row, col});
    spread<S>(at_a, a);
    spread<S>(at_b, b);
    spread<S>(at_c, c);
    gemm(w, S{}, at_a, at_b, at_c, {.accumulate = accumulate});
    const matrix<T> got = at_c.gather();
    EXPECT_EQ(got.size(), w.rank() == 0 ? s.m * s.n : 0);
    for (index_t i = 0; i < got.rows(); ++i)
      for (index_t j = 0; j < got.cols(); ++j)
        ASSERT_EQ(std::memcmp(&got(i, j), &want(i, j), sizeof(T)), 0) << i << ", " << j;
  });
}

TEST(grid_gemm, every_algebra_equals_one_worker) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const bool accumulate : {false, true})
      expect_product<S>({23, 17, 29, 5, 4, 6}, distribution::signed_integers, accumulate);
  });
}

TEST(grid_gemm, sums_that_round_are_the_same_on_every_grid) {
  for (const product_shape& s :
       {product_shape{70, 65, 90, 16, 16, 32}, {40, 3, 100, 7, 9, 50}, {129, 70, 64, 64, 64, 64}}) {
    expect_product<plus_times<float>>(s, distribution::uniform, false);
    expect_product<plus_times<double>>(s, distribution::uniform, true);
    expect_product<min_plus<float>>(s, distribution::uniform, false);
    expect_product<log_plus<float>>(s, distribution::uniform, false);
    expect_product<log_plus<double>>(s, distribution::uniform, false);
  }
}

TEST(grid_gemm, shapes_that_leave_workers_without_work) {
  for (const product_shape& s : {product_shape{1, 1, 1, 4, 4, 4},
                                 {0, 5, 3, 2, 2, 2},
                                 {5, 0, 3, 2, 2, 2},
                                 {5, 4, 0, 2, 2, 2},
                                 {100, 1, 3, 1, 1, 1},
                                 {3, 200, 2, 50, 1, 7}})
    for (const bool accumulate : {false, true}) {
      expect_product<min_plus<std::int32_t>>(s, distribution::signed_integers, accumulate);
      expect_product<plus_times<double>>(s, distribution::uniform, accumulate);
    }
}

// By hand: shortest ways of two steps.
TEST(grid_gemm, two_by_two_over_min_plus) {
  const matrix<float> a{{1, 5}, {2, INFINITY}}, b{{3, 1}, {-4, 0}}, want{{1, 2}, {5, 3}};
  on_every_grid([&](worker& w) {
    distributed_matrix<float> x(w, {2, 2, 1, 1}), y(w, {2, 2, 1, 1}), z(w, {2, 2, 1, 1});
    x.scatter(a);
    y.scatter(b);
    gemm(w, min_plus<float>{}, x, y, z);
    const auto got = z.gather();
    EXPECT_EQ(got.size(), w.rank() == 0 ? 4 : 0);
    for (index_t i = 0; i < got.size(); ++i) EXPECT_EQ(got.data()[i], want.data()[i]);
  });
}

TEST(grid_gemm, errors_are_those_of_all_workers) {
  on_every_grid([](worker& w) {
    const auto refuse = [&](const layout& of_a, const layout& of_b, const layout& of_c) {
      distributed_matrix<float> a(w, of_a), b(w, of_b), c(w, of_c);
      EXPECT_THROW(gemm(w, min_plus<float>{}, a, b, c), shape_error);
    };
    refuse({4, 5, 2, 2}, {6, 3, 2, 2}, {4, 3, 2, 2});
    refuse({4, 5, 2, 2}, {5, 3, 3, 2}, {4, 3, 2, 2});
    refuse({4, 5, 2, 2}, {5, 3, 2, 2}, {4, 3, 1, 2});
    refuse({4, 5, 2, 2}, {5, 3, 2, 2}, {4, 3, 2, 1});
    if (w.rows() > 1) refuse({4, 5, 2, 2, 1, 0}, {5, 3, 2, 2}, {4, 3, 2, 2});
    distributed_matrix<float> a(w, {4, 4, 2, 2}), b(w, {4, 4, 2, 2});
    EXPECT_THROW(gemm(w, min_plus<float>{}, a, b, a), argument_error);
    EXPECT_THROW(gemm(w, min_plus<float>{}, a, b, b), argument_error);
  });
}

TEST(grid_gemm, values_outside_the_domain_are_named_by_all) {
  on_every_grid([](worker& w) {
    distributed_matrix<float> a(w, {7, 7, 2, 2}), b(w, {7, 7, 2, 2}), c(w, {7, 7, 2, 2});
    a.fill([](index_t, index_t) { return 0.5f; });
    b.fill([](index_t i, index_t j) { return i == 6 && j == 3 ? -2.0f : 0.5f; });
    c.fill([](index_t, index_t) { return 3.0f; });
    try {
      gemm(w, max_times<float>{}, a, b, c);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const value_error& e) {
      EXPECT_STREQ(e.what(), "B(6, 3) = -2 is outside the domain of max_times");
    }
    for (index_t i = 0; i < c.local().size(); ++i) EXPECT_EQ(c.local().data()[i], 3.0f);
  });
}

// One worker's share does not fit the type: the broadcasts go on, and all throw.
TEST(grid_gemm, an_overflow_is_an_error_of_all) {
  on_every_grid([](worker& w) {
    distributed_matrix<std::int32_t> a(w, {6, 6, 1, 1}), b(w, {6, 6, 1, 1}), c(w, {6, 6, 1, 1});
    a.fill([](index_t i, index_t j) { return i == 0 && j == 0 ? 2'000'000'000 : 1; });
    b.fill([](index_t i, index_t j) { return i == 0 && j == 0 ? 2'000'000'000 : 1; });
    EXPECT_THROW(gemm(w, plus_times<std::int32_t>{}, a, b, c), value_error);
    a.fill([](index_t, index_t) { return 2; });
    gemm(w, plus_times<std::int32_t>{}, a, a, c);  // refused below, where it is the same matrix as C
    EXPECT_EQ(c.local().empty() ? 24 : c.local()(0, 0), 24);
  });
}

// An algebra that the library has never seen.
struct count_min {
  using value_type = double;
  static constexpr bool is_selective = true, is_commutative = true;
  static constexpr double zero() { return INFINITY; }
  static constexpr double one() { return 0; }
  static constexpr double add(double a, double b) { return b < a ? b : a; }
  static constexpr double mul(double a, double b) { return a + b; }
};
TEST(grid_gemm, of_an_algebra_of_ones_own) {
  const auto a = problems::random_matrix<min_plus<double>>(20, 30, distribution::signed_integers, 1),
             b = problems::random_matrix<min_plus<double>>(30, 25, distribution::signed_integers, 2);
  const auto want = multiply(min_plus<double>{}, a, b);
  on_every_grid([&](worker& w) {
    distributed_matrix<double> x(w, {20, 30, 6, 7}), y(w, {30, 25, 7, 5}), z(w, {20, 25, 6, 5});
    spread<min_plus<double>>(x, a);
    spread<min_plus<double>>(y, b);
    gemm(w, count_min{}, x, y, z);
    const auto got = z.gather();
    EXPECT_EQ(got.size(), w.rank() == 0 ? want.size() : 0);
    for (index_t i = 0; i < got.size(); ++i) ASSERT_EQ(got.data()[i], want.data()[i]);
  });
}

}  // namespace
}  // namespace kleene::test
