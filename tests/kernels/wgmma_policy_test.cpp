// Which tile a product on the tensor cores gets, for a device of 132 multiprocessors.
#include "kleene/kernels/cuda/gemm/wgmma/policy.hpp"

#include <gtest/gtest.h>

namespace kleene::kernels::cuda {
namespace {

constexpr wgmma_choice choose(index_t m, index_t n, index_t steps, wgmma_demands demands, index_t batch = 1) {
  return choose_wgmma(m, n, steps, batch, 132, demands);
}
constexpr wgmma_demands ping_pong{.ping_pong = true}, with_epilogue{.ping_pong = true, .epilogue = true};

TEST(wgmma_policy, every_row_fits_the_shared_memory_of_a_block) {
  for (const wgmma_policy& p : wgmma_table) EXPECT_LE(p.shared_bytes(), 227 * 1024) << p.bm << "x" << p.bn;
}

TEST(wgmma_policy, ping_pong_where_k_is_short) {
  EXPECT_EQ(choose(8192, 8192, 8, ping_pong).shape, wgmma_shape::ping_pong);
  EXPECT_EQ(choose(16384, 16384, 8, ping_pong).shape, wgmma_shape::ping_pong);
  EXPECT_EQ(choose(8192, 8192, 7, ping_pong).shape, wgmma_shape::wide);
  EXPECT_EQ(choose(8192, 8192, 16, ping_pong).shape, wgmma_shape::wide);
  EXPECT_EQ(choose(8192, 8192, 16, with_epilogue).shape, wgmma_shape::ping_pong);
  EXPECT_EQ(choose(8192, 8192, 128, with_epilogue).shape, wgmma_shape::wide);
  EXPECT_EQ(choose(4096, 4096, 64, with_epilogue).shape, wgmma_shape::wide);
  EXPECT_EQ(choose(8192, 8192, 8, {}).shape, wgmma_shape::wide);
}

// What gemm_mixed_on_cuda.ping_pong_of_consumers and epilogues_on_cuda rely on.
TEST(wgmma_policy, ping_pong_in_the_products_that_test_them) {
  EXPECT_EQ(choose(2240, 4400, 9, ping_pong).shape, wgmma_shape::ping_pong);
  EXPECT_EQ(choose(2201, 4399, 9, ping_pong).shape, wgmma_shape::ping_pong);
  EXPECT_EQ(choose(120, 250, 16, ping_pong, 100).shape, wgmma_shape::ping_pong);
  EXPECT_EQ(choose(1200, 2056, 9, with_epilogue).shape, wgmma_shape::ping_pong);
}
// And tiles_that_leave_in_one_box.
TEST(wgmma_policy, narrow_products_have_narrow_tiles) {
  EXPECT_EQ(choose(100000, 64, 1, ping_pong).shape, wgmma_shape::narrow);
  EXPECT_EQ(choose(500, 64, 1, ping_pong, 200).shape, wgmma_shape::narrow);
}

TEST(wgmma_policy, sums_that_are_folded_keep_to_narrow_tiles) {
  for (const index_t size : {64, 1000, 8192})
    for (const index_t steps : {1, 8, 64}) {
      const wgmma_choice choice = choose(size, size, steps, {.folds = true});
      EXPECT_LE(wgmma_table[static_cast<int>(choice.shape)].bn, most_folding_columns);
    }
}

TEST(wgmma_policy, k_is_summed_in_parts_where_tiles_are_few) {
  EXPECT_GT(choose(128, 128, 1000, ping_pong).splits, 8);
  EXPECT_EQ(choose(128, 128, 3, ping_pong).splits, 1);
  EXPECT_EQ(choose(8192, 8192, 128, ping_pong).splits, 1);
}

}  // namespace
}  // namespace kleene::kernels::cuda
