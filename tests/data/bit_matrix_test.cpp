// Packed bits: extents that no memory has.
#include "kleene/data/bit_matrix.hpp"

#include "support/equal.hpp"

#include <limits>

namespace kleene::test::bit_matrix_test {
namespace {

TEST(bit_matrix, extents_that_no_memory_has_are_refused) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  const auto said = [](auto call) { return refusal<shape_error>(fault_code::bad_input, call); };
  bit_matrix a(3, 200);
  EXPECT_EQ(said([&] { (void)a.view().block(1, 64, most, 1); }),
            "a block of 9223372036854775807 x 1 bits at (1, 64) reaches outside its matrix, which is 3 x 200");
  EXPECT_TRUE(contains(said([&] { (void)a.view().block(0, 64, 1, most); }), "reaches outside"));
  EXPECT_TRUE(contains(said([&] { (void)a.view().block(0, 3, 1, 1); }), "multiple of 64"));
  EXPECT_TRUE(contains(said([&] { (void)bit_view<bit>(a.view().data(), 3, -1); }), "-1"));
  EXPECT_TRUE(contains(said([&] { (void)bit_view<bit>(a.view().data(), most, most); }), "too large to be counted"));
  EXPECT_TRUE(contains(said([&] { (void)bit_view<bit>(a.view().data(), 3, 64, most); }), "further than memory"));
  EXPECT_EQ(words_for(most), (most - 63) / 64 + 1);
  (void)refusal<error>(fault_code::memory, [] { bit_matrix(index_t{1} << 40, index_t{1} << 40); });
}

}  // namespace
}  // namespace kleene::test::bit_matrix_test
