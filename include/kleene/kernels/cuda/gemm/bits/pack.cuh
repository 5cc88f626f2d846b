// Operands of a product of packed bits as the tensor cores want them: panels of rows along k, cut into pieces of
// 1024 bits of k. A piece, contiguous memory, is a tile of shared memory as it is (wgmma_bits.cuh), so plain bulk
// copies bring it there; rows and bits beyond the matrix are zero.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/tile/bits.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

template <int Rows>
struct bit_panels {
  static constexpr int rows = Rows, depth = 1024, chunks = rows * depth / 128, bytes = rows * depth / 8;
  uint4* memory;
  index_t panels, steps;  // pieces of a panel, at least one

  // Where chunk q (128 bits of k) of row i stands.
  __device__ uint4& at(index_t i, index_t q) const {
    constexpr int across = depth / 128;
    const int row = static_cast<int>(i % rows), chunk = static_cast<int>(q % across);
    return memory[((i / rows * steps + q / across) * rows + row) * across + gpu::swizzled_chunk(row, chunk)];
  }
};

using transpose_panels = transpose_tile<32, 16>;  // whole lines of a piece at once

// One operand: packed along k as it is, or along its rows, to be transposed.
template <class Panels>
struct bit_operand {
  bit_words from;
  bool transpose;
  Panels to;

  // Tiles of a transposition.
  __host__ __device__ index_t down() const { return ceil_div(to.steps * to.depth, transpose_panels::rows); }
  index_t blocks() const {
    if (!transpose) return to.panels * to.steps;
    return ceil_div(to.panels * to.rows, transpose_panels::cols) * down();
  }
};

// Copies one piece of a panel, which is packed along k already.
template <class Panels>
__device__ __forceinline__ void copy_piece(const bit_operand<Panels>& x, index_t piece) {
  constexpr unsigned each = Panels::chunks / transpose_panels::threads;
  constexpr unsigned across = Panels::depth / 128, lines = transpose_panels::threads / across;
  static_assert(each * transpose_panels::threads == Panels::chunks);
  const index_t row = piece / x.to.steps * x.to.rows + threadIdx.x / across;
  const index_t chunk = piece % x.to.steps * across + threadIdx.x % across;
  const bool inside = (chunk + 1) * 128 <= x.from.cols;
  const bool wide = x.from.stride % 4 == 0 && reinterpret_cast<std::uintptr_t>(x.from.data) % 16 == 0;
  uint4 value[each];
#pragma unroll
  for (unsigned n = 0; n < each; ++n) {
    const index_t i = row + n * lines;
    const std::uint32_t* at = x.from.data + i * x.from.stride + chunk * 4;
    if (inside && wide && i < x.from.rows) value[n] = *reinterpret_cast<const uint4*>(at);
    else
      value[n] = make_uint4(x.from(i, chunk * 4), x.from(i, chunk * 4 + 1), x.from(i, chunk * 4 + 2),
                            x.from(i, chunk * 4 + 3));
  }
#pragma unroll
  for (unsigned n = 0; n < each; ++n) x.to.at(row + n * lines, chunk) = value[n];
}

template <class Panels>
__device__ __forceinline__ void pack_bit_operand(const bit_operand<Panels>& x, index_t block) {
  extern __shared__ unsigned char shared[];
  if (!x.transpose) return copy_piece(x, block);
  auto& tile = *reinterpret_cast<transpose_panels*>(shared);
  const index_t down = x.down(), last = x.to.panels * x.to.rows, end = x.to.steps * (x.to.depth / 128);
  tile.run(x.from, block % down * tile.rows, block / down * tile.cols, [&](index_t i, index_t q, const uint4& chunk) {
    if (i < last && q < end) x.to.at(i, q) = chunk;
  });
}

// Both operands in one launch: A's blocks first.
template <class A, class B>
__global__ void __launch_bounds__(transpose_panels::threads)
    pack_bit_operands(const __grid_constant__ bit_operand<A> a, const __grid_constant__ bit_operand<B> b,
                      const unsigned blocks_a) {
  gpu::launch_dependents();
  if (blockIdx.x < blocks_a) pack_bit_operand(a, blockIdx.x);
  else pack_bit_operand(b, blockIdx.x - blocks_a);
}

template <class A, class B>
void launch_pack_bit_operands(const bit_operand<A>& a, const bit_operand<B>& b, cudaStream_t stream) {
  constexpr int bytes = sizeof(transpose_panels);
  const auto kernel = pack_bit_operands<A, B>;
  const unsigned blocks_a = gpu::grid_of(a.blocks());
  gpu::launch(kernel, {gpu::grid_of(blocks_a + b.blocks()), transpose_panels::threads, bytes, stream}, a, b, blocks_a);
}

}  // namespace kleene::kernels::cuda
