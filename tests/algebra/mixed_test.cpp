// The algebras of mixed.def: what they compute in, and the laws on values whose sums and products are exact. Expected
// types and limits are literals.
#include "kleene/algebra/catalog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kleene::mixed_test {
namespace {

template <class S>
std::vector<value_of<S>> samples() {
  using T = value_of<S>;
  std::vector<T> all;
  for (const int x : {0, 1, 2, 3, 4}) all.push_back(T(x));
  if constexpr (std::numeric_limits<T>::is_signed)
    for (const int x : {-1, -2, -4}) all.push_back(T(x));
  if constexpr (detail::is_float<T>)
    for (const double x : {-0.0, 0.5, -1.25, 16.0}) all.push_back(T(x));
  return all;
}

template <class S>
value_of<S> plus(value_of<S> a, value_of<S> b) {
  const auto sum = S::add(widen<S>(a), widen<S>(b));
  EXPECT_FALSE(S::overflows(sum));
  return normalise<S>(sum);
}
template <class S>
value_of<S> times(value_of<S> a, value_of<S> b) {
  const auto product = S::add(widen<S>(S::zero()), S::mul(widen<S>(a), widen<S>(b)));
  EXPECT_FALSE(S::overflows(product));
  return normalise<S>(product);
}

TEST(mixed, laws_hold_on_exact_values) {
  for_each_mixed([](auto s, auto) {
    using S = decltype(s);
    SCOPED_TRACE(std::string(S::name) + " " + type_name<value_of<S>>);
    const auto zero = S::zero(), one = S::one();
    for (const auto a : samples<S>()) {
      EXPECT_EQ(plus<S>(a, zero), a);
      EXPECT_EQ(times<S>(a, one), a);
      EXPECT_EQ(times<S>(one, a), a);
      EXPECT_EQ(times<S>(a, zero), zero);
      EXPECT_EQ(times<S>(zero, a), zero);
      for (const auto b : samples<S>()) {
        EXPECT_EQ(plus<S>(a, b), plus<S>(b, a));
        EXPECT_EQ(times<S>(a, b), times<S>(b, a));
        for (const auto c : samples<S>()) {
          EXPECT_EQ(plus<S>(plus<S>(a, b), c), plus<S>(a, plus<S>(b, c)));
          EXPECT_EQ(times<S>(a, plus<S>(b, c)), plus<S>(times<S>(a, b), times<S>(a, c)));
        }
      }
    }
    EXPECT_FALSE(is_idempotent<S>);
    EXPECT_FALSE(is_selective<S>);
    EXPECT_TRUE(is_commutative<S>);
    EXPECT_TRUE(full_semiring<S>);
  });
}

TEST(mixed, rows_are_the_expected_literals) {
  std::string rows;
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    rows += std::string(S::name) + " " + type_name<value_of<S>> + " " + type_name<accumulator_of<S>> + " " +
            type_name<scalar_of<S>> + " " + type_name<typename decltype(out)::type> + "\n";
  });
  EXPECT_EQ(rows,
            "plus_times bf16 f32 f32 bf16\n"
            "plus_times bf16 f32 f32 f32\n"
            "plus_times f16 f32 f32 f16\n"
            "plus_times f16 f32 f32 f32\n"
            "plus_times i8 i32 i32 i32\n"
            "plus_times i8 i32 i32 f32\n"
            "plus_times i8 i32 i32 i8\n"
            "plus_times u8 i32 i32 i32\n");
}

// Wider types, whose alpha and beta have the element type, are as they were.
TEST(mixed, wider_types_keep_their_accumulators_and_scalars) {
  static_assert(std::is_same_v<accumulator_of<plus_times<f32>>, f32> &&
                std::is_same_v<scalar_of<plus_times<f32>>, f32>);
  static_assert(std::is_same_v<accumulator_of<plus_times<f64>>, f64> &&
                std::is_same_v<scalar_of<plus_times<f64>>, f64>);
  static_assert(std::is_same_v<accumulator_of<plus_times<i32>>, i64> &&
                std::is_same_v<scalar_of<plus_times<i32>>, i32>);
  static_assert(std::is_same_v<accumulator_of<plus_min<i32>>, i64> &&
                std::is_same_v<accumulator_of<plus_min<i8>>, i64>);
  static_assert(std::is_same_v<scalar_of<min_plus<i32>>, i32> && std::is_same_v<scalar_of<min_times<i32>>, i32>);
}

TEST(mixed, what_does_not_fit_a_byte_is_an_overflow) {
  EXPECT_FALSE(plus_times<i8>::overflows(127));
  EXPECT_TRUE(plus_times<i8>::overflows(128));
  EXPECT_FALSE(plus_times<i8>::overflows(-128));
  EXPECT_TRUE(plus_times<i8>::overflows(-129));
  EXPECT_FALSE(plus_times<u8>::overflows(255));
  EXPECT_TRUE(plus_times<u8>::overflows(256));
  EXPECT_TRUE(plus_times<u8>::overflows(-1));
  EXPECT_FALSE(plus_times<bf16>::overflows(1e38f));
}

TEST(mixed, sums_of_bytes_that_fit_32_bits) {
  EXPECT_TRUE(plus_times<i8>::sums_fit(131071, 128, 128));
  EXPECT_FALSE(plus_times<i8>::sums_fit(131072, 128, 128));
  EXPECT_TRUE(plus_times<u8>::sums_fit(33025, 255, 255));
  EXPECT_FALSE(plus_times<u8>::sums_fit(33026, 255, 255));
  EXPECT_TRUE(plus_times<i32>::sums_fit(131072, 128, 128));
  EXPECT_TRUE(plus_times<f16>::sums_fit(1e9, 65504, 65504));
}

}  // namespace
}  // namespace kleene::mixed_test
