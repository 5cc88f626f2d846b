#include "kleene/data/integers.hpp"

#include "kleene/data/splitmix64.hpp"
#include "kleene/gpu/host/workspace.hpp"

#include <gtest/gtest.h>

namespace kleene {
namespace {

TEST(integers, division_upwards) {
  EXPECT_EQ(ceil_div(0, 8), 0);
  EXPECT_EQ(ceil_div(1, 8), 1);
  EXPECT_EQ(ceil_div(8, 8), 1);
  EXPECT_EQ(ceil_div(9, 8), 2);
  EXPECT_EQ(ceil_div(index_t{9223372036854775807}, 2), 4611686018427387904);  // one more than half would wrap
  EXPECT_EQ(ceil_div(9u, std::size_t{4}), 3u);
}

TEST(integers, rounding_upwards) {
  EXPECT_EQ(round_up(0, 16), 0);
  EXPECT_EQ(round_up(1, 16), 16);
  EXPECT_EQ(round_up(32, 16), 32);
  EXPECT_EQ(round_up(index_t{33}, 16), 48);
}

TEST(integers, products_stop_before_they_wrap) {
  EXPECT_EQ(saturating_product(0, 9223372036854775807), 0);
  EXPECT_EQ(saturating_product(3, 5), 15);
  EXPECT_EQ(saturating_product(index_t{1} << 40, index_t{1} << 40), 2305843009213693951);
}

// The first outputs from seed 1234567, as the authors' C code gives them.
TEST(splitmix64, known_outputs) {
  splitmix64 random{1234567};
  EXPECT_EQ(random(), 6457827717110365317u);
  EXPECT_EQ(random(), 3203168211198807973u);
  EXPECT_EQ(random(), 9817491932198370423u);
}

TEST(workspace_layout, arrays_lie_apart_and_aligned) {
  gpu::workspace_layout layout;
  const auto chars = layout.add<char>(3);
  const auto none = layout.add<double>(0);
  const auto words = layout.add<std::int32_t>(65);
  const auto last = layout.add<double>(1);
  EXPECT_EQ(layout.bytes(), 256u + 512u + 256u);
  alignas(8) char memory[1024];
  EXPECT_EQ(chars.in(memory), memory);
  EXPECT_EQ(reinterpret_cast<char*>(none.in(memory)), memory + 256);
  EXPECT_EQ(reinterpret_cast<char*>(words.in(memory)), memory + 256);
  EXPECT_EQ(reinterpret_cast<char*>(last.in(memory)), memory + 768);
}

}  // namespace
}  // namespace kleene
