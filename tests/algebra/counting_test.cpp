// Counting algebras: what they give by hand, and the laws of a semiring on values of every kind.
#include "kleene/algebra/counting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace kleene::counting_test {
namespace {

using longest = counting<max_plus<std::int32_t>>;
using shortest = counting<min_plus<double>>;
using likeliest = counting<max_times<std::int32_t>>;
using modulo = residues<7, 2147483647>;
using wide_modulo = residues<4611686018427387847, 2147483629>;
using modular = counting<min_plus<std::int64_t>, residues<2147483587>>;
using best_3 = k_best<max_plus<std::int32_t>, 3>;
using best_16 = k_best<min_plus<double>, 16>;
using best_1 = k_best<max_times<double>, 1>;

constexpr std::uint64_t many = 18446744073709551615u;
constexpr double infinite = std::numeric_limits<double>::infinity();

// As a product stores them.
template <class S>
value_of<S> plus(const value_of<S>& a, const value_of<S>& b) {
  return normalise<S>(S::add(widen<S>(a), widen<S>(b)));
}
template <class S>
value_of<S> times(const value_of<S>& a, const value_of<S>& b) {
  return normalise<S>(S::add(widen<S>(S::zero()), S::mul(widen<S>(a), widen<S>(b))));
}

template <class S>
void expect_laws(const std::vector<value_of<S>>& values) {
  const value_of<S> zero = S::zero(), one = S::one();
  for (const auto& a : values) {
    EXPECT_TRUE(plus<S>(a, zero) == a && plus<S>(zero, a) == a);
    EXPECT_TRUE(times<S>(a, one) == a && times<S>(one, a) == a);
    EXPECT_TRUE(times<S>(a, zero) == zero && times<S>(zero, a) == zero);
    for (const auto& b : values) {
      EXPECT_TRUE(plus<S>(a, b) == plus<S>(b, a));
      EXPECT_TRUE(times<S>(a, b) == times<S>(b, a));
      for (const auto& c : values) {
        EXPECT_TRUE(plus<S>(plus<S>(a, b), c) == plus<S>(a, plus<S>(b, c)));
        EXPECT_TRUE(times<S>(times<S>(a, b), c) == times<S>(a, times<S>(b, c)));
        EXPECT_TRUE(times<S>(a, plus<S>(b, c)) == plus<S>(times<S>(a, b), times<S>(a, c)));
      }
    }
  }
}

TEST(counting, the_better_value_and_how_many_have_it) {
  using v = longest::value_type;
  EXPECT_EQ(longest::add({5, 2}, {3, 9}), (longest::accumulator{5, 2}));
  EXPECT_EQ(longest::add({3, 9}, {5, 2}), (longest::accumulator{5, 2}));
  EXPECT_EQ(longest::add({5, 2}, {5, 9}), (longest::accumulator{5, 11}));
  EXPECT_EQ(longest::mul({5, 2}, {3, 9}), (longest::accumulator{8, 18}));
  EXPECT_EQ(shortest::add({5, 2}, {3, 9}), (shortest::accumulator{3, 9}));
  EXPECT_EQ(longest::zero(), (v{-1073741823, 0}));
  EXPECT_EQ(longest::one(), (v{0, 1}));
  EXPECT_EQ(shortest::zero(), (shortest::value_type{infinite, 0}));
  EXPECT_EQ(likeliest::one(), (likeliest::value_type{1, 1}));
  EXPECT_EQ(longest::of(7), (v{7, 1}));
  EXPECT_EQ(longest::of(-1073741823), (v{-1073741823, 0}));
  EXPECT_EQ(shortest::of(std::nan("")), (shortest::value_type{infinite, 0}));
  EXPECT_EQ(best_3::one(), (best_3::value_type{0, -1073741823, -1073741823}));
  EXPECT_EQ(best_3::zero(), (best_3::value_type{-1073741823, -1073741823, -1073741823}));
}

TEST(counting, whatever_has_the_value_zero_is_zero) {
  EXPECT_EQ(widen<longest>({-1073741823, 5}), (longest::accumulator{-1073741823, 0}));
  EXPECT_EQ(longest::mul({-1073741823, 0}, {7, 3}), (longest::accumulator{-1073741823, 0}));
  EXPECT_EQ(longest::add(longest::mul({-1073741823, 0}, {7, 3}), longest::mul({-1073741823, 0}, {-9, 3})),
            (longest::accumulator{-1073741823, 0}))
      << "no better for the 7";
  EXPECT_EQ(shortest::mul({infinite, 0}, {-infinite, 3}), (shortest::accumulator{infinite, 0})) << "NaN";
  EXPECT_EQ(widen<shortest>({std::nan(""), 3}), (shortest::accumulator{infinite, 0}));
  using best_2 = k_best<min_plus<double>, 2>;
  EXPECT_EQ(best_2::of(std::nan("")), best_2::zero());
  EXPECT_EQ(widen<best_2>({3, std::nan("")}), (best_2::accumulator{3, infinite}));
  EXPECT_EQ(best_2::mul({-infinite, 3}, {infinite, infinite}), best_2::zero());
  // A count that is 0 modulo the prime is no zero: the value is there.
  EXPECT_EQ(modular::add({3, {0}}, {4, {5}}), (modular::accumulator{3, {0}}));
}

TEST(counting, counts_that_are_too_many_stay_so) {
  EXPECT_EQ(counts::too_many, many);
  EXPECT_EQ(counts::add(many - 2, 1), many - 1);
  EXPECT_EQ(counts::add(many - 2, 2), many) << "2^64 - 1 itself is no count";
  EXPECT_EQ(counts::add(many - 2, many - 2), many);
  EXPECT_EQ(counts::add(many, 0), many);
  EXPECT_EQ(counts::mul(many, 1), many);
  EXPECT_EQ(counts::mul(many, 0), 0u);
  EXPECT_EQ(counts::mul(4294967295u, 4294967297u), many) << "2^64 - 1";
  EXPECT_EQ(counts::mul(4294967295u, 4294967296u), 18446744069414584320u);
  EXPECT_EQ(counts::mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32), many);
  EXPECT_EQ(longest::mul({1, many}, {2, 3}), (longest::accumulator{3, many}));
}

TEST(counting, residues_of_each_prime) {
  static_assert(sizeof(residues<5>::value_type) == 4 && sizeof(wide_modulo::value_type) == 16);
  EXPECT_EQ(modulo::of(10), (modulo::value_type{3, 10}));
  EXPECT_EQ(modulo::add({5, 2147483646}, {6, 2147483646}), (modulo::value_type{4, 2147483645}));
  EXPECT_EQ(modulo::mul({5, 2147483646}, {6, 2147483646}), (modulo::value_type{2, 1}));
  EXPECT_EQ(wide_modulo::mul({4611686018427387846u, 3}, {4611686018427387846u, 5}), (wide_modulo::value_type{1, 15}));
  EXPECT_EQ(wide_modulo::add({4611686018427387846u, 2147483628}, {4611686018427387846u, 1}),
            (wide_modulo::value_type{4611686018427387845u, 0}));
}

TEST(counting, the_k_best_as_often_as_they_are) {
  EXPECT_EQ(best_3::add({5, 4, 4}, {5, 3, 2}), (best_3::accumulator{5, 5, 4}));
  EXPECT_EQ(best_3::add({1, -1073741823, -1073741823}, {2, -1073741823, -1073741823}),
            (best_3::accumulator{2, 1, -1073741823}));
  EXPECT_EQ(best_3::mul({5, 4, 0}, {3, 2, 1}), (best_3::accumulator{8, 7, 7})) << "5 + 3, 5 + 2, 4 + 3";
  EXPECT_EQ(best_3::mul({5, 0, -1073741823}, {3, -1073741823, -1073741823}), (best_3::accumulator{8, 3, -1073741823}));
  EXPECT_EQ(best_1::mul({0.5}, {0.25}), (best_1::accumulator{0.125}));
}

// Beside all sums, sorted.
TEST(counting, the_k_best_of_all_products) {
  best_16::value_type a{}, b{};
  std::vector<double> sums;
  for (int round = 0; round < 200; ++round) {
    for (int k = 0; k < 16; ++k) {
      a.value[k] = (round * 31 + k * k * 17) % 23;
      b.value[k] = (round * 7 + k * 29) % (round % 40 + 1);
    }
    const int here = round % 17;  // so many of b are there
    for (int k = here; k < 16; ++k) b.value[k] = infinite;
    std::sort(a.value, a.value + 16);
    std::sort(b.value, b.value + 16);
    sums.clear();
    for (const double x : a.value)
      for (const double y : b.value) sums.push_back(x + y);
    std::sort(sums.begin(), sums.end());
    const best_16::value_type product = times<best_16>(a, b);
    EXPECT_TRUE(std::equal(product.value, product.value + 16, sums.begin())) << "round " << round;
    sums.assign(a.value, a.value + 16);
    sums.insert(sums.end(), b.value, b.value + 16);
    std::sort(sums.begin(), sums.end());
    const best_16::value_type merged = plus<best_16>(a, b);
    EXPECT_TRUE(std::equal(merged.value, merged.value + 16, sums.begin())) << "round " << round;
  }
}

TEST(counting, what_the_element_type_cannot_hold_is_reported) {
  EXPECT_FALSE(longest::overflows(longest::mul({200000000, 1}, {60000000, 1})));
  EXPECT_TRUE(longest::overflows(longest::mul({200000000, 1}, {70000000, 1}))) << "2^28 and more";
  EXPECT_FALSE(longest::overflows(widen<longest>(longest::zero())));
  EXPECT_TRUE(best_3::overflows(best_3::mul({200000000, 0, 0}, {70000000, 0, 0})));
  EXPECT_FALSE(best_3::overflows(widen<best_3>(best_3::zero())));
  EXPECT_TRUE(likeliest::overflows(likeliest::mul({65536, 1}, {32768, 1})));
  EXPECT_FALSE(shortest::overflows({1e308, 1}));
  EXPECT_FALSE(longest::in_domain({1000000000, 1}));
  EXPECT_TRUE(longest::in_domain(longest::zero()));
  EXPECT_FALSE(best_3::in_domain({1, 0, 1000000000}));
  EXPECT_FALSE(best_1::in_domain({-1}));
  EXPECT_FALSE(has_domain<shortest>);
}

TEST(counting, laws_of_counts_and_residues) {
  expect_laws<counts>({0, 1, 2, 3, 4294967295u, 4294967296u, many / 2, many / 2 + 1, many - 1, many});
  expect_laws<modulo>({{0, 0}, {1, 1}, {3, 5}, {6, 2147483646}, {0, 2147483645}, {2, 1073741824}});
  expect_laws<wide_modulo>({{0, 0}, {1, 1}, {4611686018427387846u, 2147483628}, {4611686018427387840u, 7}, {12, 0}});
}

TEST(counting, laws_of_counted_values) {
  const std::int32_t end = 50000000, low = -1073741823;
  expect_laws<longest>({{low, 0}, {0, 1}, {0, 0}, {-5, 3}, {-5, many}, {7, 2}, {end, 1}, {-end, many - 1}, {3, 1}});
  expect_laws<shortest>({{infinite, 0}, {0, 1}, {-2.5, 4}, {1024, many}, {0.5, 3}, {0.5, 1}});
  expect_laws<likeliest>({{0, 0}, {1, 1}, {3, 2}, {1000, 5}, {2, many}});
  const std::int64_t far = 4611686018427387903;
  expect_laws<modular>({{far, {0}}, {0, {1}}, {0, {0}}, {3, {2147483586}}, {-100000000000, {2}}, {3, {12345}}});
}

TEST(counting, laws_of_the_k_best) {
  const std::int32_t low = -1073741823;
  expect_laws<best_3>({{low, low, low}, {0, low, low}, {0, 0, 0}, {7, 3, low}, {7, 7, 3}, {-2, -2, -9}, {3, 2, 1}});
  best_16::value_type full{}, half = best_16::zero(), equal{};
  for (int k = 0; k < 16; ++k) full.value[k] = k * k - 4.5, equal.value[k] = 2;
  for (int k = 0; k < 8; ++k) half.value[k] = 3 * k;
  expect_laws<best_16>({best_16::zero(), best_16::one(), full, half, equal, best_16::of(-7)});
  expect_laws<best_1>({{0}, {1}, {0.5}, {4}, {3}});
}

// They are no more than they say: a + a is not a, and a sum is neither of two.
TEST(counting, facts) {
  EXPECT_FALSE(is_idempotent<longest> || is_selective<longest> || is_idempotent<best_3> || is_selective<best_3>);
  EXPECT_FALSE(closed_semiring<longest> || closed_semiring<best_3> || closed_semiring<counts>);
  EXPECT_TRUE(full_semiring<longest> && full_semiring<best_16> && full_semiring<modulo> && full_semiring<counts>);
  EXPECT_TRUE(is_commutative<longest> && is_commutative<best_3>);
  EXPECT_NE(longest::add({1, 1}, {1, 1}), (longest::accumulator{1, 1}));
  EXPECT_NE(best_3::add({1, 0, 0}, {1, 0, 0}), (best_3::accumulator{1, 0, 0}));
  EXPECT_TRUE(std::is_trivially_copyable_v<longest::value_type> && std::is_trivially_copyable_v<best_16::value_type> &&
              std::is_trivially_copyable_v<modulo::value_type>);
}

}  // namespace
}  // namespace kleene::counting_test
