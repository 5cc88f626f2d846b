// From counts to bits: a warp's counts become 64 columns a lane by shuffles.
#pragma once

#include "kleene/kernels/cuda/gemm/bits/policy.cuh"

namespace kleene::kernels::cuda {

// From four lanes, each with two bits of every byte of a row of 256, to 64 bits each.
__device__ __forceinline__ bit_word gather_row(const std::uint32_t (&part)[8]) {
  const bool upper = threadIdx.x & 2, odd = threadIdx.x & 1;
  std::uint32_t half[4], word[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t given = upper ? part[i] : part[i + 4], kept = upper ? part[i + 4] : part[i];
    half[i] = kept | __shfl_xor_sync(~0u, given, 2);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t given = odd ? half[i] : half[i + 2], kept = odd ? half[i + 2] : half[i];
    word[i] = kept | __shfl_xor_sync(~0u, given, 1);
  }
  return word[0] | static_cast<bit_word>(word[1]) << 32;
}

// The bits of counts of four groups of columns: bit 0 of each byte. Permutations collect the byte that holds the bit;
// that a count is not zero is the sign of its sum with 2^31 - 1.
template <bit_output Output>
__device__ __forceinline__ std::uint32_t pick_bits(int a, int b, int c, int d) {
  if constexpr (Output == bit_output::any) {
    constexpr int bias = 0x7fffffff;
    const auto sum = [](int x) { return static_cast<std::uint32_t>(x) + bias; };
    return __byte_perm(__byte_perm(sum(a), sum(b), 0x0073), __byte_perm(sum(c), sum(d), 0x0073), 0x5410) >> 7 &
           0x01010101;
  } else {
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410) & 0x01010101;
  }
}

template <bit_output Output>
__device__ __forceinline__ void store_counts(const bits_sm90_arguments& p, const int (&count)[128], index_t row,
                                             index_t col) {
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const index_t i = row + warp * 16 + lane / 4 + 8 * h;
    if constexpr (Output == bit_output::counts) {
      if (i >= p.c.m) continue;
#pragma unroll
      for (int g = 0; g < 32; ++g)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const index_t j = col + 8 * g + lane % 4 * 2 + e;
          if (j < p.c.n) p.c.counts(i, j) = count[4 * g + 2 * h + e];
        }
    } else {
      std::uint32_t part[8];
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        const int* at = count + 16 * q + 2 * h;
        const std::uint32_t even = pick_bits<Output>(at[0], at[4], at[8], at[12]);
        const std::uint32_t odd = pick_bits<Output>(at[1], at[5], at[9], at[13]);
        part[q] = (even | odd << 1) << (lane % 4 * 2);
      }
      const bit_word word = gather_row(part);
      const index_t w = col / bits_per_word + lane % 4;
      if (i < p.c.m && w < p.c.bits.words()) p.c.put<Output>(i, w, word);
    }
  }
}

}  // namespace kleene::kernels::cuda
