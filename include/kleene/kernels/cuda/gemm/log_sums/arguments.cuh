// The arguments of a log-sum-exp product on the tensor cores of sm_90: panels of factors, sums of earlier k.
#pragma once

#include "kleene/kernels/cuda/gemm/log_sums/lines.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/policy.hpp"
#include "kleene/kernels/cuda/gemm/raster.hpp"

namespace kleene::kernels::cuda {

// Factors of an operand as wgmma wants them: panels of `rows` lines, in pieces of 64 numbers of each, the high parts of
// a piece before its low parts. Rows of 128 bytes, whose eight chunks are swizzled.
struct log_panels {
  uint4* memory = nullptr;
  int rows = 0;
  index_t panels = 0, steps = 0;

  __device__ uint4* piece(index_t panel, index_t step) const {
    return memory + (panel * steps + step) * (rows * 8 * log_sums_sm90::parts);
  }
};

template <class G>
struct log_sums_arguments : log_problem<G> {
  using log_problem<G>::log_problem;

  log_panels a, b;
  unsigned tiles_m = 0, tiles_n = 0;
  // Where k comes in ranges, a launch each: [m][n] sums of those before.
  double* totals = nullptr;
  bool is_first = true, is_last = true;

  __device__ unsigned tiles() const { return tiles_m * tiles_n; }
  __device__ raster_tile place(unsigned tile) const { return rasterise(tile, tiles_m, tiles_n, log_sums_sm90::group); }
};

}  // namespace kleene::kernels::cuda
