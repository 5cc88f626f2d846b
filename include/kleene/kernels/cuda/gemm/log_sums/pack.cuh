// Exponentials of both operands, in two parts of f16, in panels. Lines and numbers behind the operand's are 0.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/arguments.cuh"

#include <cuda_fp16.h>

namespace kleene::kernels::cuda {

inline constexpr int pack_log_threads = 256, pack_log_chunks = log_sums_sm90::block_rows * 8;

// scale exp(x - shift): the difference keeps its rounding error, which matters where the two are far apart.
template <class T>
__device__ __forceinline__ T log_factor(T x, T shift, T scale) {
  const T below = x - shift, back = below - x;
  const T error = (x - (below - back)) + (-shift - back);
  const T factor = exp(below) * scale;
  return error == error ? fma(factor, error, factor) : factor;  // infinities have no error
}

// One piece: 64 numbers of each of a panel's lines, eight to a thread at a time, through shared memory.
__device__ __forceinline__ void pack_log_piece(const log_lines<float>& x, const log_panels& to, index_t piece) {
  __shared__ uint4 chunks[log_sums_sm90::parts][pack_log_chunks];
  const index_t panel = piece / to.steps, step = piece % to.steps;
  const bool along = x.along();
  const int all = to.rows * 8;
  for (int n = static_cast<int>(threadIdx.x); n < all; n += pack_log_threads) {
    const int row = along ? n / 8 : n % to.rows, chunk = along ? n % 8 : n / to.rows;
    const index_t line = panel * to.rows + row, first = step * log_sums_sm90::depth + chunk * 8;
    __half2 high[4], low[4];
    if (line < x.lines) {
      const float* const from = x.data + line * x.line_stride;
      const float shift = x.shift(line);
      float factors[8];
#pragma unroll
      for (int e = 0; e < 8; ++e)
        factors[e] = first + e < x.depth ? log_factor(from[(first + e) * x.stride], shift, 0x1p15f) : 0.0f;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        high[e] = __floats2half2_rn(factors[2 * e], factors[2 * e + 1]);
        const float2 is = __half22float2(high[e]);
        low[e] = __floats2half2_rn(factors[2 * e] - is.x, factors[2 * e + 1] - is.y);
      }
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) high[e] = low[e] = __floats2half2_rn(0, 0);
    }
    const int at = row * 8 + gpu::swizzled_chunk(row, chunk);
    chunks[0][at] = *reinterpret_cast<const uint4*>(high);
    chunks[1][at] = *reinterpret_cast<const uint4*>(low);
  }
  __syncthreads();
  uint4* const at = to.piece(panel, step);
  for (int n = static_cast<int>(threadIdx.x); n < log_sums_sm90::parts * all; n += pack_log_threads)
    at[n] = chunks[n / all][n % all];
}

// A's pieces first.
static __global__ void __launch_bounds__(pack_log_threads)
    pack_log_factors(const __grid_constant__ log_lines<float> a, const __grid_constant__ log_lines<float> b,
                     const __grid_constant__ log_panels to_a, const __grid_constant__ log_panels to_b) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const index_t pieces_a = to_a.panels * to_a.steps;
  if (blockIdx.x < pieces_a) pack_log_piece(a, to_a, blockIdx.x);
  else pack_log_piece(b, to_b, blockIdx.x - pieces_a);
}

inline void enqueue_log_factors(const log_lines<float>& a, const log_lines<float>& b, const log_panels& to_a,
                                const log_panels& to_b, cudaStream_t stream) {
  const unsigned blocks = gpu::grid_of(to_a.panels * to_a.steps + to_b.panels * to_b.steps);
  gpu::launch(pack_log_factors, {blocks, pack_log_threads, 0, stream, true}, a, b, to_a, to_b);
}

}  // namespace kleene::kernels::cuda
