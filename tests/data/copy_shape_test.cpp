// Copies as the fewest loops.
#include "kleene/data/detail/copy_shape.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kleene::detail {
namespace {

using three = std::array<index_t, 3>;

// Which element goes where, by the loops and by the shape that is made of them.
std::map<index_t, index_t> moves(const three& extents, const three& from, const three& to) {
  std::map<index_t, index_t> all;
  for (index_t b = 0; b < extents[0]; ++b)
    for (index_t i = 0; i < extents[1]; ++i)
      for (index_t j = 0; j < extents[2]; ++j)
        all[b * to[0] + i * to[1] + j * to[2]] = b * from[0] + i * from[1] + j * from[2];
  return all;
}

TEST(copy_shape, a_contiguous_batch_is_one_run) {
  const copy_shape run{{1, 1, 200000 * 64 * 64}, {0, 0, 1}, {0, 0, 1}};
  EXPECT_EQ(shape_of_copy({200000, 64, 64}, {4096, 64, 1}, {4096, 64, 1}), run);
  EXPECT_EQ(shape_of_copy({200000, 64, 64}, {4096, 1, 64}, {4096, 1, 64}), run);  // columns on both sides
}

TEST(copy_shape, padded_sides_are_lines_of_runs) {
  EXPECT_EQ(shape_of_copy({1000, 7, 5}, {35, 5, 1}, {56, 8, 1}), (copy_shape{{1, 7000, 5}, {0, 5, 1}, {0, 8, 1}}));
  EXPECT_EQ(shape_of_copy({1000, 7, 5}, {40, 5, 1}, {50, 5, 1}), (copy_shape{{1, 1000, 35}, {0, 40, 1}, {0, 50, 1}}));
  EXPECT_EQ(shape_of_copy({1000, 7, 5}, {80, 8, 1}, {90, 9, 1}), (copy_shape{{1000, 7, 5}, {80, 8, 1}, {90, 9, 1}}));
}

TEST(copy_shape, loops_of_one_step_are_dropped) {
  EXPECT_EQ(shape_of_copy({1, 1, 1}, {9, 8, 7}, {6, 5, 4}), (copy_shape{{1, 1, 1}, {0, 0, 1}, {0, 0, 1}}));
  EXPECT_EQ(shape_of_copy({1, 6, 1}, {9, 8, 7}, {6, 5, 4}), (copy_shape{{1, 1, 6}, {0, 0, 8}, {0, 0, 5}}));
  EXPECT_EQ(shape_of_copy({6, 1, 4}, {4, 99, 1}, {4, 99, 1}), (copy_shape{{1, 1, 24}, {0, 0, 1}, {0, 0, 1}}));
}

TEST(copy_shape, broadcasts_and_transposes_keep_their_loops) {
  EXPECT_EQ(shape_of_copy({5, 3, 2}, {0, 2, 1}, {6, 2, 1}), (copy_shape{{1, 5, 6}, {0, 0, 1}, {0, 6, 1}}));
  EXPECT_EQ(shape_of_copy({1, 3, 2}, {0, 2, 1}, {0, 1, 3}), (copy_shape{{1, 2, 3}, {0, 1, 2}, {0, 3, 1}}));
  EXPECT_FALSE(shape_of_copy({1, 3, 2}, {0, 2, 1}, {0, 1, 3}).has_runs());
}

TEST(copy_shape, moves_the_same_elements) {
  const index_t strides[] = {-12, -1, 0, 1, 3, 4, 12, 20};
  for (const three& extents : {three{2, 3, 4}, three{1, 3, 4}, three{3, 4, 1}, three{4, 1, 3}})
    for (index_t x : strides)
      for (index_t y : strides)
        for (index_t z : strides) {
          const three to{12, 4, 1}, from{x, y, z};
          const copy_shape s = shape_of_copy(extents, from, to);
          EXPECT_EQ(moves(s.extents, s.from, s.to), moves(extents, from, to)) << x << " " << y << " " << z;
          EXPECT_EQ(s.count(), extents[0] * extents[1] * extents[2]);
        }
}

}  // namespace
}  // namespace kleene::detail
