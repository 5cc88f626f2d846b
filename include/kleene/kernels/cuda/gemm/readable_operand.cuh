// Copies of operands that TMA cannot read as they are: addresses or strides off 16 bytes, neither index
// contiguous, or one-byte and four-byte operands without k contiguous.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/tensor_map.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

// An operand as `count` matrices of lines (rows of A, columns of B) by depth, in elements.
template <class T>
struct operand_lines {
  const T* data;
  index_t count, lines, depth;
  index_t batch_stride, line_stride, depth_stride;
};

// How TMA reads it: a map's matrix, with which index contiguous. Not `usable`: it needs a copy first.
struct readable_operand {
  gpu::mapped_matrix matrix;
  gpu::major contiguous;
  bool usable;
};

template <class T>
readable_operand without_copy(const operand_lines<T>& x) {
  const gpu::mapped_matrix by_k{x.data, x.count, x.lines, x.depth, x.batch_stride, x.line_stride};
  const gpu::mapped_matrix by_line{x.data, x.count, x.depth, x.lines, x.batch_stride, x.depth_stride};
  if (x.depth_stride == 1 && gpu::is_mappable(by_k, sizeof(T))) return {by_k, gpu::major::k, true};
  if ((sizeof(T) == 2 || sizeof(T) == 8) && x.line_stride == 1 && gpu::is_mappable(by_line, sizeof(T)))
    return {by_line, gpu::major::other, true};
  return {{}, gpu::major::k, false};
}

// The copy that is made of it: lines (or, where lines are contiguous and may stay so, depths) of a multiple of 128
// bytes.
template <class T>
readable_operand as_copied(const operand_lines<T>& x, const void* to) {
  constexpr index_t unit = 128 / sizeof(T);
  const bool by_line = sizeof(T) == 2 && x.line_stride == 1 && x.depth_stride != 1;
  const index_t rows = by_line ? x.depth : x.lines, cols = by_line ? x.lines : x.depth;
  const index_t pitch = round_up(cols, unit);
  return {{to, x.count, rows, cols, rows * pitch, pitch}, by_line ? gpu::major::other : gpu::major::k, true};
}
template <class T>
std::size_t bytes_of_copy(const operand_lines<T>& x) {
  const gpu::mapped_matrix m = as_copied(x, nullptr).matrix;
  return round_up(static_cast<std::size_t>(m.batch * m.batch_stride) * sizeof(T), 1024);
}

// Copies matrices of rows x cols, any strides, into rows of `pitch`. A block moves 64 x 64 elements through shared
// memory, so that both sides are read and written along what is contiguous.
constexpr int align_tile = 64, align_threads = 256;
template <class T>
__global__ void __launch_bounds__(align_threads)
    copy_aligned(const T* from, index_t batch_stride, index_t row_stride, index_t col_stride, T* to, index_t rows,
                 index_t cols, index_t pitch) {
  __shared__ T tile[align_tile][align_tile + 4 / sizeof(T) + (sizeof(T) > 4)];
  const index_t tiles_n = ceil_div(cols, align_tile), tiles_m = ceil_div(rows, align_tile);
  const index_t at = blockIdx.x, batch = at / (tiles_m * tiles_n);
  const index_t row0 = at / tiles_n % tiles_m * align_tile, col0 = at % tiles_n * align_tile;
  const bool along_rows = row_stride == 1 && col_stride != 1;  // of the source
  from += batch * batch_stride;
  to += batch * rows * pitch;
#pragma unroll 4
  for (int n = threadIdx.x; n < align_tile * align_tile; n += align_threads) {
    const int major = n / align_tile, minor = n % align_tile;
    const int r = along_rows ? minor : major, c = along_rows ? major : minor;
    if (row0 + r < rows && col0 + c < cols) tile[r][c] = from[(row0 + r) * row_stride + (col0 + c) * col_stride];
  }
  __syncthreads();
#pragma unroll 4
  for (int n = threadIdx.x; n < align_tile * align_tile; n += align_threads) {
    const int r = n / align_tile, c = n % align_tile;
    if (row0 + r < rows && col0 + c < cols) to[(row0 + r) * pitch + col0 + c] = tile[r][c];
  }
}

// The operand as TMA reads it; where it takes a copy, that goes to `to` (bytes_of_copy) by a launch.
template <class T>
readable_operand make_readable(const operand_lines<T>& x, void* to, cudaStream_t stream) {
  const readable_operand there = without_copy(x);
  if (there.usable) return there;
  const readable_operand copy = as_copied(x, to);
  const gpu::mapped_matrix& m = copy.matrix;
  const bool by_line = copy.contiguous == gpu::major::other;
  const index_t blocks = m.batch * ceil_div(m.rows, align_tile) * ceil_div(m.cols, align_tile);
  gpu::launch(copy_aligned<T>, {gpu::grid_of(blocks), align_threads, 0, stream}, x.data, x.batch_stride,
              by_line ? x.depth_stride : x.line_stride, by_line ? x.line_stride : x.depth_stride, static_cast<T*>(to),
              m.rows, m.cols, m.row_stride);
  return copy;
}

// f32 as two numbers of 11 bits next to each other: lines of `width` leading parts, then `width` of what they leave.
inline index_t split_width(index_t depth) { return round_up(depth, 32); }
inline std::size_t bytes_of_split(const operand_lines<float>& x) {
  return static_cast<std::size_t>(x.count * x.lines * 2 * split_width(x.depth)) * sizeof(float);
}
static __global__ void __launch_bounds__(align_threads)
    copy_split(const __grid_constant__ operand_lines<float> x, float* to, index_t width) {
  __shared__ float tile[align_tile][align_tile + 1];
  const index_t tiles_n = ceil_div(width, align_tile), tiles_m = ceil_div(x.lines, align_tile);
  const index_t at = blockIdx.x, batch = at / (tiles_m * tiles_n);
  const index_t row0 = at / tiles_n % tiles_m * align_tile, col0 = at % tiles_n * align_tile;
  const bool along_lines = x.line_stride == 1 && x.depth_stride != 1;
  const float* from = x.data + batch * x.batch_stride;
  to += batch * x.lines * 2 * width;
#pragma unroll 4
  for (int n = threadIdx.x; n < align_tile * align_tile; n += align_threads) {
    const int outer = n / align_tile, inner = n % align_tile;
    const int r = along_lines ? inner : outer, c = along_lines ? outer : inner;
    const bool inside = row0 + r < x.lines && col0 + c < x.depth;
    tile[r][c] = inside ? from[(row0 + r) * x.line_stride + (col0 + c) * x.depth_stride] : 0.0f;
  }
  __syncthreads();
#pragma unroll 4
  for (int n = threadIdx.x; n < align_tile * align_tile; n += align_threads) {
    const int r = n / align_tile, c = n % align_tile;
    if (row0 + r >= x.lines || col0 + c >= width) continue;
    const float value = tile[r][c], high = __uint_as_float(__float_as_uint(value) & 0xFFFFE000u);
    float rest = value - high;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(reinterpret_cast<unsigned&>(rest)) : "f"(rest));
    float* line = to + (row0 + r) * 2 * width + col0 + c;
    line[0] = value != value ? value : high;
    line[width] = rest;
  }
}
inline readable_operand make_split(const operand_lines<float>& x, void* to, cudaStream_t stream) {
  const index_t width = split_width(x.depth);
  const index_t blocks = x.count * ceil_div(x.lines, align_tile) * ceil_div(width, align_tile);
  gpu::launch(copy_split, {gpu::grid_of(blocks), align_threads, 0, stream}, x, static_cast<float*>(to), width);
  return {{to, x.count, x.lines, 2 * width, x.lines * 2 * width, 2 * width}, gpu::major::k, true};
}

}  // namespace kleene::kernels::cuda
