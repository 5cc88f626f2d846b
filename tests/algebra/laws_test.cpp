// The laws of every row of the catalog, on its stated domain, extremes included. Expected identities and facts are
// literals, taken from nobody.
#include "kleene/algebra/catalog.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace kleene::laws_test {
namespace {

constexpr long double infinite = std::numeric_limits<double>::infinity();

struct expected_row {
  std::string_view name, type;
  long double zero, one;
  bool idempotent, selective, distributive;
};
// clang-format off
constexpr expected_row expected[] = {
  // algebra      type    zero                    one            idempotent selective distributive
  {"min_plus",   "f32",  infinite,               0,              true,  true,  true},
  {"min_plus",   "f64",  infinite,               0,              true,  true,  true},
  {"min_plus",   "i32",  1073741823.0L,          0,              true,  true,  true},
  {"min_plus",   "i64",  4611686018427387903.0L, 0,              true,  true,  true},
  {"max_plus",   "f32",  -infinite,              0,              true,  true,  true},
  {"max_plus",   "f64",  -infinite,              0,              true,  true,  true},
  {"max_plus",   "i32",  -1073741823.0L,         0,              true,  true,  true},
  {"max_plus",   "i64",  -4611686018427387903.0L, 0,             true,  true,  true},
  {"min_times",  "f32",  infinite,               1,              true,  true,  true},
  {"min_times",  "f64",  infinite,               1,              true,  true,  true},
  {"min_times",  "i32",  2147483647.0L,          1,              true,  true,  true},
  {"max_times",  "f32",  0,                      1,              true,  true,  true},
  {"max_times",  "f64",  0,                      1,              true,  true,  true},
  {"max_times",  "i32",  0,                      1,              true,  true,  true},
  {"min_max",    "f32",  infinite,               -infinite,      true,  true,  true},
  {"min_max",    "f64",  infinite,               -infinite,      true,  true,  true},
  {"min_max",    "i32",  2147483647.0L,          -2147483648.0L, true,  true,  true},
  {"min_max",    "i64",  9223372036854775807.0L, -9223372036854775808.0L, true, true, true},
  {"max_min",    "f32",  -infinite,              infinite,       true,  true,  true},
  {"max_min",    "f64",  -infinite,              infinite,       true,  true,  true},
  {"max_min",    "i32",  -2147483648.0L,         2147483647.0L,  true,  true,  true},
  {"max_min",    "i64",  -9223372036854775808.0L, 9223372036854775807.0L, true, true, true},
  {"or_and",     "f32",  0,                      1,              true,  true,  true},
  {"or_and",     "f64",  0,                      1,              true,  true,  true},
  {"or_and",     "i32",  0,                      1,              true,  true,  true},
  {"or_and",     "bool", 0,                      1,              true,  true,  true},
  {"xor_and",    "f32",  0,                      1,              false, false, true},
  {"xor_and",    "f64",  0,                      1,              false, false, true},
  {"xor_and",    "i32",  0,                      1,              false, false, true},
  {"xor_and",    "bool", 0,                      1,              false, false, true},
  {"log_plus",   "f32",  -infinite,              0,              false, false, true},
  {"log_plus",   "f64",  -infinite,              0,              false, false, true},
  {"plus_times", "f32",  0,                      1,              false, false, true},
  {"plus_times", "f64",  0,                      1,              false, false, true},
  {"plus_times", "i32",  0,                      1,              false, false, true},
  {"plus_min",   "f32",  0,                      infinite,       false, false, false},
  {"plus_min",   "f64",  0,                      infinite,       false, false, false},
  {"plus_min",   "i32",  0,                      2147483647.0L,  false, false, false},
};
// clang-format on

template <class S>
const expected_row* row_of() {
  for (const expected_row& row : expected)
    if (row.name == S::name && row.type == type_name<value_of<S>>) return &row;
  return nullptr;
}

// Values of the domain. Floats are such that sums and products of three are exact; integers reach the ends of the
// range.
template <class S>
std::deque<value_of<S>> samples() {  // a vector of bool would hold none
  using T = value_of<S>;
  const std::string name = S::name;
  std::deque<T> all;
  if constexpr (std::is_floating_point_v<T>) {
    all = {-4, -1, T(-0.0), 0, T(0.5), 1, 2, 3, 1024};
    if (name != "plus_times")
      for (const T end : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) all.push_back(end);
    if (name == "log_plus") all = {-700, -4, -1, 0, T(0.5), 3, 80, -std::numeric_limits<T>::infinity()};
  } else if constexpr (std::is_same_v<T, bool>) {
    all = {false, true};
  } else {
    const T max = std::numeric_limits<T>::max(), low = std::numeric_limits<T>::lowest();
    all = {T(-1000),          T(-4),      T(-1),         0,   1,          2,  3, T(46341), T(max / 8 - 1),
           T(-(max / 8 - 1)), T(max / 2), T(-(max / 2)), max, T(max - 1), low};
  }
  if constexpr (has_domain<S>) std::erase_if(all, [](T x) { return !S::in_domain(x); });
  return all;
}

// What an operation stores: nothing where it would report an overflow.
template <class S>
std::optional<value_of<S>> stored(const accumulator_of<S>& sum) {
  if constexpr (can_overflow<S>)
    if (S::overflows(sum)) return {};
  return normalise<S>(sum);
}
// One term of a product, as a kernel sees it: added to zero().
template <class S>
std::optional<value_of<S>> times(const std::optional<value_of<S>>& a, const std::optional<value_of<S>>& b) {
  if (!a || !b) return {};
  return stored<S>(S::add(widen<S>(S::zero()), S::mul(widen<S>(*a), widen<S>(*b))));
}
template <class S>
std::optional<value_of<S>> plus(const std::optional<value_of<S>>& a, const std::optional<value_of<S>>& b) {
  if (!a || !b) return {};
  return stored<S>(S::add(widen<S>(*a), widen<S>(*b)));
}

template <class S>
void expect_same(const std::optional<value_of<S>>& a, const std::optional<value_of<S>>& b, const std::string& law) {
  if (!a || !b || *a == *b) return;
  const double x = double(*a), y = double(*b);
  const double eps = std::is_same_v<value_of<S>, f32> ? 4e-7 : 1e-15;
  if (std::string(S::name) == "log_plus" && std::abs(x - y) <= 4 * eps * std::max(1.0, std::abs(x))) return;
  ADD_FAILURE() << S::name << " " << type_name<value_of<S>> << ": " << law << ": " << x << " and " << y;
}

// Calls check(S{}) for each row, with its name in the message.
template <class Check>
void on_every_row(const Check& check) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    SCOPED_TRACE(std::string(S::name) + " " + type_name<value_of<S>>);
    check(s);
  });
}

TEST(laws, identities_and_facts_are_the_expected_literals) {
  std::size_t rows = 0;
  on_every_row([&](auto s) {
    using S = decltype(s);
    ++rows;
    const expected_row* row = row_of<S>();
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(static_cast<long double>(S::zero()), row->zero);
    EXPECT_EQ(static_cast<long double>(S::one()), row->one);
    EXPECT_EQ(is_idempotent<S>, row->idempotent);
    EXPECT_EQ(is_selective<S>, row->selective);
    EXPECT_EQ(is_distributive<S>, row->distributive);
    EXPECT_EQ(full_semiring<S>, row->distributive);
    EXPECT_TRUE(is_commutative<S>);
  });
  EXPECT_EQ(rows, std::size(expected));
}

TEST(laws, identities_are_neutral_and_zero_annihilates) {
  on_every_row([](auto s) {
    using S = decltype(s);
    const auto zero = std::optional(value_of<S>(S::zero())), one = std::optional(value_of<S>(S::one()));
    for (const auto a : samples<S>()) {
      EXPECT_EQ(plus<S>(a, zero), a);
      EXPECT_EQ(plus<S>(zero, a), a);
      expect_same<S>(times<S>(a, one), a, "a 1 = a");
      expect_same<S>(times<S>(one, a), a, "1 a = a");
      for (const auto c : samples<S>()) {
        EXPECT_EQ(plus<S>(c, times<S>(zero, a)), c) << "c + 0 a";
        EXPECT_EQ(plus<S>(c, times<S>(a, zero)), c) << "c + a 0";
      }
    }
  });
}

TEST(laws, add_and_mul_commute_as_stated) {
  on_every_row([](auto s) {
    using S = decltype(s);
    for (const auto a : samples<S>())
      for (const auto b : samples<S>()) {
        expect_same<S>(plus<S>(a, b), plus<S>(b, a), "a + b = b + a");
        expect_same<S>(times<S>(a, b), times<S>(b, a), "a b = b a");
      }
  });
}

TEST(laws, add_and_mul_associate_and_mul_distributes) {
  on_every_row([](auto s) {
    using S = decltype(s);
    for (const auto a : samples<S>())
      for (const auto b : samples<S>())
        for (const auto c : samples<S>()) {
          expect_same<S>(plus<S>(plus<S>(a, b), c), plus<S>(a, plus<S>(b, c)), "(a + b) + c");
          expect_same<S>(times<S>(times<S>(a, b), c), times<S>(a, times<S>(b, c)), "(a b) c");
          if (!is_distributive<S>) continue;
          expect_same<S>(times<S>(a, plus<S>(b, c)), plus<S>(times<S>(a, b), times<S>(a, c)), "a (b + c)");
          expect_same<S>(times<S>(plus<S>(b, c), a), plus<S>(times<S>(b, a), times<S>(c, a)), "(b + c) a");
        }
  });
}

// A fact holds on all samples, and is not denied where it would hold.
TEST(laws, idempotent_and_selective_are_what_they_say) {
  on_every_row([](auto s) {
    using S = decltype(s);
    bool idempotent = true, selective = true;
    for (const auto a : samples<S>())
      for (const auto b : samples<S>()) {
        const auto sum = plus<S>(a, b);
        if (a == b) idempotent &= sum == a;
        selective &= sum == a || sum == b;
      }
    EXPECT_EQ(idempotent, is_idempotent<S>);
    EXPECT_EQ(selective, is_selective<S>);
  });
}

TEST(laws, star_solves_its_equation) {
  on_every_row([](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S>) {
      int found = 0;
      for (const auto a : samples<S>()) {
        const auto wide = widen<S>(a);
        if (!star_exists<S>(wide)) continue;
        ++found;
        const auto star_a = stored<S>(star<S>(wide));
        const auto right = plus<S>(value_of<S>(S::one()), times<S>(a, star_a));
        ASSERT_TRUE(star_a && right);
        const double x = double(*star_a), y = double(*right);
        EXPECT_TRUE(x == y || std::abs(x - y) <= 1e-5 * std::max(1.0, std::abs(y)))
            << "a = " << a << ": " << x << ", " << y;
      }
      EXPECT_GT(found, 0);
    }
  });
}

TEST(laws, star_exists_exactly_where_the_sum_has_a_value) {
  EXPECT_TRUE(star_exists<min_plus<float>>(0));
  EXPECT_TRUE(star_exists<min_plus<float>>(3));
  EXPECT_FALSE(star_exists<min_plus<float>>(-1));
  EXPECT_FALSE(star_exists<min_plus<std::int32_t>>(-1));
  EXPECT_TRUE(star_exists<max_plus<float>>(-1));
  EXPECT_FALSE(star_exists<max_plus<float>>(1));
  EXPECT_TRUE(star_exists<max_times<double>>(1));
  EXPECT_FALSE(star_exists<max_times<double>>(1.5));
  EXPECT_TRUE(star_exists<min_times<double>>(1));
  EXPECT_FALSE(star_exists<min_times<double>>(0.5));
  EXPECT_TRUE(star_exists<min_max<float>>(-7));
  EXPECT_TRUE(star_exists<max_min<float>>(7));
  EXPECT_TRUE(star_exists<or_and<float>>(1));
  EXPECT_TRUE(star_exists<xor_and<float>>(0));
  EXPECT_FALSE(star_exists<xor_and<float>>(1));
  EXPECT_TRUE(star_exists<log_plus<double>>(-0.5));
  EXPECT_FALSE(star_exists<log_plus<double>>(0));
  EXPECT_TRUE(star_exists<plus_times<double>>(0.5));
  EXPECT_FALSE(star_exists<plus_times<double>>(1));
  EXPECT_TRUE(star_exists<plus_times<std::int32_t>>(0));
  EXPECT_FALSE(star_exists<plus_times<std::int32_t>>(2));
  EXPECT_FALSE(closed_semiring<plus_min<float>>);
  EXPECT_EQ(star<plus_times<double>>(0.5), 2.0);
  EXPECT_DOUBLE_EQ(star<log_plus<double>>(std::log(0.5)), std::log(2.0));
}

TEST(laws, with_algebra_finds_each_row_by_name_and_nothing_else) {
  for (const expected_row& row : expected) {
    int calls = 0;
    EXPECT_TRUE(with_algebra(row.name, row.type, [&](auto s) { calls += decltype(s)::name == row.name; }));
    EXPECT_EQ(calls, 1);
  }
  const auto never = [](auto) { FAIL(); };
  EXPECT_FALSE(with_algebra("log_plus", "i32", never));
  EXPECT_FALSE(with_algebra("min_plus", "f16", never));
  EXPECT_FALSE(with_algebra("", "", never));
}

}  // namespace
}  // namespace kleene::laws_test
