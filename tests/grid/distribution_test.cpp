// The block-cyclic layout against the ScaLAPACK Users' Guide and by hand.
#include "kleene/grid/distribution.hpp"

#include <gtest/gtest.h>

namespace kleene {
namespace {

// "Example: a 9 x 9 matrix in blocks of 2 x 2 on a 2 x 3 grid": local arrays of 5 or 4 rows and 4, 3 or 2 columns.
TEST(distribution, nine_by_nine_of_the_users_guide) {
  const cyclic_axis rows{9, 2, 0, 2}, cols{9, 2, 0, 3};
  EXPECT_EQ(rows.numroc(0), 5);
  EXPECT_EQ(rows.numroc(1), 4);
  EXPECT_EQ(cols.numroc(0), 4);
  EXPECT_EQ(cols.numroc(1), 3);
  EXPECT_EQ(cols.numroc(2), 2);
  EXPECT_EQ(rows.blocks(), 5);
  // Row 8 is the last of process row 0; column 6 starts process column 0's second block.
  EXPECT_EQ(rows.indxg2p(8), 0);
  EXPECT_EQ(rows.indxg2l(8), 4);
  EXPECT_EQ(cols.indxg2p(6), 0);
  EXPECT_EQ(cols.indxg2l(6), 2);
  EXPECT_EQ(cols.indxl2g(3, 0), 7);
  EXPECT_EQ(cols.indxl2g(2, 1), 8);
}

TEST(distribution, the_first_block_may_be_anywhere) {
  const cyclic_axis axis{10, 3, 2, 3};  // blocks 012 345 678 9 on processes 2, 0, 1, 2
  EXPECT_EQ(axis.numroc(0), 3);
  EXPECT_EQ(axis.numroc(1), 3);
  EXPECT_EQ(axis.numroc(2), 4);
  EXPECT_EQ(axis.indxg2p(0), 2);
  EXPECT_EQ(axis.indxg2p(5), 0);
  EXPECT_EQ(axis.indxg2p(9), 2);
  EXPECT_EQ(axis.indxg2l(9), 3);
  EXPECT_EQ(axis.indxl2g(3, 2), 9);
}

// Every index is at one process, and there local and global indices are in the same order.
TEST(distribution, every_index_has_one_place) {
  for (const index_t extent : {0, 1, 2, 7, 16, 23})
    for (const index_t block : {1, 2, 5, 30})
      for (const int processes : {1, 2, 3, 4})
        for (int source = 0; source < processes; ++source) {
          const cyclic_axis axis{extent, block, source, processes};
          std::vector<index_t> next(processes, 0);
          for (index_t i = 0; i < extent; ++i) {
            const int p = axis.indxg2p(i);
            ASSERT_EQ(axis.numroc(p, i), next[p]);
            ASSERT_EQ(axis.indxg2l(i), next[p]++);
            ASSERT_EQ(axis.indxl2g(axis.indxg2l(i), p), i);
          }
          for (int p = 0; p < processes; ++p) {
            ASSERT_EQ(axis.numroc(p), next[p]);
            index_t seen = 0;
            axis.for_each_run(p, [&](index_t local, index_t global, index_t count) {
              ASSERT_EQ(local, seen);
              for (index_t i = 0; i < count; ++i) ASSERT_EQ(axis.indxl2g(seen++, p), global + i);
            });
            ASSERT_EQ(seen, axis.numroc(p));
          }
        }
}

}  // namespace
}  // namespace kleene
