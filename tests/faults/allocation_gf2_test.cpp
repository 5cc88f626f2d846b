// Every allocation of linear algebra over GF(2) fails in turn: refused, with nothing written.
#include "kleene/operations/gf2.hpp"

#include "faults/failing_new.hpp"

#include <random>

namespace kleene::test {
namespace {

// n x n bits of which all rows but the last `singular` ones are independent.
matrix<bit_word> draw_words(index_t n, index_t singular) {
  std::mt19937_64 random(7);
  matrix<bit_word> words(n, words_for(n));
  const bit_view<bit> bits(words.data(), n, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = i; j < n; ++j) bits.set(i, j, j == i ? i < n - singular : i < n - singular && random() % 2 == 0);
  return words;
}
bit_view<bit> square_of(matrix<bit_word>& words) { return {words.data(), words.rows(), words.rows()}; }

using gf2_field = xor_and<bit>;

TEST(allocation, linear_algebra_over_gf2) {
  constexpr index_t n = 600;
  matrix<bit_word> regular = draw_words(n, 0), singular = draw_words(n, 5);
  output<bit_word> reduced(singular), x(matrix<bit_word>(n, words_for(n), 3));
  EXPECT_GT(
      each_allocation_fails([&](const context& ctx) { EXPECT_EQ(rank(ctx, gf2_field{}, square_of(singular)), n - 5); }),
      3);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  EXPECT_EQ(std::ssize(row_reduce(ctx, gf2_field{}, square_of(reduced.value))), n - 5);
                },
                reduced),
            3);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  EXPECT_TRUE(inverse(ctx, gf2_field{}, square_of(regular), square_of(x.value)).exists);
                },
                x),
            3);
  EXPECT_GT(
      each_allocation_fails(
          [&](const context& ctx) {
            EXPECT_TRUE(solve(ctx, gf2_field{}, square_of(regular), square_of(singular), square_of(x.value)).exists);
          },
          x),
      3);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) { EXPECT_EQ(null_space(ctx, gf2_field{}, square_of(singular)).rows(), 5); }),
            3);
}

}  // namespace
}  // namespace kleene::test
