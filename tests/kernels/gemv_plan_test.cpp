// How a CUDA device cuts up a product of a matrix and a vector: every row and every step of k is somebody's.
#include "kleene/kernels/cuda/gemv/plan.hpp"

#include <gtest/gtest.h>

namespace kleene::kernels::cuda {
namespace {

gemv_facts row_major(index_t rows, index_t depth, int vector = 4) {
  return {rows, depth, depth, 1, 1, vector, true, 132};
}
gemv_facts column_major(index_t rows, index_t depth, int vector = 4) {
  return {rows, depth, 1, rows, 1, vector, true, 132};
}

TEST(gemv_plan, covers_every_shape) {
  for (const index_t rows : {1, 2, 3, 31, 128, 1000, 8192, 1 << 20, 1 << 30})
    for (const index_t depth : {0, 1, 3, 8, 100, 4096, 8192, 1 << 24})
      for (const auto& facts : {row_major(rows, depth), column_major(rows, depth), row_major(rows, depth, 1)}) {
        const gemv_plan p = plan_gemv(facts);
        EXPECT_GE(p.tile * p.tiles, rows);
        EXPECT_LT(p.tile * (p.tiles - 1), rows);
        EXPECT_GE(p.part * p.parts, depth);
        EXPECT_LT(p.part * (p.parts - 1), std::max<index_t>(depth, 1));
        EXPECT_LE(p.parts, 65535);
        EXPECT_LE(p.lanes(), gemv_threads);
        if (p.by_rows) {
          EXPECT_EQ(p.part % (p.lanes() * p.vector), 0);  // loads of every part are aligned
        }
      }
}

TEST(gemv_plan, layouts_decide_the_loop) {
  EXPECT_TRUE(plan_gemv(row_major(100, 100)).by_rows);
  EXPECT_FALSE(plan_gemv(column_major(100, 100)).by_rows);
  EXPECT_TRUE(plan_gemv(column_major(1, 100)).by_rows);
  EXPECT_FALSE(plan_gemv(row_major(100, 1)).by_rows);
  EXPECT_EQ(plan_gemv(row_major(100, 100)).vector, 4);
  EXPECT_EQ(plan_gemv(row_major(100, 101)).vector, 1);     // rows that are not aligned
  EXPECT_EQ(plan_gemv(column_major(101, 100)).vector, 1);  // columns
  EXPECT_EQ(plan_gemv(row_major(1, 101)).vector, 4);       // there is only one
  gemv_facts facts = row_major(100, 100);
  facts.x_stride = 2;
  EXPECT_EQ(plan_gemv(facts).vector, 1);
  facts = column_major(100, 100);
  facts.x_stride = 2;
  EXPECT_EQ(plan_gemv(facts).vector, 4);
  facts.aligned = false;
  EXPECT_EQ(plan_gemv(facts).vector, 1);
}

// Large squares need no second kernel by rows; few rows, or columns in tiles of 128, are cut along k until there are
// blocks for every multiprocessor.
TEST(gemv_plan, blocks_for_every_multiprocessor) {
  for (const index_t n : {4096, 8192, 16384}) {
    EXPECT_EQ(plan_gemv(row_major(n, n)).parts, 1) << n;
    EXPECT_GE(plan_gemv(row_major(n, n)).tiles, 4 * 132) << n;
    const gemv_plan p = plan_gemv(column_major(n, n));
    EXPECT_GE(p.tiles * p.parts, 4 * 132) << n;
  }
  EXPECT_GE(plan_gemv(row_major(1, 1 << 24)).parts, 4 * 132);
  EXPECT_GE(plan_gemv(column_major(16, 1 << 24)).parts, 4 * 132);
  EXPECT_EQ(plan_gemv(column_major(1 << 20, 64)).parts, 1);
}

}  // namespace
}  // namespace kleene::kernels::cuda
