// The reference product on tiny inputs, with answers worked out by hand. Everything else is tested against the
// reference.
#include "kleene/kernels/reference/gemm.hpp"

#include "kleene/algebra/semirings.hpp"
#include "support/equal.hpp"

#include <cmath>
#include <limits>

namespace kleene::kernels::reference_gemm_test {
namespace {

using test::equal;
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class S>
gemm_arguments<S> arguments(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b, matrix<value_of<S>>& c) {
  gemm_arguments<S> g;
  g.m = a.rows(), g.k = a.cols(), g.n = b.cols();
  g.a = a.data(), g.sa = {0, a.cols(), 1};
  g.b = b.data(), g.sb = {0, b.cols(), 1};
  g.c = c.data(), g.sc = {0, c.cols(), 1};
  g.sd = g.smask = g.switness = g.slookup = g.sc;
  return g;
}

template <class S>
matrix<value_of<S>> product(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b) {
  matrix<value_of<S>> c(a.rows(), b.cols(), value_of<S>(99));
  EXPECT_EQ(reference::gemm(arguments<S>(a, b, c)), status::ok);
  return c;
}

// A = 1 2 3   B = 1 4
//     4 5 6       2 5
//                 3 6
template <class T>
const matrix<T> A{{1, 2, 3}, {4, 5, 6}};
template <class T>
const matrix<T> B{{1, 4}, {2, 5}, {3, 6}};

template <class T>
void arithmetic_by_hand() {
  EXPECT_TRUE(equal(product<min_plus<T>>(A<T>, B<T>), matrix<T>{{2, 5}, {5, 8}}));
  EXPECT_TRUE(equal(product<max_plus<T>>(A<T>, B<T>), matrix<T>{{6, 9}, {9, 12}}));
  EXPECT_TRUE(equal(product<min_times<T>>(A<T>, B<T>), matrix<T>{{1, 4}, {4, 16}}));
  EXPECT_TRUE(equal(product<max_times<T>>(A<T>, B<T>), matrix<T>{{9, 18}, {18, 36}}));
  EXPECT_TRUE(equal(product<min_max<T>>(A<T>, B<T>), matrix<T>{{1, 4}, {4, 4}}));
  EXPECT_TRUE(equal(product<max_min<T>>(A<T>, B<T>), matrix<T>{{3, 3}, {3, 6}}));
  EXPECT_TRUE(equal(product<plus_times<T>>(A<T>, B<T>), matrix<T>{{14, 32}, {32, 77}}));
  EXPECT_TRUE(equal(product<plus_min<T>>(A<T>, B<T>), matrix<T>{{6, 6}, {6, 15}}));
}

template <class T>
void logic_by_hand() {
  const matrix<T> p{{1, 1, 0}, {0, 0, 0}}, q{{1, 0}, {1, 0}, {1, 1}};
  EXPECT_TRUE(equal(product<or_and<T>>(p, q), matrix<T>{{1, 0}, {0, 0}}));
  EXPECT_TRUE(equal(product<xor_and<T>>(p, q), matrix<T>{{0, 0}, {0, 0}}));
  EXPECT_TRUE(equal(product<xor_and<T>>({{1, 1, 1}}, q), matrix<T>{{1, 1}}));
}

TEST(reference_gemm, all_algebras_by_hand) {
  arithmetic_by_hand<float>();
  arithmetic_by_hand<double>();
  arithmetic_by_hand<std::int32_t>();
  logic_by_hand<float>();
  logic_by_hand<double>();
  logic_by_hand<std::int32_t>();
  logic_by_hand<bool>();
  // ln(1/2 * 1/4 + 1/4 * 1/2) = ln(1/4)
  const double half = std::log(0.5), quarter = std::log(0.25);
  EXPECT_NEAR((product<log_plus<double>>({{half, quarter}}, {{quarter}, {half}})(0, 0)), quarter, 1e-15);
}

TEST(reference_gemm, negative_values_are_not_clamped) {
  EXPECT_TRUE(equal(product<max_plus<float>>({{-5, -3}}, {{-1}, {-4}}), matrix<float>{{-6}}));
  EXPECT_TRUE(equal(product<max_min<float>>({{-5, -3}}, {{-1}, {-4}}), matrix<float>{{-4}}));
  EXPECT_TRUE(equal(product<min_max<float>>({{5, 3}}, {{1}, {4}}), matrix<float>{{4}}));
}

TEST(reference_gemm, infinity_is_no_edge) {
  EXPECT_TRUE(equal(product<min_plus<float>>({{inf, 1}}, {{-9}, {inf}}), matrix<float>{{inf}}));
  const std::int32_t far = 1073741823;
  EXPECT_TRUE(equal(product<min_plus<std::int32_t>>({{far, 1}, {far, far}}, {{-9}, {far}}),
                    matrix<std::int32_t>{{far}, {far}}));
  EXPECT_TRUE(equal(product<max_plus<std::int32_t>>({{-far, 1}}, {{9}, {-far}}), matrix<std::int32_t>{{-far}}));
  EXPECT_TRUE(equal(product<min_times<std::int32_t>>({{2147483647, 3}}, {{0}, {5}}), matrix<std::int32_t>{{15}}));
}

TEST(reference_gemm, no_terms_give_zero) {
  matrix<float> c(1, 2, 99.0f);
  EXPECT_EQ(reference::gemm(arguments<min_plus<float>>(matrix<float>(1, 0), matrix<float>(0, 2), c)), status::ok);
  EXPECT_TRUE(equal(c, matrix<float>{{inf, inf}}));
}

TEST(reference_gemm, nan_is_no_candidate_or_propagates) {
  EXPECT_TRUE(equal(product<min_plus<float>>({{nan, 1}}, {{1}, {1}}), matrix<float>{{2}}));
  EXPECT_TRUE(equal(product<min_plus<float>>({{nan}}, {{1}}), matrix<float>{{inf}}));
  EXPECT_TRUE(equal(product<min_plus<float>>({{inf}}, {{-inf}}), matrix<float>{{inf}}));
  EXPECT_TRUE(equal(product<max_plus<float>>({{nan, 1}}, {{1}, {1}}), matrix<float>{{2}}));
  EXPECT_TRUE(equal(product<min_max<float>>({{nan, 7}}, {{1}, {1}}), matrix<float>{{7}}));
  EXPECT_TRUE(equal(product<min_max<float>>({{1, 7}}, {{nan}, {1}}), matrix<float>{{7}}));
  EXPECT_TRUE(equal(product<max_min<float>>({{nan, 7}}, {{9}, {9}}), matrix<float>{{7}}));
  EXPECT_TRUE(equal(product<max_min<float>>({{9, 7}}, {{nan}, {9}}), matrix<float>{{7}}));
  EXPECT_TRUE(equal(product<max_times<float>>({{0, 2}}, {{inf}, {2}}), matrix<float>{{4}}));
  EXPECT_TRUE(equal(product<min_times<float>>({{0, 2}}, {{inf}, {2}}), matrix<float>{{4}}));
  EXPECT_TRUE(std::isnan((product<plus_times<float>>({{nan, 1}}, {{1}, {1}})(0, 0))));
  EXPECT_TRUE(std::isnan((product<log_plus<float>>({{nan, 1}}, {{1}, {1}})(0, 0))));
}

TEST(reference_gemm, minus_zero_is_zero) {
  EXPECT_TRUE(equal(product<min_plus<float>>({{-0.0f, 0.0f}}, {{0.0f}, {-0.0f}}), matrix<float>{{0}}));
  EXPECT_TRUE(equal(product<max_times<float>>({{-0.0f}}, {{5}}), matrix<float>{{0}}));
}

TEST(reference_gemm, source_alpha_beta) {
  // min-plus: (10 + AB) min (1 + D), AB = {2 5; 5 8}, D = {20 14; 13 30}
  matrix<float> c(2, 2, 99.0f);
  const matrix<float> d{{20, 14}, {13, 30}};
  const float alpha = 10, beta = 1;
  auto g = arguments<min_plus<float>>(A<float>, B<float>, c);
  g.d = d.data(), g.alpha = &alpha, g.beta = &beta;
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{12, 15}, {14, 18}}));
  g.alpha = g.beta = nullptr;
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{2, 5}, {5, 8}}));
  // plus-times: 2 AB + 3 D = {28 64; 64 154} + {60 42; 39 90}
  const float two = 2, three = 3;
  auto h = arguments<plus_times<float>>(A<float>, B<float>, c);
  h.d = d.data(), h.alpha = &two, h.beta = &three;
  reference::gemm(h);
  EXPECT_TRUE(equal(c, matrix<float>{{88, 106}, {103, 244}}));
}

TEST(reference_gemm, a_nan_source_is_no_candidate) {
  matrix<float> c(1, 2, 99.0f);
  matrix<std::int32_t> w(1, 2, 99);
  const matrix<float> d{{nan, nan}};
  auto g = arguments<min_plus<float>>(matrix<float>{{1}}, matrix<float>{{4, inf}}, c);
  const matrix<float> a{{1}}, b{{4, inf}};
  g.a = a.data(), g.b = b.data(), g.d = d.data(), g.witness = w.data();
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{5, inf}}));
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{0, -1}}));
}

TEST(reference_gemm, mask_complement_replace) {
  const matrix<bool> mask{{true, false}, {false, true}};
  const auto run = [&](bool complement, bool replace) {
    matrix<float> c(2, 2, 99.0f);
    auto g = arguments<min_plus<float>>(A<float>, B<float>, c);
    g.mask = mask.data(), g.mask_complement = complement, g.replace = replace;
    reference::gemm(g);
    return c;
  };
  EXPECT_TRUE(equal(run(false, false), matrix<float>{{2, 99}, {99, 8}}));
  EXPECT_TRUE(equal(run(true, false), matrix<float>{{99, 5}, {5, 99}}));
  EXPECT_TRUE(equal(run(false, true), matrix<float>{{2, inf}, {inf, 8}}));
  EXPECT_TRUE(equal(run(true, true), matrix<float>{{inf, 5}, {5, inf}}));
}

TEST(reference_gemm, witness_is_the_smallest_k_that_improves) {
  const matrix<float> a{{1, 0, 1}, {inf, inf, inf}}, b{{1, 5, 0}, {2, 3, 1}, {1, 2, 9}};
  matrix<float> c(2, 3);
  matrix<std::int32_t> w(2, 3, 99);
  auto g = arguments<min_plus<float>>(a, b, c);
  g.witness = w.data();
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{2, 3, 1}, {inf, inf, inf}}));
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{0, 1, 0}, {-1, -1, -1}}));
  // With a source, only what is strictly better than it has a witness.
  const matrix<float> d{{2, 4, 0}, {7, inf, inf}};
  g.d = d.data();
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{2, 3, 0}, {7, inf, inf}}));
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{-1, 1, -1}, {-1, -1, -1}}));
  // Masked out: kept, or -1 with replace.
  const matrix<bool> mask{{false, true, true}, {true, true, true}};
  w = matrix<std::int32_t>(2, 3, 99);
  g.d = nullptr, g.mask = mask.data(), g.witness = w.data();
  reference::gemm(g);
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{99, 1, 0}, {-1, -1, -1}}));
  g.replace = true;
  reference::gemm(g);
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{-1, 1, 0}, {-1, -1, -1}}));
}

TEST(reference_gemm, infinite_integers_have_no_witness) {
  const std::int32_t far = 1073741823;
  matrix<std::int32_t> c(1, 1), w(1, 1, 99);
  const matrix<std::int32_t> a{{far, far}}, b{{-5}, {far}};
  auto g = arguments<min_plus<std::int32_t>>(a, b, c);
  g.witness = w.data();
  EXPECT_EQ(reference::gemm(g), status::ok);
  EXPECT_EQ(c(0, 0), far);
  EXPECT_EQ(w(0, 0), -1);
}

TEST(reference_gemm, lookup_replaces_witnesses_that_improve) {
  const matrix<float> a{{1, 2}}, b{{5, 1}, {1, 9}}, d{{4, 1}};
  const matrix<std::int32_t> lookup{{70, 71}, {80, 81}};
  matrix<float> c(1, 2);
  matrix<std::int32_t> w(1, 2, 99);
  auto g = arguments<min_plus<float>>(a, b, c);
  g.d = d.data(), g.witness = w.data(), g.lookup = lookup.data(), g.slookup = {0, 2, 1};
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{3, 1}}));
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{80, 99}}));
}

struct from_thousand {
  double operator()(float value, index_t i, index_t j) const {
    return 1000 - 10.0 * value + 0.5 * double(i) + 0.25 * double(j);
  }
};

TEST(reference_gemm, epilogue_sees_value_row_column_and_skips_the_mask) {
  const matrix<bool> mask{{true, false}, {true, true}};
  matrix<double> c(2, 2, 99.0);
  gemm_arguments<min_plus<float>, from_thousand, double> g;
  g.m = 2, g.n = 2, g.k = 3;
  g.a = A<float>.data(), g.sa = {0, 3, 1};
  g.b = B<float>.data(), g.sb = {0, 2, 1};
  g.c = c.data(), g.sc = g.smask = {0, 2, 1};
  g.mask = mask.data();
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<double>{{980, 99}, {950.5, 920.75}}));
  g.replace = true;
  reference::gemm(g);
  EXPECT_EQ(c(0, 1), double(inf)) << "a masked-out element becomes zero(), not the epilogue of zero()";
}

TEST(reference_gemm, overflow_is_reported) {
  matrix<std::int32_t> c(1, 1);
  const matrix<std::int32_t> large{{200000000}}, root{{46341}};
  EXPECT_EQ(reference::gemm(arguments<min_plus<std::int32_t>>(large, large, c)), status::overflow);
  EXPECT_EQ(reference::gemm(arguments<max_times<std::int32_t>>(root, root, c)), status::overflow);
  EXPECT_EQ(reference::gemm(arguments<min_times<std::int32_t>>(root, root, c)), status::overflow);
  EXPECT_EQ(reference::gemm(arguments<plus_times<std::int32_t>>(root, root, c)), status::overflow);
  const matrix<std::int32_t> most{{2147483647, 2147483647}}, column{{2147483647}, {2147483647}};
  EXPECT_EQ(reference::gemm(arguments<plus_min<std::int32_t>>(most, column, c)), status::overflow);
}

// i32 min-plus with alpha: three factors. Infinity absorbs them all; a finite total is kept or reported, never
// infinite.
TEST(reference_gemm, three_integer_factors_neither_wrap_nor_turn_infinite) {
  const std::int32_t far = 1073741823, most = 268435454;
  const auto run = [](std::int32_t alpha, std::int32_t a, std::int32_t b, std::int32_t& result) {
    matrix<std::int32_t> c(1, 1);
    const matrix<std::int32_t> x{{a}}, y{{b}};
    auto g = arguments<min_plus<std::int32_t>>(x, y, c);
    g.alpha = &alpha;
    const status s = reference::gemm(g);
    result = c(0, 0);
    return s;
  };
  std::int32_t c = 0;
  EXPECT_EQ(run(-most, far, -most, c), status::ok);
  EXPECT_EQ(c, far);
  EXPECT_EQ(run(far, -most, -most, c), status::ok);
  EXPECT_EQ(c, far);
  EXPECT_EQ(run(most, most, most, c), status::overflow);
  EXPECT_EQ(run(-most, most, most, c), status::ok);
  EXPECT_EQ(c, most);
}

TEST(reference_gemm, batches_and_strides) {
  // Two matrices share B; the second A is read backwards.
  const matrix<float> a{{1, 2, 3, 4}};
  matrix<float> c(2, 2, 99.0f);
  const matrix<float> b{{10}, {20}};
  gemm_arguments<min_plus<float>> g;
  g.batch = 2, g.m = 2, g.n = 1, g.k = 2;
  g.a = a.data() + 3, g.sa = {0, -2, -1};  // {4 3; 2 1}
  g.b = b.data(), g.sb = {0, 1, 1};
  g.c = c.data(), g.sc = {1, 2, 1};
  reference::gemm(g);
  EXPECT_TRUE(equal(c, matrix<float>{{14, 14}, {12, 12}}));
}

}  // namespace
}  // namespace kleene::kernels::reference_gemm_test
