// Operands of a product of packed bits as the matrix units want them: panels of 128 rows along k, cut into pieces of 1024
// bits of k. A piece, 16 KB of contiguous memory, is a tile of shared memory as it is (wgmma_bits.cuh: rows of 128 bytes,
// chunks swizzled), so plain bulk copies bring it there; rows and bits beyond the matrix are zero.
#pragma once

#include "kleene/kernels/cuda/tile/bits.cuh"
#include "kleene/kernels/cuda/tile/dependence.cuh"

namespace kleene::kernels::cuda {

struct bit_panels {
  static constexpr int rows = 128, depth = 1024, chunks = rows * depth / 128, bytes = rows * depth / 8;
  uint4* memory;
  index panels, steps;  // pieces of a panel, at least one

  // Where chunk q (128 bits of k) of row i stands.
  __device__ uint4& at(index i, index q) const {
    const int row = static_cast<int>(i % rows), chunk = static_cast<int>(q % 8);
    return memory[((i / rows * steps + q / 8) * rows + row) * 8 + (chunk ^ (row & 7))];
  }
};

// One operand: packed along k as it is, or along its rows, to be transposed.
struct bit_operand {
  bit_words from;
  bool transpose;
  bit_panels to;

  index blocks() const {
    if (!transpose) return to.panels * to.steps;
    return (to.panels * to.rows + transpose_tile::cols - 1) / transpose_tile::cols * to.steps *
           (to.depth / transpose_tile::rows);
  }
};

// Copies one piece of a panel, which is packed along k already.
__device__ __forceinline__ void copy_piece(const bit_operand& x, index piece) {
  constexpr int each = bit_panels::chunks / transpose_tile::threads;
  const index row = piece / x.to.steps * x.to.rows + threadIdx.x / 8, chunk = piece % x.to.steps * 8 + threadIdx.x % 8;
  const bool inside = (chunk + 1) * 128 <= x.from.cols;
  const bool wide = x.from.stride % 4 == 0 && reinterpret_cast<std::uintptr_t>(x.from.data) % 16 == 0;
  uint4 value[each];
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const index i = row + n * (transpose_tile::threads / 8);
    const std::uint32_t* at = x.from.data + i * x.from.stride + chunk * 4;
    if (inside && wide && i < x.from.rows)
      value[n] = *reinterpret_cast<const uint4*>(at);
    else
      value[n] = make_uint4(x.from(i, chunk * 4), x.from(i, chunk * 4 + 1), x.from(i, chunk * 4 + 2),
                            x.from(i, chunk * 4 + 3));
  }
#pragma unroll
  for (int n = 0; n < each; ++n) x.to.at(row + n * (transpose_tile::threads / 8), chunk) = value[n];
}

// Both operands in one launch: A's blocks first.
__global__ void __launch_bounds__(transpose_tile::threads)
    pack_bit_operands(const __grid_constant__ bit_operand a, const __grid_constant__ bit_operand b, const unsigned blocks_a) {
  __shared__ transpose_tile tile;
  const bool second = blockIdx.x >= blocks_a;
  const bit_operand& x = second ? b : a;
  const index block = second ? blockIdx.x - blocks_a : blockIdx.x;
  dependents_may_start();
  if (!x.transpose) return copy_piece(x, block);
  const index down = x.to.steps * (x.to.depth / tile.rows), last = x.to.panels * x.to.rows;
  tile.run(x.from, block % down * tile.rows, block / down * tile.cols, [&](index i, index q, const uint4& chunk) {
    if (i < last) x.to.at(i, q) = chunk;
  });
}

}  // namespace kleene::kernels::cuda
