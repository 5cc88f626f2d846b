#include "kleene/kernels/cuda/closure/predecessors/best_arc_room.hpp"

#include <gtest/gtest.h>

namespace kleene::kernels::cuda {
namespace {

TEST(best_arc_room, is_all_of_small_graphs_and_a_sixteenth_of_large_ones) {
  EXPECT_EQ(best_arc_room(0), 0);
  EXPECT_EQ(best_arc_room(1), 1);
  EXPECT_EQ(best_arc_room(1024), 1048576);
  EXPECT_EQ(best_arc_room(2100), 1048576);
  EXPECT_EQ(best_arc_room(65536), 268435456);
  EXPECT_EQ(best_arc_room(2147483647), 4294967295);
}

TEST(best_arc_room, holds_all_arcs_into_one_vertex) {
  for (index_t n = 1; n < (index_t{1} << 31); n = n * 5 / 4 + 1) {
    EXPECT_GE(best_arc_room(n), n) << n;
    EXPECT_LE(best_arc_room(n), 0xffffffff) << n;
  }
  EXPECT_GE(best_arc_room(2147483647), 2147483647);
}

}  // namespace
}  // namespace kleene::kernels::cuda
