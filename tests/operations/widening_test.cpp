// Closures over integers that go on in a wider type.
#include "kleene/operations/widening.hpp"

#include "kleene/operations/own/closure.inl.hpp"
#include "operations/widening_graphs.hpp"
#include "support/closable.hpp"
#include "support/product.hpp"

namespace kleene::test::widening_test {
namespace {

// Every length, and the predecessors in the type that holds them.
template <class S>
void expect_lengths(const matrix<value_of<S>>& graph, const widened_closure<S>& closed,
                    const matrix<std::int32_t>& p = {}) {
  using W = typename as_i64<S>::type;
  const matrix<i64> want = lengths_over_i64<S>(graph);
  matrix<i64> got(want.rows(), want.cols());
  for (index_t i = 0; i < got.rows(); ++i)
    for (index_t j = 0; j < got.cols(); ++j) got(i, j) = closed(i, j);
  EXPECT_TRUE(equal(got, want));
  if (p.size() > 0) {
    EXPECT_TRUE(reaches_source<W>(over_i64<S>(graph).view(), got.view(), p.view()));
  }
}

// Lengths up to `limit` fit S, those beyond need `next`.
template <class S>
void straddle(int most, i64 limit, const char* narrow, const char* next) {
  for (const std::string_view isa : instruction_sets())
    for (const index_t n : {4, 63, 64, 150})
      for (const i64 beyond : {0, 1}) {
        SCOPED_TRACE(name_of<S>() + " " + narrow + " n " + std::to_string(n) + " beyond " + std::to_string(beyond) +
                     ", " + std::string(isa));
        const context ctx = context::cpu({.threads = 2, .isa = isa});
        const auto graph = straddling<S>(n, most, limit + beyond, 5 + n);
        const auto closed = closure(ctx, widening<S>{}, graph);
        ASSERT_TRUE(closed.info.exists);
        EXPECT_STREQ(closed.type(), beyond ? next : narrow);
        EXPECT_EQ(closed.reason.empty(), !beyond);
        expect_lengths<S>(graph, closed);
        matrix<std::int32_t> p(n + 1, n + 1, -7);
        const auto again = closure(ctx, widening<S>{}, graph, p, {.block = 64});
        ASSERT_TRUE(again.info.exists);
        EXPECT_STREQ(again.type(), beyond ? next : narrow);
        expect_lengths<S>(graph, again, p);
      }
}

TEST(widening, the_type_is_left_just_where_a_length_does_not_fit) {
  straddle<min_plus<u8>>(6, 63, "u8", "u16");
  straddle<min_plus<i8>>(2, 14, "i8", "i16");
  straddle<max_plus<i8>>(2, 14, "i8", "i16");
  straddle<min_plus<u16>>(900, 16383, "u16", "i32");
  straddle<min_plus<i16>>(300, 4094, "i16", "i32");
}

TEST(widening, of_32_bits_when_in_doubt) {
  const context ctx = context::cpu({.threads = 2});
  const matrix<i32> fits = chain<min_plus<i32>>(3, 134217727), too_long = chain<min_plus<i32>>(4, 134217727);
  const auto narrow = closure(ctx, widening<min_plus<i32>>{}, fits);
  EXPECT_STREQ(narrow.type(), "i32");
  EXPECT_EQ(narrow(2, 1), 268435454);
  const auto wide = closure(ctx, widening<min_plus<i32>>{}, too_long);
  EXPECT_STREQ(wide.type(), "i64");
  EXPECT_EQ(wide.reason, "i32 holds lengths within 268435454 of 0, and a path is longer: i64 instead");
  EXPECT_EQ(wide(3, 2), 402653181);
  expect_lengths<min_plus<i32>>(too_long, wide);
  // The last type refuses.
  const matrix<i64> far = chain<min_plus<i64>>(3, std::numeric_limits<i64>::max() / 16 + 1);
  EXPECT_THROW((void)closure(ctx, widening<min_plus<i64>>{}, far), overflow_error);
}

TEST(widening, by_hand) {
  const context ctx = context::cpu({.threads = 1});
  constexpr u8 far = 127;
  const auto closed = closure(ctx, widening<min_plus<u8>>{}, matrix<u8>{{far, 40, far}, {far, far, 30}, {far, far, 0}});
  EXPECT_STREQ(closed.type(), "u16");
  EXPECT_EQ(closed.reason, "u8 holds lengths up to 63, and a path is longer: u16 instead");
  const i64 none = closed.infinity();
  const i64 want[3][3] = {{0, 40, 70}, {none, 0, 30}, {none, none, 0}};
  for (index_t i = 0; i < 3; ++i)
    for (index_t j = 0; j < 3; ++j) EXPECT_EQ(closed(i, j), want[i][j]) << i << " " << j;
  closed.visit([](auto s, const auto& lengths) {
    EXPECT_EQ(std::string(s.name), "min_plus");
    EXPECT_EQ(lengths(0, 2), 70);
    EXPECT_EQ(lengths(1, 0), s.zero());
  });
  const auto nothing = closure(ctx, widening<min_plus<u8>>{}, matrix<u8>(0, 0));
  EXPECT_TRUE(nothing.info.exists);
  EXPECT_STREQ(nothing.type(), "u8");
  const auto apart = closure(ctx, widening<min_plus<u8>>{}, matrix<u8>(70, 70, far));
  EXPECT_STREQ(apart.type(), "u8");
  EXPECT_EQ(apart(0, 69), apart.infinity());
  EXPECT_EQ(apart(69, 69), 0);
  // Two types at once: 20,000 is more than u16's lengths, too.
  const auto twice = closure(ctx, widening<min_plus<u8>>{}, chain<min_plus<u8>>(400, 50));
  EXPECT_EQ(twice.reason,
            "u8 holds lengths up to 63, and a path is longer: u16 instead; "
            "u16 holds lengths up to 16383, and a path is longer: i32 instead");
  EXPECT_EQ(twice(399, 398), 19950);
}

// Weights that the type has, and its algebra excludes.
TEST(widening, weights_outside_the_domain) {
  const context ctx = context::cpu({.threads = 1});
  matrix<u8> a(3, 3, u8{127});
  a(0, 1) = 64, a(1, 2) = 255;
  const auto closed = closure(ctx, widening<min_plus<u8>>{}, a);
  EXPECT_EQ(closed.reason, "u8 holds lengths up to 63, and a weight is 64: u16 instead");
  EXPECT_EQ(closed(0, 2), 319);
  EXPECT_EQ(closed(2, 0), closed.infinity());
  EXPECT_THROW((void)closure(ctx, min_plus<u8>{}, a), value_error);
  matrix<i8> b(3, 3, i8{63});
  b(0, 1) = -128, b(1, 2) = 127;
  const auto signed_one = closure(ctx, widening<min_plus<i8>>{}, b);
  EXPECT_STREQ(signed_one.type(), "i16");
  EXPECT_EQ(signed_one(0, 2), -1);
  EXPECT_EQ(signed_one(0, 1), -128);
}

// Potentials make weights negative, and no cycle is.
TEST(widening, negative_weights) {
  const context ctx = context::cpu({.threads = 2});
  int widened = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    const index_t n = 3 + 7 * seed;
    problems::generator g(static_cast<std::uint64_t>(seed));
    matrix<i8> a(n, n, min_plus<i8>::zero());
    std::vector<int> height(static_cast<std::size_t>(n));
    for (int& h : height) h = static_cast<int>(g.below(1 + seed));
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j)
        if (i != j && g.chance(5.0 / static_cast<double>(n)))
          a(i, j) = static_cast<i8>(g.below(3) + height[j] - height[i]);
    matrix<std::int32_t> p(n, n);
    const auto closed = closure(ctx, widening<min_plus<i8>>{}, a, p);
    ASSERT_TRUE(closed.info.exists);
    expect_lengths<min_plus<i8>>(a, closed, p);
    widened += std::string_view(closed.type()) != "i8";
  }
  EXPECT_GT(widened, 0);
  EXPECT_LT(widened, 12);
}

// Lengths so negative that infinity and they make less than nothing: no cycle, though it looks like one.
TEST(widening, long_negative_chains_are_no_cycles) {
  const context ctx = context::cpu({.threads = 2});
  for (const index_t n : {5, 9, 20, 70, 130}) {
    const auto bytes = chain<min_plus<i8>>(n, -14);
    const auto closed = closure(ctx, widening<min_plus<i8>>{}, bytes);
    ASSERT_TRUE(closed.info.exists) << n;
    EXPECT_EQ(closed(n - 1, n - 2), -14 * (n - 1));
    expect_lengths<min_plus<i8>>(bytes, closed);
    const auto wide = closure(ctx, widening<min_plus<i32>>{}, chain<min_plus<i32>>(n, -200000000));
    ASSERT_TRUE(wide.info.exists) << n;
    EXPECT_STREQ(wide.type(), "i64");
    EXPECT_EQ(wide(n - 1, n - 2), -200000000 * (n - 1));
    matrix<i32> in_place = chain<min_plus<i32>>(n, -200000000);
    EXPECT_THROW((void)closure(ctx, min_plus<i32>{}, in_place), overflow_error) << n;
  }
}

TEST(widening, cycles_that_improve) {
  const context ctx = context::cpu({.threads = 2});
  for (const index_t n : {3, 40, 100}) {
    auto ring = chain<min_plus<i8>>(n, 3);
    ring(n - 2, n - 1) = -14;  // 3 (n - 1) - 14
    const auto closed = closure(ctx, widening<min_plus<i8>>{}, ring);
    EXPECT_EQ(closed.info.exists, n > 5) << n;
    ring(n - 2, n - 1) = static_cast<i8>(n == 3 ? -7 : -128);
    const auto improving = closure(ctx, widening<min_plus<i8>>{}, ring);
    EXPECT_EQ(improving.info.exists, n == 100) << n;  // 117 - 128 < 0 < 297 - 128
    EXPECT_EQ(improving.info.diverging >= 0, n != 100) << n;
  }
}

// What a result of plus_times counts: paths, which double from one diamond to the next.
TEST(widening, counts_of_paths) {
  const context ctx = context::cpu({.threads = 1});
  const auto diamonds = [](index_t count) {
    matrix<u8> a(3 * count + 1, 3 * count + 1, u8{0});
    for (index_t d = 0; d < count; ++d)
      for (const index_t way : {1, 2}) a(3 * d, 3 * d + way) = a(3 * d + way, 3 * d + 3) = 1;
    return a;
  };
  const auto few = closure(ctx, widening<plus_times<u8>>{}, diamonds(7));
  EXPECT_STREQ(few.type(), "u8");
  EXPECT_EQ(few(0, 21), 128);
  const auto more = closure(ctx, widening<plus_times<u8>>{}, diamonds(8));
  EXPECT_EQ(more.reason, "u8 holds numbers up to 255, and a result is larger: u16 instead");
  EXPECT_EQ(more(0, 24), 256);
  EXPECT_THROW((void)closure(ctx, widening<plus_times<u8>>{}, diamonds(31)), overflow_error);
}

TEST(widening, is_said) {
  set_explain(true);
  testing::internal::CaptureStderr();
  (void)closure(context::cpu({.threads = 1}), widening<min_plus<u8>>{}, chain<min_plus<u8>>(3, 32));
  const std::string said = testing::internal::GetCapturedStderr();
  set_explain(false);
  EXPECT_TRUE(contains(said, "widening min_plus: u8 holds lengths up to 63, and a path is longer: u16 instead"))
      << said;
}

}  // namespace
}  // namespace kleene::test::widening_test
