// The order in which blocks take the tiles of C: down a band of `group` rows of tiles, then to the next column. What
// neighbours read of A and B is then in L2 (blocking as by Goto and van de Geijn 2008, applied to L2).
#pragma once

#include "kleene/algebra/ops.hpp"

namespace kleene::kernels::cuda {

struct raster_tile {
  unsigned row, col;
};
// The tile of number 0 .. rows * cols - 1. group * cols fits 32 bits (limits.hpp).
KLEENE_FUNCTION constexpr raster_tile rasterise(unsigned tile, unsigned rows, unsigned cols, unsigned group) {
  const unsigned band = tile / (group * cols) * group;  // its first row
  const unsigned height = rows - band < group ? rows - band : group;
  const unsigned in_band = tile - band * cols;
  return {band + in_band % height, in_band / height};
}

}  // namespace kleene::kernels::cuda
