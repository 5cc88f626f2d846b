// The arguments of a log-sum-exp product: operands as lines, their maxima, panels of factors, elements to do again.
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/log_sums/policy.hpp"
#include "kleene/kernels/cuda/gemm/raster.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace kleene::kernels::cuda {

// Floats in the order of integers, for atomicMax.
struct ordered_float {
  std::int32_t key;
  __device__ static std::int32_t of(float x) {
    const std::int32_t bits = __float_as_int(x);
    return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
  }
  __device__ static float value(std::int32_t key) { return __int_as_float(key < 0 ? key ^ 0x7FFFFFFF : key); }
};

// Rows of A or columns of B: lines along k.
struct log_lines {
  const float* data;
  index_t lines, depth, line_stride, stride;
  std::int32_t* most;  // of each line, as ordered_float; NaN is none

  KLEENE_FUNCTION bool along() const { return stride == 1 || line_stride != 1; }
  // What is subtracted from a line's elements; 0 where the maximum is -infinity.
  __device__ float shift(index_t line) const {
    const float x = ordered_float::value(most[line]);
    return x == -std::numeric_limits<float>::infinity() ? 0 : x;
  }
};

// Factors of an operand as wgmma wants them: panels of `rows` lines, in pieces of 64 numbers of each, the high parts of
// a piece before its low parts. Rows of 128 bytes, whose eight chunks are swizzled.
struct log_panels {
  uint4* memory;
  int rows;
  index_t panels, steps;

  __device__ uint4* piece(index_t panel, index_t step) const {
    return memory + (panel * steps + step) * (rows * 8 * log_sums_sm90::parts);
  }
};

template <class G>
struct log_sums_arguments {
  G g;  // one matrix
  typename G::scalar alpha{}, beta{};
  bool has_alpha = false, has_beta = false;
  log_lines lines_a, lines_b;
  log_panels a, b;
  unsigned char* failed;   // [m][n] 1 where an element has no proof
  unsigned* failed_tiles;  // of 64 x 64 elements, row by row
  unsigned tiles_m, tiles_n;

  __device__ unsigned tiles() const { return tiles_m * tiles_n; }
  __device__ raster_tile place(unsigned tile) const { return rasterise(tile, tiles_m, tiles_n, log_sums_sm90::group); }
  KLEENE_FUNCTION index_t stream_tiles_n() const { return ceil_div(g.n, index_t{64}); }
};

}  // namespace kleene::kernels::cuda
