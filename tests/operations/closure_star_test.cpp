// Closures of idempotent algebras in which going round a loop again adds something: their star is not one().
#include "kleene/operations/closure.inl.hpp"

#include "kleene/algebra/semiring.hpp"
#include "kleene/kernels/reference/closure.hpp"
#include "support/equal.hpp"

#include <array>
#include <random>
#include <span>

namespace kleene::test {
namespace {

// The two best distinct lengths of walks: one() is { 0 }, and with a loop of 5 the star is { 0, 5 }.
struct two_lengths {
  std::uint16_t first, second;
  friend bool operator==(const two_lengths&, const two_lengths&) = default;
};
struct two_best {
  using value_type = two_lengths;
  static constexpr const char* name = "two best lengths";
  static constexpr bool is_idempotent = true, is_selective = false, is_commutative = true;
  static constexpr std::uint16_t none = 0xffff;
  static constexpr two_lengths zero() { return {none, none}; }
  static constexpr two_lengths one() { return {0, none}; }
  static constexpr two_lengths with(two_lengths a, unsigned length) {
    const auto x = static_cast<std::uint16_t>(std::min<unsigned>(length, none));
    if (x < a.first) return {x, a.first};
    if (x > a.first && x < a.second) return {a.first, x};
    return a;
  }
  static constexpr two_lengths add(two_lengths a, two_lengths b) { return with(with(a, b.first), b.second); }
  static constexpr unsigned sum(unsigned a, unsigned b) { return a == none || b == none ? none : a + b; }
  static constexpr two_lengths mul(two_lengths a, two_lengths b) {
    two_lengths all = zero();
    for (const unsigned x : {a.first, a.second})
      for (const unsigned y : {b.first, b.second}) all = with(all, sum(x, y));
    return all;
  }
  static constexpr bool star_exists(two_lengths) { return true; }
  static constexpr two_lengths star(two_lengths a) { return {0, a.first > 0 ? a.first : a.second}; }
};

// Sets of residues of 8, as bits: + is the union, x adds all pairs. What walks weigh, modulo 8.
struct residues {
  using value_type = std::uint8_t;
  static constexpr const char* name = "sets of residues";
  static constexpr bool is_idempotent = true, is_selective = false, is_commutative = true;
  static constexpr std::uint8_t zero() { return 0; }
  static constexpr std::uint8_t one() { return 1; }
  static constexpr std::uint8_t add(std::uint8_t a, std::uint8_t b) { return a | b; }
  static constexpr std::uint8_t mul(std::uint8_t a, std::uint8_t b) {
    unsigned all = 0;
    for (int i = 0; i < 8; ++i)
      if (a >> i & 1) all |= (b << i | b >> (8 - i)) & 0xff;
    return static_cast<std::uint8_t>(all);
  }
  static constexpr std::uint8_t star(std::uint8_t a) {
    std::uint8_t all = 1;
    for (int i = 0; i < 8; ++i) all = add(all, mul(all, a));
    return all;
  }
};

// The same sets without a word of their star.
struct residues_without_star : residues {
  static std::uint8_t star(std::uint8_t) = delete;
};

// A* as the least solution of X = I + A X, by plain loops.
template <class S>
matrix<value_of<S>> by_iteration(const matrix<value_of<S>>& a) {
  const index n = a.rows();
  matrix<value_of<S>> x(n, n, S::zero());
  for (bool changed = true; changed;) {
    changed = false;
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) {
        value_of<S> sum = i == j ? S::one() : S::zero();
        for (index k = 0; k < n; ++k) sum = S::add(sum, S::mul(a(i, k), x(k, j)));
        changed |= !(sum == x(i, j));
        x(i, j) = sum;
      }
  }
  return x;
}

template <class S>
index differences(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b) {
  index wrong = 0;
  for (index i = 0; i < a.rows(); ++i)
    for (index j = 0; j < a.cols(); ++j) wrong += !(a(i, j) == b(i, j));
  return wrong;
}

// A graph with loops; each vertex has about `degree` arcs.
template <class S, class Weight>
matrix<value_of<S>> graph(index n, int degree, const Weight& weight) {
  std::mt19937 random(7);
  matrix<value_of<S>> a(n, n, S::zero());
  for (index i = 0; i < n; ++i)
    for (int e = 0; e < degree; ++e) a(i, static_cast<index>(random() % static_cast<unsigned>(n))) = weight(random());
  return a;
}
matrix<two_lengths> lengths(index n) {
  return graph<two_best>(n, 3,
                         [](unsigned r) { return two_lengths{static_cast<std::uint16_t>(r % 20), two_best::none}; });
}
matrix<std::uint8_t> sets(index n) {
  return graph<residues>(n, 2, [](unsigned r) { return static_cast<std::uint8_t>(r % 4 == 0 ? 1 << 4 | 1 : 1 << 2); });
}

template <class S>
void expect_closed(const matrix<value_of<S>>& a) {
  const matrix<value_of<S>> want = by_iteration<S>(a);
  matrix<value_of<S>> reference = a;
  EXPECT_EQ(kernels::reference::closure<S>(reference.view()).state, status::ok);
  EXPECT_EQ(differences<S>(reference, want), 0) << "reference, n = " << a.rows();
  for (const index block : {0, 64, 70}) {
    matrix<value_of<S>> closed = a;
    EXPECT_TRUE(closure(context::cpu({.threads = 2}), S{}, closed, {.block = block}).exists);
    EXPECT_EQ(differences<S>(closed, want), 0) << "n = " << a.rows() << ", blocks of " << block;
  }
}

// 0 -> 1: 3, 1 -> 1: 5, 1 -> 2: 4. Walks from 0 to 2 have lengths 7, 12, 17, ...
TEST(closure_star, second_best_walks_go_round_a_loop_by_hand) {
  const auto far = two_best::none;
  matrix<two_lengths> a(3, 3, two_best::zero());
  a(0, 1) = {3, far}, a(1, 1) = {5, far}, a(1, 2) = {4, far};
  ASSERT_TRUE(closure(context::cpu(), two_best{}, a).exists);
  EXPECT_TRUE((a(0, 2) == two_lengths{7, 12}));
  EXPECT_TRUE((a(0, 1) == two_lengths{3, 8}));
  EXPECT_TRUE((a(1, 1) == two_lengths{0, 5}));
  EXPECT_TRUE((a(0, 0) == two_best::one()));
}

// 0 -> 0 weighs 2: walks from 0 to 0 weigh 0, 2, 4 and 6 modulo 8.
TEST(closure_star, sets_are_generated_by_hand) {
  matrix<std::uint8_t> a{{0b100, 0b10}, {0, 0}};
  ASSERT_TRUE(closure(context::cpu(), residues{}, a).exists);
  EXPECT_TRUE(equal(a, matrix<std::uint8_t>{{0b01010101, 0b10101010}, {0, 1}}));
}

TEST(closure_star, the_star_is_honoured_in_every_block) {
  for (const index n : {1, 5, 40, 64, 65, 150}) {
    expect_closed<two_best>(lengths(n));
    expect_closed<residues>(sets(n));
  }
}

TEST(closure_star, batches_honour_it_too) {
  constexpr index count = 5, n = 40;
  const matrix<two_lengths> a = lengths(n), want = by_iteration<two_best>(a);
  batch<two_lengths> all(count, n, n);
  for (index b = 0; b < count; ++b) std::copy_n(a.data(), n * n, &all(b, 0, 0));
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), two_best{}, all).exists);
  for (index b = 0; b < count; ++b) {
    matrix<two_lengths> closed(n, n);
    std::copy_n(&all(b, 0, 0), n * n, closed.data());
    EXPECT_EQ(differences<two_best>(closed, want), 0) << b;
  }
}

// Nobody can tell then what a loop of 2 gives: never a wrong set.
TEST(closure_star, without_a_star_a_loop_that_adds_something_has_no_closure) {
  static_assert(closed_semiring<residues_without_star> && has_unit_star<residues_without_star> &&
                !has_unit_star<residues>);
  matrix<std::uint8_t> loop{{0, 0, 0}, {0, 0b100, 0}, {0, 0, 0}}, none{{0, 0b10}, {0, 0}};
  const closure_info info = closure(context::cpu(), residues_without_star{}, loop);
  EXPECT_FALSE(info.exists);
  EXPECT_EQ(info.diverging, 1);
  ASSERT_TRUE(closure(context::cpu(), residues_without_star{}, none).exists);
  EXPECT_TRUE(equal(none, matrix<std::uint8_t>{{1, 0b10}, {0, 1}}));
}

// star_exists() of the algebra is asked first: here loops that weigh nothing but 0.
struct residues_of_zero : residues {
  static constexpr bool star_exists(std::uint8_t a) { return a <= 1; }
};
TEST(closure_star, an_algebra_says_where_its_star_exists) {
  matrix<std::uint8_t> loop{{0b100}}, rest{{1}};
  EXPECT_FALSE(closure(context::cpu(), residues_of_zero{}, loop).exists);
  EXPECT_TRUE(closure(context::cpu(), residues_of_zero{}, rest).exists);
}

// A pair of functors with facts: the Lukasiewicz product keeps what two links of a chain may lose together.
struct both_hold {
  float operator()(float a, float b) const { return std::max(0.0f, a + b - 1); }
};
struct of_trust {
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return 0; }
  static constexpr float one() { return 1; }
};
TEST(closure_star, a_pair_of_functors_with_facts_has_a_closure) {
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
TEST(closure_star, a_pair_of_functors_may_state_its_star) {
  using numbers = semiring<sum, product, double, of_numbers>;
  matrix<double> a{{0.5, 1}, {0, 0.75}}, far{{1}};
  ASSERT_TRUE(closure(context::cpu(), numbers{}, a).exists);
  EXPECT_TRUE(equal(a, matrix<double>{{2, 8}, {0, 4}}));
  EXPECT_FALSE(closure(context::cpu(), numbers{}, far).exists);
}

}  // namespace
}  // namespace kleene::test
