// What the integers of CUDA kernels and launches hold, at the edges of 31, 32 and 63 bits.
#include "kleene/kernels/cuda/tile/limits.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/mma/policy.hpp"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"
#include "kleene/kernels/cuda/gemm/wgmma/policy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kleene::kernels::cuda {
namespace {

constexpr index_t two_31 = 2147483648, two_32 = 4294967296, two_61 = 2305843009213693952, largest = 9223372036854775807;

TEST(limits, products_do_not_wrap) {
  EXPECT_EQ(saturating_product(0, largest), 0);
  EXPECT_EQ(saturating_product(largest, 0), 0);
  EXPECT_EQ(saturating_product(3, 5), 15);
  EXPECT_EQ(saturating_product(two_31, two_31 / 4), two_61 / 2);
  EXPECT_EQ(saturating_product(two_32, two_32), two_61 - 1);
  EXPECT_EQ(saturating_product(largest, largest), two_61 - 1);
}

TEST(limits, tiles_cover_what_is_left_over) {
  EXPECT_EQ(ceil_div(0, 64), 0);
  EXPECT_EQ(ceil_div(1, 64), 1);
  EXPECT_EQ(ceil_div(64, 64), 1);
  EXPECT_EQ(ceil_div(65, 64), 2);
  EXPECT_EQ(ceil_div(two_32 + 1000, 96), 44739254);
  EXPECT_EQ(ceil_div(largest, 2), 4611686018427387904);  // (largest + 1) / 2 would wrap
}

TEST(limits, a_grid_has_fewer_than_2_to_31_blocks) {
  EXPECT_EQ(gpu::grid_of(1), 1u);
  EXPECT_EQ(gpu::grid_of(two_31 - 1), 2147483647u);
  EXPECT_THROW((void)gpu::grid_of(two_31), shape_error);
  EXPECT_THROW((void)gpu::grid_of(two_32 + 3), shape_error);  // cut to 32 bits these were three blocks
}

TEST(limits, tiles_are_countable) {
  EXPECT_TRUE(are_countable(0, 0, 8));
  EXPECT_TRUE(are_countable(two_31 - 1, 1, 8));
  EXPECT_FALSE(are_countable(two_31, 1, 8));
  EXPECT_FALSE(are_countable(65536, 32768, 8));
  EXPECT_TRUE(are_countable(65536, 32767, 8));
  EXPECT_TRUE(are_countable(1, two_31 / 8, 8));
  EXPECT_FALSE(are_countable(1, two_32 / 8, 8));  // eight rows of tiles: 2^32 of them, counted as none
  EXPECT_FALSE(are_countable(two_32, two_32, 1));
}

TEST(limits, a_batch_is_cut_to_what_a_launch_takes) {
  EXPECT_EQ(matrices_at_once(1), 2147483647);
  EXPECT_EQ(matrices_at_once(2), 1073741823);
  EXPECT_EQ(matrices_at_once(0), 2147483647);
  EXPECT_EQ(matrices_at_once(two_31 - 1), 1);
  EXPECT_EQ(matrices_at_once(two_31), 0);
  EXPECT_EQ(matrices_at_once(1, two_31 - 2), 1);
  EXPECT_EQ(matrices_at_once(1, two_31 - 1), 0);
  EXPECT_EQ(matrices_at_once(1, largest), 0);
}

TEST(limits, coordinates_leave_room_for_what_reaches_over_the_end) {
  for (const wgmma_policy& p : wgmma_table) {
    const index_t rows = index_t{p.bm} * p.cluster;
    EXPECT_LT(ceil_div(most_coordinate, rows) * rows, two_31) << p.bm;
    EXPECT_LT(ceil_div(most_coordinate, p.bn) * p.bn, two_31) << p.bn;
  }
}

// The parts begin where the one before ends, in every array; what is broadcast stays, and what is absent too.
TEST(limits, parts_of_a_batch) {
  using G = gemm_arguments<min_plus<float>>;
  const std::vector<float> a(100), b(100);
  std::vector<float> c(100);
  std::vector<std::int32_t> witness(100);
  G g;
  g.batch = 7, g.m = 2, g.n = 3, g.k = 4;
  g.a = a.data(), g.b = b.data(), g.c = c.data(), g.witness = witness.data();
  g.sa = {0, 4, 1}, g.sb = {12, 3, 1}, g.sc = {6, 3, 1}, g.switness = {8, 3, 1};
  std::vector<G> parts;
  launch_in_parts(g, 3, [&](const G& part) { parts.push_back(part); });
  ASSERT_EQ(parts.size(), 3u);
  const index_t sizes[] = {3, 3, 1};
  for (index_t p = 0; p < 3; ++p) {
    EXPECT_EQ(parts[p].batch, sizes[p]);
    EXPECT_EQ(parts[p].a, a.data());
    EXPECT_EQ(parts[p].b, b.data() + 36 * p);
    EXPECT_EQ(parts[p].c, c.data() + 18 * p);
    EXPECT_EQ(parts[p].witness, witness.data() + 24 * p);
    EXPECT_EQ(parts[p].d, nullptr);
    EXPECT_EQ(parts[p].mask, nullptr);
    EXPECT_EQ(parts[p].k, 4);
  }
}

// The largest elements that select_simt_row gives the row.
constexpr int largest_element(workload row) {
  int largest = 4;
  for (const int bytes : {4, 8, 16})
    for (const bool long_steps : {false, true})
      for (const bool witness : {false, true}) {
        const workload usual = workload_of(bytes, bytes, false, false, long_steps, witness);
        if (row == usual || (bytes <= 8 && !witness && may_replace(row, usual, long_steps))) largest = bytes;
      }
  return largest;
}
static_assert(largest_element(workload::four_bytes) == 4 && largest_element(workload::four_bytes_one_round) == 4);
static_assert(largest_element(workload::eight_bytes) == 8 && largest_element(workload::long_steps) == 8);
static_assert(largest_element(workload::small) == 8 && largest_element(workload::wide) == 16);

// Devices of capability 8.6, 8.9 and 12.0 give a block 99 KiB. (mma_table's rows are chosen by what a block has.)
TEST(limits, rows_for_every_device_fit_its_shared_memory) {
  constexpr int kib_99 = 99 * 1024, barriers = 64;
  for (const simt_row& row : simt_table) {
    const simt_policy& p = row.policy;
    const int element = largest_element(static_cast<workload>(&row - simt_table));
    EXPECT_LE(p.stages * p.stage_bytes(element) + barriers, kib_99) << row.name;
    EXPECT_LE(p.bm * p.bn * element, kib_99) << row.name;
  }
  EXPECT_LE(mma_table[static_cast<int>(mma_shape::few_doubles)].shared_bytes(8), kib_99);
  EXPECT_LE(mma_table[static_cast<int>(mma_shape::few)].shared_bytes(4), kib_99);
}

}  // namespace
}  // namespace kleene::kernels::cuda
