// Ranges, domains and NaN of the shipped algebras; algebras made of two functors; algebras of a user's own.
#include "kleene/algebra/semirings.hpp"

#include "kleene/algebra/semiring.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace kleene::semirings_test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();
using shortest = min_plus<std::int32_t>;
using longest = max_plus<std::int32_t>;

// i32: infinity 1073741823, finite values below 268435455 in magnitude.
TEST(integer_range, infinity_plus_anything_is_infinity) {
  for (const std::int32_t x : {0, 1, -1, 268435454, -268435454, 1073741823}) {
    EXPECT_EQ(normalise<shortest>(shortest::mul(1073741823, x)), 1073741823) << x;
    EXPECT_FALSE(shortest::overflows(shortest::mul(1073741823, x))) << x;
    EXPECT_EQ(normalise<longest>(longest::mul(-1073741823, x == 1073741823 ? -x : x)), -1073741823) << x;
    EXPECT_FALSE(longest::overflows(longest::mul(-1073741823, x == 1073741823 ? -x : x))) << x;
  }
}

TEST(integer_range, finite_sums_are_kept_or_reported) {
  EXPECT_EQ(normalise<shortest>(shortest::mul(100000000, 100000000)), 200000000);
  EXPECT_FALSE(shortest::overflows(268435454));
  EXPECT_FALSE(shortest::overflows(-268435454));
  EXPECT_TRUE(shortest::overflows(268435455));
  EXPECT_TRUE(shortest::overflows(-268435455));
  EXPECT_TRUE(shortest::overflows(shortest::mul(268435454, 268435454)));
  EXPECT_TRUE(shortest::overflows(shortest::mul(-268435454, -268435454)));
  EXPECT_TRUE(longest::overflows(longest::mul(268435454, 268435454)));
  EXPECT_TRUE(longest::overflows(longest::mul(-268435454, -268435454)));
  // The sums above are finite to normalise too: they keep their value rather than turn into infinity.
  EXPECT_EQ(normalise<shortest>(536870908), 536870908);
  EXPECT_EQ(normalise<longest>(-536870908), -536870908);
}

TEST(integer_range, extremes_do_not_wrap) {
  using wide = min_plus<std::int64_t>;
  constexpr std::int64_t infinity = 4611686018427387903, largest = 1152921504606846974;
  static_assert(shortest::mul(1073741823, 1073741823) == 2147483646);
  static_assert(longest::mul(-1073741823, -1073741823) == -2147483646);
  static_assert(wide::mul(infinity, infinity) == 9223372036854775806);
  static_assert(wide::mul(-largest, -largest) == -2305843009213693948);
  EXPECT_EQ(normalise<wide>(wide::mul(infinity, -largest)), infinity);
  EXPECT_TRUE(wide::overflows(wide::mul(largest, largest)));
}

TEST(integer_range, domains) {
  for (const std::int32_t x : {268435454, -268435454, 0, 1073741823}) EXPECT_TRUE(shortest::in_domain(x)) << x;
  for (const std::int32_t x : {268435455, -268435455, -1073741823, 1073741824, 2147483647, -2147483647 - 1})
    EXPECT_FALSE(shortest::in_domain(x)) << x;
  EXPECT_TRUE(longest::in_domain(-1073741823));
  EXPECT_FALSE(longest::in_domain(1073741823));
  EXPECT_FALSE(longest::in_domain(-2147483647 - 1));
}

TEST(integer_range, products_compute_wide_and_report_what_does_not_fit) {
  using best = max_times<std::int32_t>;
  using least = min_times<std::int32_t>;
  using sum = plus_times<std::int32_t>;
  EXPECT_FALSE(best::overflows(best::mul(46340.0, 46340.0)));
  EXPECT_TRUE(best::overflows(best::mul(46341.0, 46341.0)));
  EXPECT_FALSE(best::overflows(2147483647.0));
  EXPECT_TRUE(best::overflows(2147483648.0));
  EXPECT_EQ(widen<least>(2147483647), std::numeric_limits<double>::infinity());
  EXPECT_EQ(normalise<least>(std::numeric_limits<double>::infinity()), 2147483647);
  EXPECT_FALSE(least::overflows(2147483646.0));
  EXPECT_TRUE(least::overflows(2147483647.0)) << "a finite product that looks like infinity";
  EXPECT_FALSE(least::overflows(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(sum::overflows(sum::mul(std::int64_t{2147483647}, std::int64_t{2})));
  EXPECT_TRUE(sum::overflows(-2147483649));
  EXPECT_FALSE(sum::overflows(-2147483648));
  EXPECT_TRUE(sum::sums_fit(1, 2147483648.0, 2147483648.0));
  EXPECT_FALSE(sum::sums_fit(4, 2147483648.0, 2147483648.0));
  EXPECT_TRUE(plus_min<std::int32_t>::overflows(2147483648));
}

TEST(domains, of_floats) {
  EXPECT_FALSE(max_times<float>::in_domain(-1));
  EXPECT_FALSE(max_times<float>::in_domain(nan));
  EXPECT_TRUE(max_times<float>::in_domain(-0.0f));
  EXPECT_TRUE(max_times<float>::in_domain(inf));
  EXPECT_FALSE(min_times<float>::in_domain(-0.5f));
  EXPECT_FALSE(plus_min<float>::in_domain(-0.5f));
  EXPECT_FALSE(or_and<float>::in_domain(0.5f));
  EXPECT_FALSE(or_and<float>::in_domain(nan));
  EXPECT_FALSE(xor_and<std::int32_t>::in_domain(2));
  EXPECT_TRUE(xor_and<std::int32_t>::in_domain(1));
  EXPECT_FALSE(has_domain<min_plus<float>>);
  EXPECT_FALSE(has_domain<plus_times<float>>);
}

template <class S>
bool ignores_nan() {
  const auto sum = S::add(widen<S>(S::zero()), S::mul(widen<S>(nan), widen<S>(2.0f)));
  const auto other = S::add(widen<S>(5.0f), S::mul(widen<S>(2.0f), widen<S>(nan)));
  return normalise<S>(sum) == S::zero() && normalise<S>(other) == 5.0f;
}

TEST(nan_policy, no_candidate_where_add_selects) {
  EXPECT_TRUE(ignores_nan<min_plus<float>>());
  EXPECT_TRUE(ignores_nan<max_plus<float>>());
  EXPECT_TRUE(ignores_nan<min_max<float>>());
  EXPECT_TRUE(ignores_nan<max_min<float>>());
  EXPECT_EQ((min_plus<float>::add(3.0f, min_plus<float>::mul(inf, -inf))), 3);
  EXPECT_EQ((max_times<float>::add(0.0f, max_times<float>::mul(0.0f, inf))), 0);
}

TEST(nan_policy, propagates_where_add_sums) {
  EXPECT_TRUE(std::isnan(plus_times<float>::add(1.0f, plus_times<float>::mul(nan, 2.0f))));
  for (const float x : {-inf, inf, 1.0f}) {
    EXPECT_TRUE(std::isnan(log_plus<float>::add(x, nan))) << x;
    EXPECT_TRUE(std::isnan(log_plus<float>::add(nan, x))) << x;
  }
}

TEST(log_plus, adds_probabilities_without_overflow) {
  using L = log_plus<double>;
  EXPECT_DOUBLE_EQ(L::add(std::log(0.25), std::log(0.5)), std::log(0.75));
  EXPECT_DOUBLE_EQ(L::add(1000.0, 1000.0), 1000.0 + std::log(2.0));
  EXPECT_DOUBLE_EQ(L::add(-1000.0, -1000.0), -1000.0 + std::log(2.0));
  EXPECT_EQ(L::add(-5.0, L::zero()), -5.0);
  EXPECT_EQ(L::add(L::zero(), L::zero()), L::zero());
  EXPECT_EQ(L::add(double(inf), 1.0), double(inf));
}

TEST(pairing, shipped_pairs_are_the_shipped_algebras) {
  using namespace ops;
  const auto is = []<class A, class B>(A, B) { return std::is_same_v<A, B>; };
  EXPECT_TRUE(is(semiring<min, plus, float>{}, min_plus<float>{}));
  EXPECT_TRUE(is(semiring<max, plus, double>{}, max_plus<double>{}));
  EXPECT_TRUE(is(semiring<min, times, float>{}, min_times<float>{}));
  EXPECT_TRUE(is(semiring<max, times, float>{}, max_times<float>{}));
  EXPECT_TRUE(is(semiring<min, max, int>{}, min_max<int>{}));
  EXPECT_TRUE(is(semiring<max, min, float>{}, max_min<float>{}));
  EXPECT_TRUE(is(semiring<logical_or, logical_and, bool>{}, or_and<bool>{}));
  EXPECT_TRUE(is(semiring<exclusive_or, logical_and, int>{}, xor_and<int>{}));
  EXPECT_TRUE(is(semiring<log_add_exp, plus, float>{}, log_plus<float>{}));
  EXPECT_TRUE(is(semiring<plus, times, float>{}, plus_times<float>{}));
  EXPECT_TRUE(is(semiring<plus, min, float>{}, plus_min<float>{}));
}

struct bitwise_or {
  unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct bitwise_and {
  unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};

}  // namespace
}  // namespace kleene::semirings_test

template <>
struct kleene::identity<kleene::semirings_test::bitwise_or, unsigned> {
  static constexpr unsigned value() { return 0; }
};

namespace kleene::semirings_test {
namespace {

TEST(pairing, other_pairs_take_their_identities_from_the_functors) {
  using sets = semiring<bitwise_or, bitwise_and, unsigned>;  // no identity for "and": products, no closures
  static_assert(product_algebra<sets> && !full_semiring<sets>);
  EXPECT_EQ(sets::zero(), 0u);
  EXPECT_EQ(sets::add(5, sets::mul(6, 3)), 7u);
  using widest_sum = semiring<ops::max, ops::max, float>;
  static_assert(full_semiring<widest_sum> && !is_idempotent<widest_sum>);
  EXPECT_EQ(widest_sum::zero(), -inf);
  EXPECT_EQ(widest_sum::one(), -inf);
}

struct bits_of_a_byte {
  static constexpr const char* name = "sets";
  static constexpr bool is_idempotent = true, is_commutative = true;
  static constexpr unsigned one() { return 255; }
};
struct all_bits {
  static constexpr unsigned zero() { return 0; }
  static constexpr bool is_distributive = false;
  static constexpr bool in_domain(unsigned x) { return x < 256; }
};
TEST(pairing, facts_say_what_is_known_of_a_pair) {
  using sets = semiring<bitwise_or, bitwise_and, unsigned, bits_of_a_byte>;
  static_assert(closed_semiring<sets> && is_idempotent<sets> && !is_selective<sets> && is_commutative<sets>);
  EXPECT_EQ(sets::zero(), 0u);
  EXPECT_EQ(sets::one(), 255u);
  EXPECT_EQ(name_of<sets>(), "sets");
  using others = semiring<bitwise_and, bitwise_or, unsigned, all_bits>;  // zero() is stated: no identity is needed
  static_assert(product_algebra<others> && !full_semiring<others> && has_domain<others>);
  EXPECT_EQ(name_of<others>(), "functor_pair");
}

// An algebra with nothing but what is required.
struct counting {
  using value_type = int;
  static constexpr int zero() { return 0; }
  static constexpr int add(int a, int b) { return a + b; }
  static constexpr int mul(int a, int b) { return a * b; }
};
struct with_state {
  using value_type = int;
  int modulus;
  static int zero() { return 0; }
  static int add(int a, int b) { return a + b; }
  static int mul(int a, int b) { return a * b; }
};

TEST(concepts, what_is_not_said_is_assumed_not_to_hold) {
  static_assert(product_algebra<counting> && !full_semiring<counting> && !closed_semiring<counting>);
  static_assert(!is_idempotent<counting> && !is_selective<counting> && !is_commutative<counting>);
  static_assert(is_distributive<counting> && !has_domain<counting> && !can_overflow<counting> && !can_wrap<counting>);
  static_assert(std::is_same_v<accumulator_of<counting>, int>);
  static_assert(!product_algebra<with_state> && !product_algebra<int>);
  EXPECT_EQ(name_of<counting>(), "an algebra without a name");
  EXPECT_EQ(name_of<min_plus<float>>(), "min_plus");
}

TEST(ops, keep_the_left_operand_on_ties_and_against_nan) {
  EXPECT_TRUE(std::signbit(ops::min{}(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(ops::min{}(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(ops::max{}(-0.0f, 0.0f)));
  EXPECT_EQ(ops::min{}(1.0f, nan), 1.0f);
  EXPECT_EQ(ops::max{}(1.0f, nan), 1.0f);
  EXPECT_EQ(ops::exclusive_or{}(1.0f, 1.0f), 0.0f);
  EXPECT_EQ(ops::exclusive_or{}(0.0, 1.0), 1.0);
  EXPECT_EQ(ops::exclusive_or{}(1, 0), 1);
}

}  // namespace
}  // namespace kleene::semirings_test
