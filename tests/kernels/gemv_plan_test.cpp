// How a CUDA device cuts up a product of a matrix and a vector: every row and every step of k is somebody's.
#include "kleene/kernels/cuda/gemv/plan.hpp"

#include <gtest/gtest.h>

namespace kleene::kernels::cuda {
namespace {

gemv_facts row_major(index_t rows, index_t depth, int vector = 4) {
  return {rows, depth, depth, 1, 1, vector, true, 132};
}
// Sums that are dear (log_plus over doubles).
gemv_facts row_a_warp(index_t rows, index_t depth, int vector = 2) {
  gemv_facts f = row_major(rows, depth, vector);
  f.keeps_to_warps = true;
  return f;
}
gemv_facts looked_at(index_t rows, index_t depth) {
  gemv_facts f = row_major(rows, depth);
  f.looks = true;
  return f;
}
gemv_facts column_major(index_t rows, index_t depth, int vector = 4) {
  return {rows, depth, 1, rows, 1, vector, true, 132};
}

TEST(gemv_plan, covers_every_shape) {
  for (const index_t rows : {1, 2, 3, 31, 128, 1000, 8192, 1 << 20, 1 << 30})
    for (const index_t depth : {0, 1, 3, 8, 100, 4096, 8192, 1 << 24})
      for (const auto& facts : {row_major(rows, depth), column_major(rows, depth), row_major(rows, depth, 1),
                                row_a_warp(rows, depth), looked_at(rows, depth)}) {
        const gemv_plan p = plan_gemv(facts);
        EXPECT_GE(p.tile * p.tiles, rows);
        EXPECT_LT(p.tile * (p.tiles - 1), rows);
        EXPECT_GE(p.part * p.parts, depth);
        EXPECT_LT(p.part * (p.parts - 1), std::max<index_t>(depth, 1));
        EXPECT_LE(p.parts, 65535);
        EXPECT_LE(p.lanes(), gemv_threads);
        if (p.by_rows) {
          EXPECT_TRUE(p.rows_together == 1 || p.rows_together == gemv_rows_together);
          EXPECT_LE(p.lanes(), p.rows_together == 1 ? 32 : gemv_threads);
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

// Large squares need no second kernel by rows; few rows, or columns, are cut along k until there are blocks for every
// multiprocessor.
TEST(gemv_plan, blocks_for_every_multiprocessor) {
  for (const index_t n : {4096, 8192, 16384}) {
    EXPECT_EQ(plan_gemv(row_major(n, n)).parts, 1) << n;
    EXPECT_GE(plan_gemv(row_major(n, n)).tiles, 3.5 * 132) << n;
    const gemv_plan p = plan_gemv(column_major(n, n));
    EXPECT_GE(p.tiles * p.parts, 1.9 * 132) << n;
  }
  EXPECT_GE(plan_gemv(row_major(1, 1 << 24)).parts, 4 * 132);
  EXPECT_GE(plan_gemv(column_major(16, 1 << 24)).parts, 4 * 132);
  EXPECT_EQ(plan_gemv(column_major(1 << 20, 64)).parts, 1);
}

// Long rows are a thread's one by one: of values that are looked at, only where they are very long or few.
TEST(gemv_plan, rows_of_a_thread) {
  const auto together = [](const gemv_facts& f) { return plan_gemv(f).rows_together; };
  EXPECT_EQ(together(row_major(16384, 16384)), 1);
  EXPECT_EQ(together(row_major(16384, 256)), 1);
  EXPECT_EQ(together(row_major(16384, 252)), 4);
  EXPECT_EQ(together(row_major(16384, 16384, 1)), 4);  // elements one by one
  EXPECT_EQ(together(row_major(16384, 16383)), 4);     // rows that are not aligned
  EXPECT_EQ(together(row_major(3, 1 << 20)), 4);
  EXPECT_EQ(together(row_major(4, 1 << 20)), 1);
  EXPECT_EQ(together(looked_at(4096, 2048)), 1);
  EXPECT_EQ(together(looked_at(4096, 1024)), 4);
  EXPECT_EQ(together(looked_at(4095, 1024)), 1);
  EXPECT_EQ(together(looked_at(16384, 16384)), 4);
  EXPECT_EQ(together(row_a_warp(3, 5, 1)), 1);
  gemv_facts batch = looked_at(256, 256);
  EXPECT_EQ(together(batch), 1);
  batch.batch = 16;
  EXPECT_EQ(together(batch), 4);
  batch.looks = false;
  EXPECT_EQ(together(batch), 1);
  batch.batch = 64;
  EXPECT_EQ(together(batch), 4);
}

// Columns in parts of whole turns of their loads; in tiles of two lines of memory where those are few.
TEST(gemv_plan, columns_in_whole_turns) {
  for (const index_t rows : {100, 3000, 4096, 16384, 65536})
    for (const index_t depth : {7, 1000, 4096, 1 << 20}) {
      const gemv_plan p = plan_gemv(column_major(rows, depth));
      EXPECT_EQ(p.part % ((gemv_threads >> p.lanes_log2) * gemv_columns_together), 0) << rows << " x " << depth;
    }
  EXPECT_EQ(plan_gemv(column_major(4096, 4096)).lanes(), 16);
  EXPECT_EQ(plan_gemv(column_major(3000, 4096)).lanes(), 32);   // columns begin anywhere in a line
  EXPECT_EQ(plan_gemv(column_major(65536, 4096)).lanes(), 32);  // tiles enough
  gemv_facts batch = column_major(4096, 4096);
  batch.batch = 5;
  EXPECT_EQ(plan_gemv(batch).lanes(), 32);
}

// A batch has blocks enough without many for each matrix: rows are read by few lanes, columns are not cut.
TEST(gemv_plan, batches_share_the_multiprocessors) {
  gemv_facts rows = row_major(256, 256), columns = column_major(256, 256);
  EXPECT_EQ(plan_gemv(rows).tiles, 32);
  EXPECT_EQ(plan_gemv(rows).lanes(), 32);
  EXPECT_EQ(plan_gemv(columns).parts, 2);
  rows.batch = columns.batch = 4096;
  EXPECT_EQ(plan_gemv(rows).tiles, 2);
  EXPECT_EQ(plan_gemv(rows).lanes(), 8);
  EXPECT_EQ(plan_gemv(columns).parts, 1);
  rows.batch = 2;  // one long row each is cut all the same
  rows.rows = 1, rows.depth = 1 << 24;
  EXPECT_GE(plan_gemv(rows).parts, 4 * 132 / 2);
}

// Small matrices share blocks, each with threads for all of its rows, or columns: while blocks are enough.
TEST(gemv_plan, small_matrices_share_blocks) {
  gemv_facts rows = row_major(32, 32), columns = column_major(32, 32);
  for (const index_t batch : {1, 1000, 2110}) {
    rows.batch = columns.batch = batch;
    EXPECT_EQ(plan_gemv(rows).matrices(), 1) << batch;
    EXPECT_EQ(plan_gemv(columns).matrices(), 1) << batch;
  }
  rows.batch = columns.batch = 2112;  // two a block are 8 blocks for each of 132 multiprocessors
  EXPECT_EQ(plan_gemv(rows).matrices(), 2);
  EXPECT_EQ(plan_gemv(columns).matrices(), 2);
  rows.batch = columns.batch = 262144;
  EXPECT_EQ(plan_gemv(rows).matrices(), 4);     // 8 lanes for each of 8 times 4 rows
  EXPECT_EQ(plan_gemv(columns).matrices(), 8);  // 8 lanes for 32 rows, 4 times 8 columns
  for (const index_t m : {1, 2, 3, 8, 33, 100, 300})
    for (const index_t k : {1, 2, 7, 8, 33, 100, 300})
      for (gemv_facts facts :
           {row_major(m, k), column_major(m, k), row_major(m, k, 1), column_major(m, k, 1), row_a_warp(m, k)}) {
        facts.batch = 1 << 20;
        const gemv_plan p = plan_gemv(facts);
        const int threads = gemv_threads / p.matrices();
        EXPECT_LE(p.lanes(), threads);
        if (p.matrices() == 1) continue;
        EXPECT_EQ(p.parts, 1);
        EXPECT_EQ(p.tiles, 1);
        EXPECT_GE(p.tile, m);
        EXPECT_EQ(p.tile, p.by_rows ? threads / p.lanes() * p.rows_together : p.lanes() * p.vector);
      }
}

// Every tile of every matrix is one block's, whatever the grid's limits.
TEST(gemv_plan, blocks_go_through_a_batch) {
  for (const index_t batch : {1, 2, 7})
    for (const index_t tiles : {1, 3, 10})
      for (const index_t most : {1, 4, 1000}) {
        const gemv_grid grid{tiles, batch};
        index_t next = 0;
        ASSERT_LE(grid.x(most), most);
        ASSERT_LT(grid.x(most) * (grid.z(most) - 1), tiles * batch);
        for (index_t block = 0; block < grid.x(most) * grid.z(most); ++block) {
          const gemv_place at = place_of(grid, block);
          if (at.matrix >= batch || (batch == 1 && at.tile >= tiles)) continue;  // one of those that are too many
          EXPECT_EQ(at.matrix * tiles + at.tile, next++);
        }
        EXPECT_EQ(next, tiles * batch);
      }
  constexpr index_t many = index_t{1} << 40;
  EXPECT_EQ(place_of({3, many}, 3 * (many - 1) + 2).matrix, many - 1);
  EXPECT_EQ(place_of({3, many}, 3 * (many - 1) + 2).tile, 2);
  EXPECT_EQ(place_of({many, 3}, many + 5).matrix, 1);
  EXPECT_EQ(place_of({many, 3}, many + 5).tile, 5);
  EXPECT_EQ(place_of({many, 3}, 5).tile, 5);
  const gemv_grid shared{1, 1001, 4};
  EXPECT_EQ(shared.x(100) * shared.z(100), 300);  // 251 blocks, in rows of 100
  EXPECT_EQ(place_of(shared, 250).matrix, 1000);
  EXPECT_GE(place_of(shared, 251).matrix, 1001);
}

}  // namespace
}  // namespace kleene::kernels::cuda
