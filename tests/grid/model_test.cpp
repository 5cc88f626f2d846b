// The model of closures on GPUs: by hand, and beside what was measured.
#include "kleene/grid/model.hpp"

#include "kleene/data/error.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kleene::test {
namespace {

TEST(model, a_step_by_hand) {
  // 2 x 2 GPUs of 1,000 pairs/s, 3,200 bytes/s of memory and 80 of links; n = 40, blocks of 4: shares of 20 x 20.
  const closure_model m = model_closure(
      {.nodes = 1, .gpus = 4, .pairs = 1000, .bandwidth = 3200, .link = 80, .network = 1, .step = 0.5, .memory = 1e6},
      40, 4, 4);
  EXPECT_EQ(m.rows, 2);
  EXPECT_EQ(m.cols, 2);
  EXPECT_DOUBLE_EQ(m.bulk, 2.6);        // 20 20 4 / 1000 + 2 20 20 4 / 3200
  EXPECT_DOUBLE_EQ(m.ahead, 1.28);      // 2 (20 + 20) 16 / 1000
  EXPECT_DOUBLE_EQ(m.diagonal, 0.256);  // 4 64 / 1000
  EXPECT_DOUBLE_EQ(m.panels, 8);        // (20 + 20) 4 4 / 80
  EXPECT_FALSE(m.is_hidden());
  EXPECT_DOUBLE_EQ(m.seconds, 10 * (9.536 + 0.5) + 9.536);
  EXPECT_DOUBLE_EQ(m.efficiency, 16 / m.seconds);  // 64,000 / 4,000
  EXPECT_DOUBLE_EQ(m.bytes, 4 * (400 + 4 * 4 * 40));
  // Of two nodes everything goes by the network.
  EXPECT_DOUBLE_EQ(model_closure({.nodes = 2, .gpus = 2, .pairs = 1000, .network = 16}, 40, 4, 4).panels, 40);
  // One GPU sends nothing.
  EXPECT_EQ(model_closure({.nodes = 1, .gpus = 1}, 1000).panels, 0);
}

TEST(model, grids_are_as_square_as_can_be) {
  const auto grid_of = [](int nodes, int gpus) {
    const closure_model m = model_closure({.nodes = nodes, .gpus = gpus}, 10000);
    return std::to_string(m.rows) + " x " + std::to_string(m.cols);
  };
  EXPECT_EQ(grid_of(1, 1), "1 x 1");
  EXPECT_EQ(grid_of(1, 2), "1 x 2");
  EXPECT_EQ(grid_of(3, 4), "3 x 4");
  EXPECT_EQ(grid_of(1, 7), "1 x 7");
  EXPECT_EQ(grid_of(512, 8), "64 x 64");
}

// Seconds of bench/results/h200/scale.json: H200s of one machine.
TEST(model, is_near_what_was_measured) {
  const struct {
    index_t n;
    int gpus;
    index_t block;
    double seconds;
  } rows[] = {{16384, 1, 1024, 0.292}, {16384, 2, 512, 0.160},  {16384, 4, 512, 0.0969}, {32768, 1, 2048, 2.185},
              {32768, 2, 1024, 1.115}, {32768, 4, 1024, 0.584}, {65536, 1, 2048, 17.0},  {65536, 2, 2048, 8.56},
              {65536, 4, 2048, 4.34},  {131072, 4, 2048, 34.0}};
  for (const auto& row : rows) {
    const double modelled = model_closure({.nodes = 1, .gpus = row.gpus}, row.n, 4, row.block).seconds;
    EXPECT_NEAR(modelled / row.seconds, 1, 0.05) << row.n << " on " << row.gpus;
  }
}

TEST(model, what_does_not_fit_is_refused_with_numbers) {
  const auto message = [](const gpu_cluster& machine, index_t n, index_t block) -> std::string {
    try {
      return "taken, in blocks of " + std::to_string(model_closure(machine, n, 4, block).block);
    } catch (const std::exception& e) {
      return e.what();
    }
  };
  // 4 (500 500 + 4 256 1000) bytes.
  EXPECT_EQ(message({.nodes = 1, .gpus = 4, .memory = 5096000}, 1000, 0), "taken, in blocks of 256");
  EXPECT_EQ(message({.nodes = 1, .gpus = 4, .memory = 5095999}, 1000, 0),
            "1000 vertices on a grid of 2 x 2 GPUs in blocks of 256 need 5096000 bytes on each; there are 5095999");
  EXPECT_EQ(message({.nodes = 1, .gpus = 4, .memory = 5096000}, 1000, 512),
            "1000 vertices on a grid of 2 x 2 GPUs in blocks of 512 need 9192000 bytes on each; there are 5096000");
  EXPECT_EQ(message({.nodes = 0, .gpus = 4}, 1000, 0), "model_closure: nodes is 0.000000; a positive number is needed");
  EXPECT_THROW((void)model_closure({}, 0), argument_error);
  EXPECT_THROW((void)model_closure({}, 5, 4, -1), argument_error);
  EXPECT_THROW((void)model_closure({.pairs = std::numeric_limits<double>::quiet_NaN()}, 5), argument_error);
  EXPECT_EQ(message({.nodes = 1, .gpus = 1}, 100, 4096), "taken, in blocks of 100");
}

}  // namespace
}  // namespace kleene::test
