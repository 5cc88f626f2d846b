// Closures over sets, whose star is the set of all sums of its elements.
#include "support/least_solution.hpp"

namespace kleene::test::closure_sets_test {
namespace {

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

matrix<std::uint8_t> sets(index_t n) {
  return graph<residues>(n, 2, [](unsigned r) { return static_cast<std::uint8_t>(r % 4 == 0 ? 1 << 4 | 1 : 1 << 2); });
}

// 0 -> 0 weighs 2: walks from 0 to 0 weigh 0, 2, 4 and 6 modulo 8.
TEST(closure_star, sets_are_generated_by_hand) {
  matrix<std::uint8_t> a{{0b100, 0b10}, {0, 0}};
  ASSERT_TRUE(closure(context::cpu(), residues{}, a).exists);
  EXPECT_TRUE(equal(a, matrix<std::uint8_t>{{0b01010101, 0b10101010}, {0, 1}}));
}

TEST(closure_star, sets_are_generated_in_every_block) {
  for (const index_t n : {1, 5, 40, 64, 65, 150}) expect_closed<residues>(sets(n));
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

}  // namespace
}  // namespace kleene::test::closure_sets_test
