// The contract of closures: divergence, refusals, strides, overflow, progress.
#include "kleene/operations/closure.hpp"

#include "support/product.hpp"

#include <algorithm>
#include <cmath>

namespace kleene::test::closure_contract_test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::int32_t far = 1073741823;

TEST(closure_contract, divergence_is_reported_with_a_vertex_of_the_cycle) {
  const context ctx = context::cpu({.threads = 2});
  for (const index_t n : {5, 64, 65, 300, 600})
    for (const index_t u : {index_t{0}, n / 2, n - 3}) {
      matrix<float> a(n, n, inf);
      for (index_t i = 0; i + 1 < n; ++i) a(i, i + 1) = 1;
      a(u + 2, u) = -3;  // u -> u + 1 -> u + 2 -> u: -1
      const closure_info info = closure(ctx, min_plus<float>{}, a);
      EXPECT_FALSE(info.exists) << n << " " << u;
      EXPECT_GE(info.diverging, u);
      EXPECT_LE(info.diverging, u + 2);
      a = matrix<float>(n, n, inf);
      a(u, u) = -1;
      const closure_info loop = closure(ctx, min_plus<float>{}, a);
      EXPECT_FALSE(loop.exists);
      EXPECT_EQ(loop.diverging, u);
    }
}

TEST(closure_contract, numbers_say_their_algebra) {
  const context ctx = context::cpu({.threads = 1});
  using shorter = tropical_min<float>;
  const matrix<shorter> graph{{inf, 3, 9}, {inf, inf, 4}, {inf, inf, inf}};
  const matrix<shorter> lengths{{0, 3, 7}, {inf, 0, 4}, {inf, inf, 0}};
  matrix<shorter> a = graph;
  EXPECT_TRUE(closure(ctx, a).exists);
  EXPECT_TRUE(equal(a, lengths));
  a = graph;
  matrix<std::int32_t> p(3, 3);
  EXPECT_TRUE(closure(ctx, a.view(), p, {.block = 2}).exists);
  EXPECT_TRUE(equal(a, lengths));
  EXPECT_TRUE(equal(p, matrix<std::int32_t>{{-1, 0, 1}, {-1, -1, 1}, {-1, -1, -1}}));
  batch<boolean> many(2, 2, 2, false);
  many(1, 0, 1) = true;
  const closure_batch_info all = closure(ctx, many);
  EXPECT_TRUE(all.exists);
  EXPECT_TRUE(equal(as_view(many)[0], matrix<boolean>{{true, false}, {false, true}}));
  EXPECT_TRUE(equal(as_view(many)[1], matrix<boolean>{{true, true}, {false, true}}));
}

TEST(closure_contract, divergence_of_other_algebras) {
  const context ctx = context::cpu({.threads = 1});
  const auto exists = [&](auto s, auto a) { return closure(ctx, s, a).exists; };
  EXPECT_FALSE(exists(plus_times<double>{}, matrix<double>{{1}}));
  EXPECT_FALSE(exists(plus_times<double>{}, matrix<double>{{0, 1}, {1, 0}}));
  EXPECT_FALSE(exists(plus_times<std::int32_t>{}, matrix<std::int32_t>{{0, 1}, {1, 0}}));
  EXPECT_FALSE(exists(xor_and<float>{}, matrix<float>{{1}}));
  EXPECT_FALSE(exists(log_plus<double>{}, matrix<double>{{0}}));
  EXPECT_FALSE(exists(max_plus<float>{}, matrix<float>{{0, 1}, {0, 0}}));
  EXPECT_FALSE(exists(max_times<float>{}, matrix<float>{{1, 2}, {1, 1}}));
  EXPECT_FALSE(exists(min_times<float>{}, matrix<float>{{0.5f}}));
  EXPECT_TRUE(exists(min_max<float>{}, matrix<float>{{-5, -7}, {-9, -5}}));
  EXPECT_TRUE(exists(min_plus<float>{}, matrix<float>{{0, 1}, {-1, 0}}));
}

TEST(closure_contract, self_loops_take_part_and_come_back_as_one) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> a{{7, 2}, {inf, inf}};
  ASSERT_TRUE(closure(ctx, min_plus<float>{}, a).exists);
  EXPECT_TRUE(equal(a, matrix<float>{{0, 2}, {inf, 0}}));
  matrix<double> b{{0.5, 1}, {0, 0}};
  ASSERT_TRUE(closure(ctx, plus_times<double>{}, b).exists);
  EXPECT_TRUE(equal(b, matrix<double>{{2, 2}, {0, 1}}));
}

TEST(closure_contract, empty_and_one) {
  const context ctx = context::cpu();
  matrix<float> none, one{{3}};
  EXPECT_TRUE(closure(ctx, min_plus<float>{}, none).exists);
  matrix<float> none_by_none(0, 0);
  matrix<std::int32_t> p(0, 0), q{{5}};
  EXPECT_TRUE(closure(ctx, min_plus<float>{}, none_by_none, p).exists);
  EXPECT_TRUE(closure(ctx, min_plus<float>{}, one, q).exists);
  EXPECT_EQ(one(0, 0), 0);
  EXPECT_EQ(q(0, 0), -1);
}

TEST(closure_contract, any_strides) {
  const context ctx = context::cpu({.threads = 2});
  constexpr index_t n = 150;
  const auto graph = problems::random_signed_graph<min_plus<float>>(n, 900, 3);
  const auto dense = problems::dense_of<min_plus<float>>(graph);
  matrix<float> want = dense;
  matrix<std::int32_t> want_p(n, n);
  ASSERT_TRUE(closure(ctx, min_plus<float>{}, want, want_p).exists);
  for (const layout l : output_layouts) {
    strided<float> a(l, 1, n, n, 77.0f);
    strided<std::int32_t> p(l, 1, n, n, 77);
    const strided<float> untouched(l, 1, n, n, 77.0f);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) a.at(0, i, j) = dense(i, j);
    ASSERT_TRUE(closure(ctx, min_plus<float>{}, a.at[0], p.at[0]).exists);
    EXPECT_TRUE(equal(a.at[0], want.view())) << int(l);
    EXPECT_TRUE(equal(p.at[0], want_p.view())) << int(l);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) a.at(0, i, j) = 77, p.at(0, i, j) = 77;
    EXPECT_TRUE(equal(a.buffer, untouched.buffer)) << "written outside the matrix";
    EXPECT_TRUE(equal(p.buffer, matrix<std::int32_t>(1, p.buffer.cols(), 77))) << "written outside the matrix";
  }
}

TEST(closure_contract, refusals_come_before_anything_is_written) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> oblong(2, 3, 5.0f), a{{0, 1}, {std::nanf(""), 0}}, negative{{1, -1}, {0, 1}};
  const auto said = [&](auto call) { return refusal<argument_error>(fault_code::bad_input, call); };
  EXPECT_EQ(refusal<shape_error>(fault_code::bad_input, [&] { (void)closure(ctx, min_plus<float>{}, oblong); }),
            "a closure needs a square matrix; A is 2x3");
  EXPECT_EQ(refusal<value_error>(fault_code::bad_input, [&] { (void)closure(ctx, min_plus<float>{}, a); }),
            "A(1, 0) is NaN");
  EXPECT_EQ(a(0, 1), 1);
  EXPECT_TRUE(contains(said([&] { (void)closure(ctx, max_times<float>{}, negative); }), "A(0, 1) = -1 is"));
  matrix<std::int32_t> large{{0, 268435455}, {far, 0}}, small(1, 2);
  EXPECT_TRUE(contains(said([&] { (void)closure(ctx, min_plus<std::int32_t>{}, large); }), "268435455"));
  EXPECT_TRUE(contains(said([&] { (void)closure(ctx, min_max<float>{}, negative, small); }), "predecessor"));
  EXPECT_TRUE(contains(said([&] { (void)closure(ctx, min_max<float>{}, negative, {.block = -1}); }), "-1"));
  const matrix_view<float> same_row(negative.data(), {2, 2}, {0, 1});
  EXPECT_TRUE(contains(said([&] { (void)closure(ctx, min_max<float>{}, same_row); }), "stride 0"));
  matrix<std::int32_t> both{{0, 1}, {1, 0}};
  EXPECT_TRUE(contains(said([&] { (void)closure(ctx, min_plus<std::int32_t>{}, both, both); }), "overlaps"));
}

TEST(closure_contract, finite_results_that_do_not_fit_are_reported) {
  const context ctx = context::cpu({.threads = 2});
  for (const index_t n : {3, 100, 300}) {
    matrix<std::int32_t> a(n, n, far), counts(n, n, 0);
    for (index_t i = 0; i + 1 < n; ++i) a(i, i + 1) = 200000000;
    EXPECT_TRUE(
        contains(refusal<value_error>(fault_code::bad_input, [&] { (void)closure(ctx, min_plus<std::int32_t>{}, a); }),
                 "too large"));
    for (index_t i = 0; i + 1 < n; ++i) counts(i, i + 1) = 100000;
    EXPECT_TRUE(contains(
        refusal<value_error>(fault_code::bad_input, [&] { (void)closure(ctx, plus_times<std::int32_t>{}, counts); }),
        "too large"));
  }
}

// Sixteen paths of 2^30 times 2^30: their sum is 2^64, which is 0 to a 64-bit integer.
TEST(closure_contract, integer_sums_do_not_wrap_to_something_plausible) {
  const context ctx = context::cpu({.threads = 1});
  for (const index_t n : {18, 130}) {
    matrix<std::int32_t> a(n, n, 0);
    for (index_t k = 0; k < 16; ++k) a(n - 2, k) = a(k, n - 1) = 1 << 30;
    (void)refusal<value_error>(fault_code::bad_input,
                               [&] { (void)closure(ctx, plus_times<std::int32_t>{}, a, {.block = 64}); });
  }
}

TEST(closure_contract, progress_is_told_and_can_stop) {
  context ctx = context::cpu({.threads = 2});
  double last = 0;
  int calls = 0;
  ctx.on_progress([&](double done, double total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
    ++calls;
    return true;
  });
  matrix<float> a(300, 300, 1.0f);
  const closure_info info = closure(ctx, min_plus<float>{}, a, {.block = 64});
  ASSERT_TRUE(info.exists);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(last, info.operations);
  EXPECT_EQ(info.operations, 2.0 * 300 * 300 * 300);
  ctx.on_progress([](double, double) { return false; });
  EXPECT_EQ(refusal<error>(fault_code::usage, [&] { (void)closure(ctx, min_plus<float>{}, a, {.block = 64}); }),
            "interrupted");
  ctx.on_progress([](double, double) -> bool { throw std::range_error("enough"); });
  try {
    (void)closure(ctx, min_plus<float>{}, a, {.block = 64});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::range_error& e) {
    EXPECT_STREQ(e.what(), "enough");
  }
  ctx.on_progress({});
  EXPECT_TRUE(closure(ctx, min_plus<float>{}, a).exists);
}

// A step of a large matrix is told in parts, which change no element.
TEST(closure_contract, progress_is_told_within_a_step) {
  constexpr index_t n = 1400;
  matrix<std::int32_t> a(n, n, min_plus<std::int32_t>::zero());
  for (index_t i = 0; i + 1 < n; ++i) a(i, i + 1) = 1 + static_cast<std::int32_t>(i % 5);
  a(n - 1, 0) = 7;
  matrix<std::int32_t> one = a, p(n, n), from(n, n);
  ASSERT_TRUE(closure(context::cpu({.threads = 64}), min_plus<std::int32_t>{}, one, from, {.block = 700}).exists);
  context ctx = context::cpu({.threads = 2});
  double last = 0;
  int calls = 0, wanted = 100;
  ctx.on_progress([&](double done, double total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
    return ++calls < wanted;
  });
  matrix<std::int32_t> b = a;
  ASSERT_TRUE(closure(ctx, min_plus<std::int32_t>{}, b, p, {.block = 700}).exists);
  EXPECT_EQ(calls, 4);  // two steps, each of 512 and 188 rows
  EXPECT_TRUE(std::equal(b.data(), b.data() + n * n, one.data()));
  EXPECT_TRUE(std::equal(p.data(), p.data() + n * n, from.data()));
  last = 0, calls = 0, wanted = 1;
  EXPECT_EQ(
      refusal<error>(fault_code::usage, [&] { (void)closure(ctx, min_plus<std::int32_t>{}, a, p, {.block = 700}); }),
      "interrupted");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kleene::test::closure_contract_test
