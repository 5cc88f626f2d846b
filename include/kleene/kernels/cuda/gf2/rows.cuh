// Passes over the rows of a matrix in an elimination over GF(2): copies in another order, and what becomes of the
// pivots' own columns.
#pragma once

#include "kleene/data/bit_matrix.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

struct gf2_rows {
  static constexpr int threads = 256, of_block = threads / 32;  // a warp a row; or a thread a row

  static index_t blocks(index_t rows) { return (rows + of_block - 1) / of_block; }
  static index_t blocks_of_threads(index_t rows) { return (rows + threads - 1) / threads; }
  __device__ static index_t of_warp() { return blockIdx.x * index_t{of_block} + threadIdx.x / 32; }
  __device__ static index_t of_thread() { return blockIdx.x * index_t{threads} + threadIdx.x; }
};

// Row i of `to` = row rows[i] of `from`, zero where that is negative; where rows is null row i. Words [hole, behind)
// are zero, too, and bits behind the last column.
__global__ void __launch_bounds__(gf2_rows::threads)
    gather_gf2_rows(const bit_view<const bit> from, const std::int32_t* rows, const bit_view<bit> to,
                    const index_t hole, const index_t behind) {
  const index_t i = gf2_rows::of_warp();
  if (i >= to.rows()) return;
  const index_t source = rows == nullptr ? i : rows[i], last = to.words() - 1;
  const bit_word* const row = from.row(source < 0 ? 0 : source);
#pragma unroll 4
  for (index_t w = threadIdx.x % 32; w <= last; w += 32) {
    const bit_word word = source < 0 || (w >= hole && w < behind) ? 0 : row[w];
    to.row(i)[w] = w == last ? word & last_word_mask(to.cols()) : word;
  }
}

// Each pivot's own bit, in columns [first, end), changes.
__global__ void __launch_bounds__(gf2_rows::threads)
    flip_gf2_pivots(const bit_view<bit> a, const std::int32_t* column_of, const index_t first, const index_t end) {
  const index_t i = gf2_rows::of_thread();
  if (i >= a.rows()) return;
  const index_t c = column_of[i];
  if (c >= first && c < end) a.row(i)[c / bits_per_word] ^= bit_word{1} << c % bits_per_word;
}

// Columns of pivots in words [first, end) become those of the identity.
__global__ void __launch_bounds__(gf2_rows::threads)
    clear_gf2_columns(const bit_view<bit> a, const bit_word* columns, const std::int32_t* column_of,
                      const index_t first, const index_t end) {
  const index_t i = gf2_rows::of_warp();
  if (i >= a.rows()) return;
  const index_t c = column_of[i];
  for (index_t w = first + threadIdx.x % 32; w < end; w += 32) {
    const bit_word own = c >= 0 && c / bits_per_word == w ? bit_word{1} << c % bits_per_word : 0;
    a.row(i)[w] = (a.row(i)[w] & ~columns[w]) | own;
  }
}

// Whether a row without a pivot has a bit.
__global__ void __launch_bounds__(gf2_rows::threads)
    find_gf2_rest(const bit_view<const bit> a, const std::int32_t* column_of, std::int32_t* found) {
  const index_t i = gf2_rows::of_warp();
  if (i >= a.rows() || column_of[i] >= 0) return;
  bit_word any = 0;
  for (index_t w = threadIdx.x % 32; w < a.words(); w += 32) any |= a.row(i)[w];
  if (any != 0) *found = 1;
}

// Row i gets its bit columns[i].
__global__ void __launch_bounds__(gf2_rows::threads) set_gf2_bits(const bit_view<bit> a, const std::int32_t* columns) {
  const index_t i = gf2_rows::of_thread();
  if (i >= a.rows()) return;
  a.row(i)[columns[i] / bits_per_word] |= bit_word{1} << columns[i] % bits_per_word;
}

}  // namespace kleene::kernels::cuda
