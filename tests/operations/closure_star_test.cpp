// Closures of idempotent algebras in which going round a loop again adds something: their star is not one(). Here the
// two best lengths of walks; sets in closure_sets_test.cpp.
#include "support/least_solution.hpp"

namespace kleene::test::closure_star_test {
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

matrix<two_lengths> lengths(index_t n) {
  return graph<two_best>(n, 3,
                         [](unsigned r) { return two_lengths{static_cast<std::uint16_t>(r % 20), two_best::none}; });
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

TEST(closure_star, the_star_is_honoured_in_every_block) {
  for (const index_t n : {1, 5, 40, 64, 65, 150}) expect_closed<two_best>(lengths(n));
}

TEST(closure_star, batches_honour_it_too) {
  constexpr index_t count = 5, n = 40;
  const matrix<two_lengths> a = lengths(n), want = by_iteration<two_best>(a);
  batch<two_lengths> all(count, n, n);
  for (index_t b = 0; b < count; ++b) std::copy_n(a.data(), n * n, &all(b, 0, 0));
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), two_best{}, all).exists);
  for (index_t b = 0; b < count; ++b) {
    matrix<two_lengths> closed(n, n);
    std::copy_n(&all(b, 0, 0), n * n, closed.data());
    EXPECT_EQ(differences<two_best>(closed, want), 0) << b;
  }
}

}  // namespace
}  // namespace kleene::test::closure_star_test
