// The contract of gemm: what it takes, what it refuses and with which words.
#include "kleene/operations/gemm.hpp"

#include "kleene/algebra/catalog.hpp"
#include "support/product.hpp"

#include <array>
#include <numeric>

namespace kleene::test::gemm_test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
using shortest = min_plus<float>;
using shortest_int = min_plus<std::int32_t>;

const matrix<float> A{{1, 2, 3}, {4, 5, 6}};
const matrix<float> B{{1, 4}, {2, 5}, {3, 6}};
const matrix<float> AB{{2, 5}, {5, 8}};  // over min-plus

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

// What mdspan looks like (std::mdspan of C++23, Kokkos).
struct mdspan_like {
  float* data;
  index_t m, n, down, right;
  float* data_handle() { return data; }
  static constexpr std::size_t rank() { return 2; }
  index_t extent(int r) const { return r == 0 ? m : n; }
  index_t stride(int r) const { return r == 0 ? down : right; }
};
// What a column-major Eigen matrix looks like.
struct eigen_like {
  static constexpr int IsRowMajor = 0;
  float* values;
  index_t m, n;
  float* data() { return values; }
  index_t rows() const { return m; }
  index_t cols() const { return n; }
  index_t innerStride() const { return 1; }
  index_t outerStride() const { return m; }
};

TEST(gemm_contract, multiply_and_matrices_of_numbers) {
  EXPECT_TRUE(equal(multiply(shortest{}, A, B), AB));
  const matrix<tropical<float>> a{{1, 2}, {3, 4}}, b{{5, 1}, {0, 9}};
  const matrix<tropical<float>> c = multiply(a, b);
  EXPECT_EQ(c(0, 0), 2);
  EXPECT_EQ(c(1, 1), 4);
  matrix<float> plain(2, 2);
  gemm(context::cpu(), shortest{}, a, b, plain);
  EXPECT_TRUE(equal(plain, matrix<float>{{2, 2}, {4, 4}}));
}

TEST(gemm_contract, numbers_say_their_algebra) {
  const context ctx = context::cpu({.threads = 1});
  using shorter = tropical_min<float>;
  using longer = tropical_max<float>;
  const matrix<shorter> a{{1, 2}, {3, 4}}, b{{5, 1}, {0, 9}};
  const matrix<longer> x{{1, 2}, {3, 4}}, y{{5, 1}, {0, 9}};
  EXPECT_TRUE(equal(a * b, matrix<shorter>{{2, 2}, {4, 4}}));
  EXPECT_TRUE(equal(x * y, matrix<longer>{{6, 11}, {8, 13}}));
  EXPECT_TRUE(equal(a.view().transposed() * b, matrix<shorter>{{3, 2}, {4, 3}}));
  EXPECT_TRUE(equal(multiply(x.view(), y), matrix<longer>{{6, 11}, {8, 13}}));

  matrix<shorter> c(2, 2);
  gemm(ctx, a, b, c);
  EXPECT_TRUE(equal(c, matrix<shorter>{{2, 2}, {4, 4}}));
  gemm(ctx, a, b, c.view(), {.accumulate = true, .alpha = 1.0f, .beta = -2.0f});
  EXPECT_TRUE(equal(c, matrix<shorter>{{0, 0}, {2, 2}}));
  matrix<std::int32_t> w(2, 2, -9);
  gemm(ctx, a, b, c, w);
  EXPECT_TRUE(equal(w, matrix<std::int32_t>{{1, 0}, {1, 0}}));
  gemm(ctx, a, b, c, w, {.accumulate = true});
  EXPECT_TRUE(equal(w, matrix<std::int32_t>(2, 2, -1)));

  const matrix<boolean> reach{{true, false}, {true, true}};
  static_assert(sizeof(boolean) == 1);
  EXPECT_TRUE(equal(reach * reach, matrix<boolean>{{true, false}, {true, true}}));
  const matrix<gf2> parity{{true, false}, {true, true}};
  EXPECT_TRUE(equal(parity * parity, matrix<gf2>{{true, false}, {false, true}}));
  const matrix<tropical_max<std::int64_t>> far{{1 << 30, 0}, {0, 1 << 30}};
  EXPECT_EQ((far * far)(0, 0), std::int64_t{1} << 31);
  EXPECT_THROW((a * matrix<shorter>(3, 2)), shape_error);
}

TEST(gemm_contract, whatever_looks_like_a_matrix) {
  const context ctx = context::cpu({.threads = 1});
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 2, 3, 4, 5, 6}, c(4, -1);
  mdspan_like x{a.data(), 2, 3, 3, 1};
  eigen_like y{b.data(), 3, 2}, z{c.data(), 2, 2};
  gemm(ctx, shortest{}, x, y, z);
  EXPECT_EQ(c, (std::vector<float>{2, 5, 5, 8}));
  std::fill(c.begin(), c.end(), -1.0f);
  gemm(ctx, shortest{}, row_major(std::span<const float>(a), 2, 3), column_major(b.data(), 3, 2),
       row_major(c.data(), 2, 2));
  EXPECT_EQ(c, (std::vector<float>{2, 5, 5, 8}));
}

TEST(gemm_contract, shapes_that_do_not_fit) {
  const context ctx = context::cpu({.threads = 1});
  const auto said = [&](index_t m, index_t k, index_t k2, index_t n, index_t m2, index_t n2) {
    matrix<float> a(m, k), b(k2, n), c(m2, n2, 7.0f);
    const std::string text = refusal<shape_error>(fault_code::bad_input, [&] { gemm(ctx, shortest{}, a, b, c); });
    EXPECT_TRUE(equal(c, matrix<float>(m2, n2, 7.0f)));
    return text;
  };
  EXPECT_EQ(said(3, 4, 5, 2, 3, 2), "A is 3x4, B is 5x2: inner extents 4 and 5 differ");
  EXPECT_EQ(said(3, 4, 4, 2, 3, 3), "A is 3x4, B is 4x2: C is 3x3, not 3x2");
  matrix<float> c(2, 2, 7.0f);
  matrix<bool> mask(2, 3);
  matrix<std::int32_t> w(1, 2);
  EXPECT_EQ(refused([&] { gemm(ctx, shortest{}, A, B, c, {.mask = mask}); }), "the mask is 2x3 where 2x2 is needed");
  EXPECT_EQ(refused([&] { gemm(ctx, shortest{}, A, B, c, {.source = A}); }), "the source is 2x3 where 2x2 is needed");
  EXPECT_EQ(refused([&] { gemm(ctx, shortest{}, A, B, c, w); }), "the witness is 1x2 where 2x2 is needed");
  batch<float> three(3, 2, 3), four(4, 2, 2);
  EXPECT_EQ(refused([&] { gemm(ctx, shortest{}, three, B, four); }), "A is 3x2x3 where 4x2x3 is needed");
  EXPECT_TRUE(equal(c, matrix<float>(2, 2, 7.0f)));
}

TEST(gemm_contract, options_that_contradict_each_other) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> c(2, 2, 7.0f);
  EXPECT_TRUE(
      contains(refused([&] { gemm(ctx, shortest{}, A, B, c, {.accumulate = true, .source = AB}); }), "give one"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, A, B, c, {.beta = 1.0f}); }), "beta without a source"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, A, B, c, {.replace = true}); }), "replace without a mask"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, A, B, c, {.mask_complement = true}); }),
                       "mask_complement without a mask"));
}

TEST(gemm_contract, memory_out_of_reach_is_refused) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> c(2, 2, 7.0f);
  const view<const float, 2, memory::device> elsewhere(A.data(), {2, 3});
  EXPECT_EQ(refusal<error>(fault_code::device, [&] { gemm(ctx, shortest{}, elsewhere, B, c); }),
            "A is in device memory, which " + ctx.describe() + " cannot reach: copy it with to_host");
  EXPECT_TRUE(equal(c, matrix<float>(2, 2, 7.0f)));
}

TEST(gemm_contract, overlaps_are_refused_and_neighbours_are_not) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> all(8, 8, 1.0f);
  const auto at = [&](index_t i, index_t j) { return all.view().block(i, j, 2, 2); };
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, at(0, 0), at(4, 4), at(0, 0)); }), "A overlaps C"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, at(4, 4), at(0, 0), at(1, 1)); }), "B overlaps C"));
  EXPECT_TRUE(
      contains(refused([&] { gemm(ctx, shortest{}, at(0, 0).transposed(), at(4, 4), at(1, 0)); }), "A overlaps C"));
  EXPECT_TRUE(
      contains(refused([&] { gemm(ctx, shortest{}, at(0, 0), at(0, 2), at(4, 4), {.source = at(4, 5)}); }), "source"));
  matrix<std::int32_t> ints(2, 2), same(2, 2);
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest_int{}, ints, ints, same, same); }), "C overlaps the witness"));
  const matrix_view<float> one_row(all.data(), {2, 2}, {0, 1});
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, at(4, 4), at(4, 4), one_row); }), "stride 0"));
  gemm(ctx, shortest{}, at(0, 0), at(0, 0), at(0, 2));  // blocks of one parent, side by side
  gemm(ctx, shortest{}, at(0, 0), at(0, 0), at(2, 0));
  gemm(ctx, shortest{}, at(0, 0), at(0, 0), at(4, 4), {.source = at(4, 4)});  // D may be C
  EXPECT_EQ(all(0, 2), 2);
  EXPECT_EQ(all(4, 4), 1);
  const matrix_view<float> row(all.data() + 6, {1, 2}, {8, 1}), same_row(row.data(), {1, 2}, {0, 1});
  gemm(ctx, shortest{}, matrix<float>{{3, -1}}, at(4, 0), row, {.source = same_row});  // whatever leads nowhere
  EXPECT_EQ(all(0, 6), 0);
  EXPECT_TRUE(contains(refused([&] {
                         gemm(ctx, shortest{}, at(0, 0).block(0, 0, 1, 2), at(4, 0), row,
                              {.source = matrix_view<float>(all.data() + 5, {1, 2}, {0, 1})});
                       }),
                       "source"));
}

// Beta of zero() leaves D out, whatever it holds: C may be uninitialised, as for BLAS.
TEST(gemm_contract, beta_of_zero_does_not_read_c) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const matrix<float> a{{1, 2}, {3, 4}}, b{{5, 6}, {7, 8}};
  const matrix<float> ab{{19, 22}, {43, 50}};
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 1, .isa = isa});
    for (const float zero : {0.0f, -0.0f}) {
      matrix<float> c{{nan, inf}, {-inf, nan}}, d = c;
      gemm(ctx, plus_times<float>{}, a, b, c, {.accumulate = true, .beta = zero});
      EXPECT_TRUE(equal(c, ab));
      gemm(ctx, plus_times<float>{}, a, b, c, {.alpha = 2.0f, .beta = zero, .source = d});
      EXPECT_TRUE(equal(c, matrix<float>{{38, 44}, {86, 100}}));
      gemm(ctx, plus_times<float>{}, a, b, d, {.accumulate = true, .beta = zero, .mask = matrix<bool>(2, 2, true)});
      EXPECT_TRUE(equal(d, ab));
    }
    const matrix<std::int8_t> small{{1, 2}, {3, 4}};
    matrix<float> sums(2, 2, nan);
    gemm(ctx, plus_times<std::int8_t>{}, small, small, sums, {.accumulate = true, .beta = 0.0f});
    EXPECT_TRUE(equal(sums, matrix<float>{{7, 10}, {15, 22}}));
    matrix<float> c(2, 2, nan);  // -inf (x) +inf is a NaN over max-plus; the witness sees zero() before the product
    c(0, 1) = inf;
    matrix<std::int32_t> w(2, 2, -9);
    gemm(ctx, max_plus<float>{}, a, b, c, w, {.accumulate = true, .beta = -inf});
    EXPECT_TRUE(equal(c, matrix<float>{{9, 10}, {11, 12}}));
    EXPECT_TRUE(equal(w, matrix<std::int32_t>(2, 2, 1)));
    matrix<float> none(2, 2, nan);  // and alpha of zero() makes nothing that improves on it
    gemm(ctx, min_plus<float>{}, a, b, none, w, {.accumulate = true, .alpha = inf});
    EXPECT_TRUE(equal(none, matrix<float>(2, 2, inf)));
    EXPECT_TRUE(equal(w, matrix<std::int32_t>(2, 2, -1)));
    matrix<float> outside(2, 2, -5.0f);  // no value of max_times, which nobody looks at
    gemm(ctx, max_times<float>{}, a, b, outside, {.accumulate = true, .beta = 0.0f});
    EXPECT_TRUE(equal(outside, matrix<float>{{14, 16}, {28, 32}}));
  }
}
// The same of every row of the catalog and of every size of tile: D is as if it were not there.
TEST(gemm_contract, beta_of_zero_is_no_source_on_every_row) {
  for_each_algebra([](auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    for (const std::string_view isa : instruction_sets())
      for (const index_t n : {5, 70}) {
        const context ctx = context::cpu({.threads = 2, .isa = isa});
        const auto a = problems::random_matrix<S>(n, 23, distribution::small_integers, 1);
        const auto b = problems::random_matrix<S>(23, n, distribution::small_integers, 2);
        matrix<T> c(n, n, poison<T>()), plain(n, n);
        gemm(ctx, s, a, b, c, {.accumulate = true, .beta = S::zero()});
        gemm(ctx, s, a, b, plain);
        EXPECT_TRUE(equal(c, plain)) << S::name << " " << type_name<T>;
      }
  });
}

TEST(gemm_contract, empty_extents_do_nothing_and_no_terms_give_zero) {
  const context ctx = context::cpu({.threads = 2});
  matrix<float> c(2, 0), d(0, 2), e(2, 2, 7.0f);
  gemm(ctx, shortest{}, A, matrix<float>(3, 0), c);
  gemm(ctx, shortest{}, matrix<float>(0, 3), B, d);
  gemm(ctx, shortest{}, matrix<float>(2, 0), matrix<float>(0, 2), e);
  EXPECT_TRUE(equal(e, matrix<float>(2, 2, inf)));
  gemm(ctx, shortest{}, matrix<float>(2, 0), matrix<float>(0, 2), e, {.source = AB});
  EXPECT_TRUE(equal(e, AB));
}

TEST(gemm_contract, the_domain_is_checked_before_c_is_touched) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> c(1, 1, 7.0f);
  const matrix<float> bad{{1, -2}}, tiny{{1, -1e-20f}}, good{{1}, {1}}, one{{1}};
  using best = max_times<float>;
  EXPECT_EQ(refusal<value_error>(fault_code::bad_input, [&] { gemm(ctx, best{}, bad, good, c); }),
            "A(0, 1) = -2 is outside the domain of max_times");
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, best{}, tiny, good, c); }), "A(0, 1) = -1e-20 is outside"));
  EXPECT_TRUE(
      contains(refused([&] { gemm(ctx, best{}, good.view().transposed(), bad.view().transposed(), c); }), "B(1, 0)"));
  EXPECT_TRUE(
      contains(refused([&] { gemm(ctx, best{}, one, one, c, {.source = matrix<float>{{-3}}.view()}); }), "the source"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, best{}, one, one, c, {.alpha = -1.0f}); }), "alpha"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, best{}, one, one, c, {.beta = -1.0f, .source = one}); }), "beta"));
  EXPECT_EQ(c(0, 0), 7);
  gemm(ctx, best{}, bad, good, c, {.check_domain = false});
  EXPECT_EQ(c(0, 0), 1);
  matrix<std::int32_t> i{{268435455}}, o(1, 1);
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest_int{}, i, i, o); }), "268435455"));
}

TEST(gemm_contract, results_that_do_not_fit_throw) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<std::int32_t> large{{200000000}}, root{{46341}}, most{{2147483647}};
  matrix<std::int32_t> c(1, 1);
  const auto too_large = [&](auto s, const auto& x) {
    EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { gemm(ctx, s, x, x, c); }), "too large"));
  };
  too_large(shortest_int{}, large);
  too_large(max_plus<std::int32_t>{}, large);
  too_large(max_times<std::int32_t>{}, root);
  too_large(min_times<std::int32_t>{}, root);
  too_large(plus_times<std::int32_t>{}, root);
  // Three factors, where infinity is a number: too large, not infinite.
  EXPECT_TRUE(contains(refused([&] {
                         gemm(ctx, shortest_int{}, matrix<std::int32_t>{{268435454}}, matrix<std::int32_t>{{268435454}},
                              c, {.alpha = 268435454});
                       }),
                       "too large"));
}

// 2^31 squared four times over is 2^64; with alpha or beta one such product is enough.
TEST(gemm_contract, sums_that_could_wrap_are_refused_up_front) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<std::int32_t> row(1, 4, 2147483647), column(4, 1, 2147483647), one{{2147483647}};
  matrix<std::int32_t> c(1, 1);
  using sum = plus_times<std::int32_t>;
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, sum{}, row, column, c); }), "can leave 64 bits"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, sum{}, one, one, c, {.alpha = 4}); }), "can leave 64 bits"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, sum{}, row, column, c, {.beta = 2147483647, .source = one}); }),
                       "can leave 64 bits"));
  const matrix<std::int32_t> most{{1 << 30, 1 << 30}}, sides{{1 << 30}, {-(1 << 30)}};
  gemm(ctx, sum{}, most, sides, c);
  EXPECT_EQ(c(0, 0), 0) << "large sums that cancel fit";
}

TEST(gemm_contract, batches_broadcast_what_there_is_one_of) {
  const context ctx = context::cpu({.threads = 2});
  batch<float> b(3, 3, 2), c(3, 2, 2);
  for (index_t i = 0; i < 3; ++i)
    for (index_t k = 0; k < 3; ++k)
      for (index_t j = 0; j < 2; ++j) b(i, k, j) = B(k, j) + float(i);
  gemm(ctx, shortest{}, A, b, c);
  for (index_t i = 0; i < 3; ++i)
    for (index_t r = 0; r < 2; ++r)
      for (index_t j = 0; j < 2; ++j) EXPECT_EQ(c(i, r, j), AB(r, j) + float(i));
  const batch_view<const float> shared(A.data(), {3, 2, 3}, {0, 3, 1});
  batch<std::int32_t> w(3, 2, 2);
  gemm(ctx, shortest{}, shared, b, c, w);
  EXPECT_EQ(w(2, 1, 1), 0);
}

}  // namespace
}  // namespace kleene::test::gemm_test
