#include "kleene/kernels/cuda/gemm/raster.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace kleene::kernels::cuda {
namespace {

std::vector<std::pair<unsigned, unsigned>> order_of(unsigned rows, unsigned cols, unsigned group) {
  std::vector<std::pair<unsigned, unsigned>> order;
  for (unsigned tile = 0; tile < rows * cols; ++tile) {
    const raster_tile at = rasterise(tile, rows, cols, group);
    order.emplace_back(at.row, at.col);
  }
  return order;
}

TEST(raster, goes_down_a_band_and_then_right) {
  using tiles = std::vector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(order_of(3, 2, 2), (tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}}));
  EXPECT_EQ(order_of(2, 2, 8), (tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(order_of(2, 2, 1), (tiles{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(raster, every_tile_once) {
  for (const unsigned rows : {1u, 2u, 7u, 8u, 9u, 31u})
    for (const unsigned cols : {1u, 3u, 16u, 17u})
      for (const unsigned group : {1u, 4u, 8u, 16u}) {
        const auto order = order_of(rows, cols, group);
        const std::set<std::pair<unsigned, unsigned>> seen(order.begin(), order.end());
        EXPECT_EQ(seen.size(), rows * cols) << rows << " x " << cols << " in bands of " << group;
        for (const auto& [row, col] : order) EXPECT_TRUE(row < rows && col < cols);
      }
}

}  // namespace
}  // namespace kleene::kernels::cuda
