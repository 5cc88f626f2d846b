// Packing and unpacking: a warp takes 1024 elements of a row, of any strides; contiguous bytes are loaded sixteen at a
// time.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/kernels/cuda/tile/bits.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

struct bit_runs {
  static constexpr int threads = 256, words = 32;  // a warp's words of 32 bits
  index_t across, count;                           // runs of a row, of the matrix

  bit_runs(index_t rows, index_t cols) : across((cols + 32 * words - 1) / (32 * words)), count(across * rows) {}
  unsigned blocks() const { return gpu::grid_of(ceil_div(count, threads / 32)); }
  // This warp's row and first word; false where there is none left.
  __device__ bool locate(index_t& row, index_t& word) const {
    const index_t run = blockIdx.x * index_t{threads / 32} + threadIdx.x / 32;
    row = run / across, word = run % across * words;
    return run < count;
  }
};

template <class T>
__global__ void __launch_bounds__(bit_runs::threads)
    pack_bits(const matrix_view<const T> from, const bit_view<bit> to, const bit_runs runs) {
  index_t row, word;
  if (!runs.locate(row, word)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t mine = 0;
  const T* const line = from.data() + row * from.stride(0);
  const index_t step = from.stride(1), first = word * 32 + lane;
  if (word * 32 + 32 * runs.words <= from.cols()) {
    T value[runs.words];
#pragma unroll
    for (int w = 0; w < runs.words; ++w) value[w] = line[(first + 32 * w) * step];
#pragma unroll
    for (int w = 0; w < runs.words; ++w) {
      const std::uint32_t set = __ballot_sync(~0u, value[w] != T(0));
      mine = lane == w ? set : mine;
    }
  } else {
    for (int w = 0; w < runs.words; ++w) {
      const index_t j = first + 32 * w;
      const std::uint32_t set = __ballot_sync(~0u, j < from.cols() && line[j * step] != T(0));
      mine = lane == w ? set : mine;
    }
  }
  if (word + lane < 2 * to.words()) reinterpret_cast<std::uint32_t*>(to.row(row))[word + lane] = mine;
}

// Rows of contiguous bytes, 16-byte aligned: a lane makes a word out of 32 of them.
__global__ void __launch_bounds__(bit_runs::threads)
    pack_bytes(const matrix_view<const std::uint8_t> from, const bit_view<bit> to, const bit_runs runs) {
  index_t row, word;
  if (!runs.locate(row, word)) return;
  const index_t w = word + static_cast<int>(threadIdx.x) % 32, j = w * 32;
  if (w >= 2 * to.words()) return;
  const std::uint8_t* const at = from.data() + row * from.stride(0) + j;
  std::uint32_t set = 0;
  if (j + 32 <= from.cols()) {
    const uint4 four[2] = {reinterpret_cast<const uint4*>(at)[0], reinterpret_cast<const uint4*>(at)[1]};
    const auto add = [&](std::uint32_t bytes, int n) {  // the low bit of each byte, then side by side
      set |= ((__vcmpne4(bytes, 0) & 0x01010101u) * 0x10204080u >> 28) << (4 * n);
    };
#pragma unroll
    for (int f = 0; f < 2; ++f) {
      add(four[f].x, 4 * f), add(four[f].y, 4 * f + 1), add(four[f].z, 4 * f + 2), add(four[f].w, 4 * f + 3);
    }
  } else {
    for (int b = 0; b < 32 && j + b < from.cols(); ++b) set |= static_cast<std::uint32_t>(at[b] != 0) << b;
  }
  reinterpret_cast<std::uint32_t*>(to.row(row))[w] = set;
}

template <class T>
__global__ void __launch_bounds__(bit_runs::threads)
    unpack_bits(const bit_words from, const matrix_view<T> to, const bit_runs runs) {
  index_t row, word;
  if (!runs.locate(row, word)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t mine = from(row, word + lane);
  T* const line = to.data() + row * to.stride(0);
  const index_t step = to.stride(1), first = word * 32 + lane;
#pragma unroll 8
  for (int w = 0; w < runs.words; ++w) {
    const std::uint32_t set = __shfl_sync(~0u, mine, w);
    if (first + 32 * w < to.cols()) line[(first + 32 * w) * step] = static_cast<T>(set >> lane & 1);
  }
}

// Rows of contiguous bytes, 4-byte aligned: a lane makes four of them out of four bits.
__global__ void __launch_bounds__(bit_runs::threads)
    unpack_bytes(const bit_words from, const matrix_view<std::uint8_t> to, const bit_runs runs) {
  index_t row, word;
  if (!runs.locate(row, word)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t mine = from(row, word + lane);
  std::uint8_t* const line = to.data() + row * to.stride(0);
#pragma unroll
  for (int n = 0; n < runs.words / 4; ++n) {
    const std::uint32_t set = __shfl_sync(~0u, mine, 4 * n + lane / 8) >> (4 * (lane % 8)) & 15;
    const std::uint32_t bytes = set * 0x00204081u & 0x01010101u;
    const index_t j = word * 32 + 128 * n + 4 * lane;
    if (j + 4 <= to.cols()) *reinterpret_cast<std::uint32_t*>(line + j) = bytes;
    else
      for (int b = 0; j + b < to.cols(); ++b) line[j + b] = static_cast<std::uint8_t>(bytes >> (8 * b));
  }
}

}  // namespace kleene::kernels::cuda
