// B = the transpose of A, packed bits; any extents and strides. One pass: 512 x 1024 bits a block.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/tile/bits.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

// Reads whole cache lines and writes halves of lines; neighbouring blocks write the two halves. On an H200, 65,536 x
// 65,536 (a copy moves 4,114 GB/s): 3,723 GB/s; halves read and whole lines written 3,385, halves both ways 3,234, and
// 256 x 1024, with two sectors written at a time, 1,954.
using transpose_plain = transpose_tile<16, 32>;

__global__ void __launch_bounds__(transpose_plain::threads, 2)
    transpose_bits(const bit_words from, const bit_view<bit> to) {
  extern __shared__ unsigned char shared[];
  auto& tile = *reinterpret_cast<transpose_plain*>(shared);
  const index_t down = ceil_div(from.rows, tile.rows);
  const index_t row = blockIdx.x % down * tile.rows, col = blockIdx.x / down * tile.cols;
  const index_t words = to.words();
  const bool wide = to.stride() % 2 == 0 && reinterpret_cast<std::uintptr_t>(to.data()) % 16 == 0;
  tile.run(from, row, col, [&](index_t i, index_t q, const uint4& x) {
    if (i >= to.rows() || 2 * q >= words) return;
    bit_word* const at = to.row(i) + 2 * q;
    if (wide && 2 * q + 1 < words) {
      __stcs(reinterpret_cast<uint4*>(at), x);
    } else {
      __stcs(reinterpret_cast<uint2*>(at), make_uint2(x.x, x.y));
      if (2 * q + 1 < words) __stcs(reinterpret_cast<uint2*>(at + 1), make_uint2(x.z, x.w));
    }
  });
}

inline void launch_transpose_bits(const bit_words& from, const bit_view<bit>& to, cudaStream_t stream) {
  using P = transpose_plain;
  constexpr int bytes = sizeof(P);
  const index_t blocks = saturating_product(ceil_div(from.rows, P::rows), ceil_div(from.cols, P::cols));
  gpu::launch(transpose_bits, {gpu::grid_of(blocks), P::threads, bytes, stream}, from, to);
}

}  // namespace kleene::kernels::cuda
