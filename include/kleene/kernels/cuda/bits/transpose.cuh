// B = the transpose of A, packed bits; any extents and strides. One pass: 256 x 1024 bits a block.
#pragma once

#include "kleene/kernels/cuda/tile/bits.cuh"

namespace kleene::kernels::cuda {

__global__ void __launch_bounds__(transpose_tile::threads) transpose_bits(const bit_words from, const bit_view<bit> to) {
  __shared__ transpose_tile tile;
  // Blocks follow each other along the rows of `to`, so that its lines are completed while they are in the cache.
  const index down = (from.rows + tile.rows - 1) / tile.rows;
  const index row = blockIdx.x % down * tile.rows, col = blockIdx.x / down * tile.cols;
  const index words = to.words();
  const bool wide = to.stride() % 2 == 0 && reinterpret_cast<std::uintptr_t>(to.data()) % 16 == 0;
  tile.run(from, row, col, [&](index i, index q, const uint4& x) {
    if (i >= to.rows() || 2 * q >= words) return;
    bit_word* const at = to.row(i) + 2 * q;
    if (wide && 2 * q + 1 < words) {
      *reinterpret_cast<uint4*>(at) = x;
    } else {
      *reinterpret_cast<uint2*>(at) = make_uint2(x.x, x.y);
      if (2 * q + 1 < words) *reinterpret_cast<uint2*>(at + 1) = make_uint2(x.z, x.w);
    }
  });
}

inline unsigned transpose_blocks(index rows, index cols) {
  return static_cast<unsigned>((rows + transpose_tile::rows - 1) / transpose_tile::rows *
                               ((cols + transpose_tile::cols - 1) / transpose_tile::cols));
}

}  // namespace kleene::kernels::cuda
