// Packed bits on a device: matrices as words of 32 bits, and their transposition in squares of 32 x 32 held by one thread.
#pragma once

#include "kleene/data/bit_matrix.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

constexpr index ceil_to_words(index bits) { return (bits + 31) / 32; }

// The view's words in halves: element (i, j) is bit j % 32 of word i * stride + j / 32.
struct bit_words {
  const std::uint32_t* data;
  index rows, cols, stride;

  explicit bit_words(const bit_view<const bit>& v)
      : data(reinterpret_cast<const std::uint32_t*>(v.data())), rows(v.rows()), cols(v.cols()), stride(2 * v.stride()) {}

  // Word w of row i; what lies outside the matrix is zero.
  __device__ std::uint32_t operator()(index i, index w) const {
    const index left = cols - w * 32;
    if (i >= rows || left <= 0) return 0;
    const std::uint32_t word = data[i * stride + w];
    return left >= 32 ? word : word & ~(~0u << left);
  }
};

// Bit j of x[i] and bit i of x[j] change places: ever smaller squares do (Warren, Hacker's Delight, 7-3), bytes by
// permutations. 256 instructions for 1024 bits; five exchanges between lanes, one square a warp, would take 600.
__device__ __forceinline__ void transpose_square(std::uint32_t (&x)[32]) {
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const std::uint32_t a = x[i], b = x[i + 16];
    x[i] = __byte_perm(a, b, 0x5410), x[i + 16] = __byte_perm(a, b, 0x7632);
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    if (i & 8) continue;
    const std::uint32_t a = x[i], b = x[i + 8];
    x[i] = __byte_perm(a, b, 0x6240), x[i + 8] = __byte_perm(a, b, 0x7351);
  }
#pragma unroll
  for (int s = 4; s > 0; s /= 2) {
    const std::uint32_t mask = s == 4 ? 0x0f0f0f0fu : s == 2 ? 0x33333333u : 0x55555555u;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if (i & s) continue;
      const std::uint32_t a = x[i], b = x[i + s];
      x[i] = (a & mask) | (b << s & ~mask), x[i + s] = (a >> s & mask) | (b & ~mask);
    }
  }
}

// A block of 256 threads transposes 256 rows by 1024 columns of `from`, row and column being multiples of those: store(i, q,
// x) gets bits 128 q .. 128 q + 127 of the transpose's row i, for 1024 rows and two q. What lies outside comes as zero.
struct transpose_tile {
  static constexpr int threads = 256, rows = 256, cols = 1024;
  // A thread's words of a column lie 9 apart from those of the next column's thread: no two lanes meet in a bank.
  static constexpr int pitch = rows / 32 + 1;
  std::uint32_t word[32 * 32 * pitch];

  template <class Store>
  __device__ void run(const bit_words& from, index row, index col, const Store& store) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    std::uint32_t x[32];
#pragma unroll
    for (int r = 0; r < 32; ++r) x[r] = from(row + warp * 32 + r, col / 32 + lane);
    transpose_square(x);
#pragma unroll
    for (int j = 0; j < 32; ++j) word[(j * 32 + lane) * pitch + warp] = x[j];
    __syncthreads();
#pragma unroll
    for (int part = 0; part < 8; ++part) {
      const int j = part * 4 + warp / 2, c = warp % 2 * 16 + lane / 2, half = lane % 2;
      const std::uint32_t* at = word + (j * 32 + c) * pitch + 4 * half;
      store(col + c * 32 + j, row / 128 + half, make_uint4(at[0], at[1], at[2], at[3]));
    }
  }
};

}  // namespace kleene::kernels::cuda
