// Packed bits on a device: matrices as words of 32 bits, and their transposition in squares of 32 x 32 held by one
// thread.
#pragma once

#include "kleene/data/bit_matrix.hpp"
#include "kleene/data/integers.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

constexpr index_t ceil_to_words(index_t bits) { return ceil_div(bits, 32); }

// The view's 64-bit words as halves: element (i, j) is bit j % 32 of word i * stride + j / 32.
struct bit_words {
  const std::uint32_t* data;
  index_t rows, cols, stride;

  explicit bit_words(const bit_view<const bit>& v)
      : data(reinterpret_cast<const std::uint32_t*>(v.data())),
        rows(v.rows()),
        cols(v.cols()),
        stride(2 * v.stride()) {}

  // Word w of row i; what lies outside the matrix is zero.
  __device__ std::uint32_t operator()(index_t i, index_t w) const {
    const index_t left = cols - w * 32;
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

// A block transposes `rows` by `cols` of `from`, row and column being multiples of those: store(i, q, x) gets bits 128
// q .. 128 q + 127 of the transpose's row i; neighbouring lanes have neighbouring q of one row. What lies outside the
// matrix is zero.
template <unsigned RowWords, unsigned ColWords>
struct transpose_tile {
  static constexpr unsigned row_words = RowWords, col_words = ColWords;  // squares down and across: one for each thread
  static constexpr unsigned rows = 32 * row_words, cols = 32 * col_words, threads = row_words * col_words;
  static constexpr unsigned pitch = row_words + 1;  // no bank conflicts
  std::uint32_t word[cols * pitch];                 // of the transpose's row 32 c + j: pitch * (col_words * j + c)

  template <class Store>
  __device__ void run(const bit_words& from, index_t row, index_t col, const Store& store) {
    const unsigned thread = threadIdx.x, c = thread % col_words;
    const unsigned w = thread / 32 + thread % 32 / col_words * (threads / 32);
    const index_t i = row + 32 * w, at = col / 32 + c;
    std::uint32_t x[32];
    if (row + rows <= from.rows && col + cols <= from.cols) {
      const std::uint32_t* const first = from.data + i * from.stride + at;
#pragma unroll
      for (int r = 0; r < 32; ++r) x[r] = __ldcs(first + r * from.stride);
    } else {
#pragma unroll
      for (int r = 0; r < 32; ++r) x[r] = from(i + r, at);
    }
    transpose_square(x);
#pragma unroll
    for (unsigned j = 0; j < 32; ++j) word[(j * col_words + c) * pitch + w] = x[j];
    __syncthreads();
#pragma unroll
    for (unsigned part = 0; part < 8; ++part) {
      const unsigned chunk = part * threads + thread, q = chunk % (row_words / 4), line = chunk / (row_words / 4);
      const std::uint32_t* const four = word + line * pitch + 4 * q;
      store(col + line % col_words * 32 + line / col_words, row / 128 + q,
            make_uint4(four[0], four[1], four[2], four[3]));
    }
  }
};

}  // namespace kleene::kernels::cuda
