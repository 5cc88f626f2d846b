// Closures over pairs of functors that state their facts.
#include "kleene/algebra/semiring.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "support/equal.hpp"

#include <algorithm>

namespace kleene::test::closure_pairs_test {
namespace {

// A pair of functors with facts: the Lukasiewicz product keeps what two links of a chain may lose together.
struct both_hold {
  float operator()(float a, float b) const { return std::max(0.0f, a + b - 1); }
};
struct of_trust {
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return 0; }
  static constexpr float one() { return 1; }
};
TEST(closure_pairs, a_pair_of_functors_with_facts_has_a_closure) {
  using trust = semiring<ops::max, both_hold, float, of_trust>;
  matrix<float> a{{0, 0.75f, 0.25f}, {0, 0, 0.75f}, {0, 0, 0}};
  matrix<std::int32_t> p(3, 3);
  ASSERT_TRUE(closure(context::cpu(), trust{}, a, p).exists);
  EXPECT_TRUE(equal(a, matrix<float>{{1, 0.75f, 0.5f}, {0, 1, 0.75f}, {0, 0, 1}}));
  EXPECT_EQ(p(0, 2), 1);
}

// Without idempotence a star is what it takes: 1 + a + a^2 + ... = 1 / (1 - a), of functors that nobody has seen.
struct sum {
  double operator()(double a, double b) const { return a + b; }
};
struct product {
  double operator()(double a, double b) const { return a * b; }
};
struct of_numbers {
  static constexpr double zero() { return 0; }
  static constexpr double one() { return 1; }
  static constexpr double star(double a) { return 1 / (1 - a); }
  static constexpr bool star_exists(double a) { return a < 1; }
};
TEST(closure_pairs, a_pair_of_functors_may_state_its_star) {
  using numbers = semiring<sum, product, double, of_numbers>;
  matrix<double> a{{0.5, 1}, {0, 0.75}}, far{{1}};
  ASSERT_TRUE(closure(context::cpu(), numbers{}, a).exists);
  EXPECT_TRUE(equal(a, matrix<double>{{2, 8}, {0, 4}}));
  EXPECT_FALSE(closure(context::cpu(), numbers{}, far).exists);
}

// Facts beside a pair that Kleene ships leave it that algebra's arithmetic, if its zero is the same.
struct of_minima {
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
};
struct of_small_minima : of_minima {
  static constexpr float zero() { return 100; }
};
static_assert(std::is_same_v<arithmetic_of<semiring<ops::min, ops::plus, float, of_minima>>, min_plus<float>>);
using small_minima = semiring<ops::min, ops::plus, float, of_small_minima>;
static_assert(std::is_same_v<arithmetic_of<small_minima>, small_minima>);
using integer_minima = semiring<ops::min, ops::plus, int, of_minima>;  // its infinity is INT_MAX, ours leaves room
static_assert(std::is_same_v<arithmetic_of<integer_minima>, integer_minima>);

}  // namespace
}  // namespace kleene::test::closure_pairs_test
