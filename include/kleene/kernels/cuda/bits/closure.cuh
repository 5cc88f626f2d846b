// The reflexive and transitive closure of at most 1024 vertices, in place, by Warshall's algorithm: one block, a thread
// a row, rows in registers.
#pragma once

#include "kleene/kernels/cuda/bits/launch.hpp"
#include "kleene/kernels/cuda/tile/bits.cuh"

namespace kleene::kernels::cuda {

__global__ void __launch_bounds__(closed_bits) close_bits_block(const bit_words from, const bit_view<bit> a) {
  constexpr int words = closed_bits / 32;
  __shared__ __align__(16) std::uint32_t pivot[2][words];
  const int i = static_cast<int>(threadIdx.x), n = static_cast<int>(a.rows());
  std::uint32_t row[words];
#pragma unroll
  for (int w = 0; w < words; ++w) row[w] = from(i, w) | (i / 32 == w && i < n ? 1u << (i % 32) : 0);
#pragma unroll
  for (int v = 0; v < words; ++v) {
#pragma unroll 1
    for (int bit = 0; bit < 32 && v * 32 + bit < n; ++bit) {
      std::uint32_t* const shared = pivot[bit % 2];
      if (i == v * 32 + bit) {
#pragma unroll
        for (int w = 0; w < words; ++w) shared[w] = row[w];
      }
      __syncthreads();  // threads that still read the other buffer have not arrived yet, so two are enough
      if (row[v] >> bit & 1) {
#pragma unroll
        for (int w = 0; w < words; ++w) row[w] |= shared[w];
      }
    }
  }
  if (i >= n) return;
  auto* const to = reinterpret_cast<std::uint32_t*>(a.row(i));
#pragma unroll
  for (int w = 0; w < words; ++w)
    if (w < 2 * a.words()) to[w] = row[w];
}

}  // namespace kleene::kernels::cuda
