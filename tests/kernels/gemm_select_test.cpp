// Which engine and which row of the SIMT table a product gets, for a device of 132 multiprocessors.
#include "kleene/kernels/cuda/gemm/select.hpp"

#include <gtest/gtest.h>

namespace kleene::kernels::cuda {
namespace {

using enum gemm_engine;
constexpr auto full = float_precision::full, split = float_precision::split, tf32 = float_precision::tf32;

TEST(gemm_select, engines) {
  for (const bool small : {false, true})
    for (const bool wgmma_there : {false, true})
      for (const float_precision precision : {full, split, tf32}) {
        const auto select = [&](gemm_operands o) { return select_engine(o, precision, small, wgmma_there); };
        EXPECT_EQ(select(gemm_operands::any), simt);
        EXPECT_EQ(select(gemm_operands::f64), small ? simt : mma);
        EXPECT_EQ(select(gemm_operands::f32), precision != full && wgmma_there ? wgmma : simt);
        EXPECT_EQ(select(gemm_operands::half), wgmma_there ? wgmma : mma);
        EXPECT_EQ(select(gemm_operands::f8), wgmma_there ? wgmma : elementwise);
      }
}

// What is chosen is compiled: launch_simt_row has no other rows.
TEST(gemm_select, every_choice_is_a_row_that_the_algebra_has) {
  for (int usual = 0; usual < static_cast<int>(std::size(simt_table)); ++usual)
    for (const bool long_steps : {false, true})
      for (const index_t m : {1, 32, 500, 1024, 1100, 4096, 30000})
        for (const index_t batch : {1, 3}) {
          const workload own = static_cast<workload>(usual);
          const workload row = select_simt_row(own, long_steps, m, m, 256, batch, true, 132);
          EXPECT_TRUE(row == own || may_replace(row, own, long_steps)) << simt_table[usual].name << " " << m;
        }
}

TEST(gemm_select, exponents_are_tried_where_products_are_large) {
  EXPECT_TRUE(is_worth_trying_exponents(8192, 8192, 8192, 1));
  EXPECT_TRUE(is_worth_trying_exponents(3000, 3000, 3000, 1));
  EXPECT_FALSE(is_worth_trying_exponents(2048, 2048, 2048, 1));
  EXPECT_FALSE(is_worth_trying_exponents(8192, 8192, 8192, 2));
  EXPECT_TRUE(is_worth_trying_exponents(512, 1 << 20, 256, 1));
  EXPECT_FALSE(is_worth_trying_exponents(511, 1 << 20, 1 << 10, 1));
  EXPECT_FALSE(is_worth_trying_exponents(1 << 14, 1 << 14, 255, 1));
  EXPECT_FALSE(is_worth_trying_exponents((1 << 20) + 1, 1 << 10, 1 << 10, 1));
}

TEST(gemm_select, log_sums_take_products_of_some_size_and_no_endless_sums) {
  EXPECT_TRUE(is_worth_log_sums(256, 256, 256));
  EXPECT_TRUE(is_worth_log_sums(256, 256, 1 << 24));
  EXPECT_FALSE(is_worth_log_sums(256, 256, 255));
  EXPECT_FALSE(is_worth_log_sums(512, 1, 32768));
  EXPECT_FALSE(is_worth_log_sums(4096, 4096, (1 << 24) + 1));
  EXPECT_FALSE(is_worth_log_sums(4096, 4096, 0));
  EXPECT_FALSE(is_worth_log_sums((1 << 20) + 1, 256, 256));
}

TEST(gemm_select, bits) {
  EXPECT_EQ(select_bits_engine(90, true), bits_engine::tensor_cores);
  EXPECT_EQ(select_bits_engine(90, false), bits_engine::words);
  EXPECT_EQ(select_bits_engine(80, true), bits_engine::words);
  EXPECT_EQ(select_bits_engine(100, true), bits_engine::words);  // of sm_90a alone, later devices have others
}

constexpr workload row(index_t m, index_t n, index_t k, index_t batch = 1, workload usual = workload::four_bytes,
                       bool long_steps = false, bool sm_90 = true) {
  return select_simt_row(usual, long_steps, m, n, k, batch, sm_90, 132);
}

TEST(gemm_select, batches_of_small_products) {
  EXPECT_EQ(row(32, 32, 256, 2), workload::small);
  EXPECT_EQ(row(32, 32, 256, 2, workload::eight_bytes), workload::small);
  EXPECT_EQ(row(32, 32, 256, 2, workload::long_steps, true), workload::small_long_steps);
  EXPECT_EQ(row(32, 32, 64, 1), workload::small);
  EXPECT_NE(row(32, 32, 65, 1), workload::small);
  EXPECT_NE(row(33, 32, 256, 2), workload::small);
  EXPECT_NE(row(32, 32, 257, 2), workload::small);
}

TEST(gemm_select, few_tiles_have_rows_of_their_own_on_sm_90) {
  EXPECT_EQ(row(8192, 8192, 8192), workload::four_bytes);
  EXPECT_EQ(row(4096, 4096, 256), workload::four_bytes_few_tiles);
  EXPECT_EQ(row(1024, 1024, 1024), workload::four_bytes_one_round);    // 256 tiles in 264 places
  EXPECT_EQ(row(1100, 1100, 1024), workload::four_bytes_fewer_tiles);  // 324 tiles: a round and a bit
  EXPECT_EQ(row(1024, 1024, 1024, 1, workload::four_bytes, false, false), workload::four_bytes);
  EXPECT_EQ(row(1024, 1024, 1024, 1, workload::sums), workload::sums);
  EXPECT_EQ(row(1024, 1024, 1024, 1, workload::wide), workload::wide);
}

TEST(gemm_select, signs_are_looked_for_where_they_pay) {
  EXPECT_TRUE(is_worth_a_pass_for_signs(2048, 1024, 1024, 1));
  EXPECT_FALSE(is_worth_a_pass_for_signs(2047, 1024, 1024, 1));
}

}  // namespace
}  // namespace kleene::kernels::cuda
