// C = A B of packed bits on any device, by logic on words: 32 products of an element an instruction (LOP3), or a count
// of bits. A and the transpose of B are packed along k. What newer devices have is in kernel.cuh; this one also
// tests that.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/gemm/bits/arguments.cuh"
#include "kleene/kernels/cuda/tile/bits.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

struct bits_words {
  static constexpr int tile = 128, depth = 32, each = 8,
                       threads = 256;  // rows and columns, words of k, elements a side
};

template <bit_output Output>
__device__ __forceinline__ std::uint32_t add_products(std::uint32_t sum, std::uint32_t a, std::uint32_t b) {
  if constexpr (Output == bit_output::any) return sum | (a & b);
  else if constexpr (Output == bit_output::parity) return sum ^ (a & b);
  else return sum + static_cast<std::uint32_t>(__popc(a & b));
}

template <bit_output Output>
__global__ void __launch_bounds__(bits_words::threads)
    gemm_bits_words(const bit_words a, const bit_words bt, const bit_result c, const unsigned tiles_n) {
  using P = bits_words;
  __shared__ std::uint32_t a_tile[P::depth][P::tile + 1], b_tile[P::depth][P::tile + 1];
  const index_t row = blockIdx.x / tiles_n * index_t{P::tile}, col = blockIdx.x % tiles_n * index_t{P::tile};
  const int x = static_cast<int>(threadIdx.x) % 16, y = static_cast<int>(threadIdx.x) / 16;
  std::uint32_t sum[P::each][P::each] = {};
  const index_t words = ceil_to_words(a.cols);
#pragma unroll 1
  for (index_t w = 0; w < words; w += P::depth) {
    for (int n = static_cast<int>(threadIdx.x); n < P::tile * P::depth; n += P::threads) {
      a_tile[n % P::depth][n / P::depth] = a(row + n / P::depth, w + n % P::depth);
      b_tile[n % P::depth][n / P::depth] = bt(col + n / P::depth, w + n % P::depth);
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < P::depth; ++k) {
      std::uint32_t left[P::each], right[P::each];
#pragma unroll
      for (int e = 0; e < P::each; ++e) left[e] = a_tile[k][y + 16 * e], right[e] = b_tile[k][x + 16 * e];
#pragma unroll
      for (int r = 0; r < P::each; ++r)
#pragma unroll
        for (int s = 0; s < P::each; ++s) sum[r][s] = add_products<Output>(sum[r][s], left[r], right[s]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < P::each; ++r) {
    const index_t i = row + y + 16 * r;
    if constexpr (Output == bit_output::counts) {
#pragma unroll
      for (int s = 0; s < P::each; ++s) {
        const index_t j = col + x + 16 * s;
        if (i < c.m && j < c.n) c.counts(i, j) = static_cast<std::int32_t>(sum[r][s]);
      }
    } else {
      bit_word word[2] = {};  // of 64 columns each; half a warp has a row
#pragma unroll
      for (int s = 0; s < P::each; ++s) {
        const bool set = Output == bit_output::any ? sum[r][s] != 0 : __popc(sum[r][s]) % 2 != 0;
        const unsigned both = __ballot_sync(~0u, set);
        word[s / 4] |= static_cast<bit_word>(y % 2 ? both >> 16 : both & 0xffff) << (16 * (s % 4));
      }
      const index_t w = col / bits_per_word + x;
      if (x < 2 && i < c.m && w < c.bits.words()) c.put<Output>(i, w, x == 0 ? word[0] : word[1]);
    }
  }
}

template <bit_output Output>
void launch_gemm_bits_words(const bit_words& a, const bit_words& bt, const bit_result& c, cudaStream_t stream) {
  using P = bits_words;
  const index_t down = ceil_div(c.m, P::tile), across = ceil_div(c.n, P::tile);
  gpu::launch(gemm_bits_words<Output>, {gpu::grid_of(saturating_product(down, across)), P::threads, 0, stream}, a, bt,
              c, static_cast<unsigned>(across));
}

}  // namespace kleene::kernels::cuda
