// log_plus f64 on devices whose tensor cores multiply doubles (sm_80 and later): factors exp(x - maximum of its line),
// plus_times' product of those, logarithms where a sum proves itself.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/lines.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/pack.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/policy.hpp"

namespace kleene::kernels::cuda {

// Factors of a range of k, along whichever way the operand's numbers are neighbours; both strides but the one of
// neighbours are even, so that copies of 16 bytes can be made of them.
struct double_factors {
  double* memory = nullptr;
  index_t line_stride = 0, stride = 0;

  double_factors(double* at, const log_lines<double>& x, index_t range)
      : memory(at),
        line_stride(x.along() ? round_up(range, index_t{2}) : 1),
        stride(x.along() ? 1 : round_up(x.lines, index_t{2})) {}
};
inline constexpr int double_factors_threads = 256, double_factors_rows = 16;

inline index_t blocks_of_factors(const log_lines<double>& x) {
  const index_t inner = x.along() ? x.depth : x.lines, outer = x.along() ? x.lines : x.depth;
  return ceil_div(inner, double_factors_threads) * ceil_div(outer, double_factors_rows);
}

// A's blocks first: 256 neighbours of 16 lines, or 16 of k.
template <class T>
__global__ void __launch_bounds__(double_factors_threads)
    pack_double_factors(const __grid_constant__ log_lines<T> a, const __grid_constant__ log_lines<T> b,
                        const __grid_constant__ double_factors to_a, const __grid_constant__ double_factors to_b,
                        const unsigned blocks_a) {
  gpu::grid_dependency_wait();
  const bool is_a = blockIdx.x < blocks_a;
  const log_lines<T>& x = is_a ? a : b;
  const double_factors& to = is_a ? to_a : to_b;
  const unsigned block = is_a ? blockIdx.x : blockIdx.x - blocks_a;
  const bool along = x.along();
  const index_t inner = along ? x.depth : x.lines, outer = along ? x.lines : x.depth;
  const auto across = static_cast<unsigned>(ceil_div(inner, double_factors_threads));
  const index_t at = index_t{block % across} * double_factors_threads + threadIdx.x;
  const index_t first = index_t{block / across} * double_factors_rows;
  if (at >= inner) return;
  for (index_t o = first; o < min(outer, first + double_factors_rows); ++o) {
    const index_t line = along ? o : at, k = along ? at : o;
    to.memory[line * to.line_stride + k * to.stride] =
        log_factor(x.data[line * x.line_stride + k * x.stride], x.shift(line), T(1));
  }
}

// The elements of a tile whose sums prove themselves; marks the others.
template <class G>
__global__ void __launch_bounds__(stream_threads)
    store_double_sums(const __grid_constant__ log_problem<G> p, const double* sums) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const G g = p.product();
  gemm_writer<G> writer{g, 0};
  const index_t row = blockIdx.x / p.stream_tiles_n() * stream_tile,
                col = blockIdx.x % p.stream_tiles_n() * stream_tile;
  bool failed = false;
  for (int e = static_cast<int>(threadIdx.x); e < stream_tile * stream_tile; e += stream_threads) {
    const index_t i = row + e / stream_tile, j = col + e % stream_tile;
    if (i >= g.m || j >= g.n) continue;
    const double sum = sums[i * g.n + j];
    const bool proved = log_sums_f64::proves(sum, g.k);
    if (proved) {  // the sum of the maxima keeps its rounding error: C may be near 0
      const double a = p.lines_a.shift(i), b = p.lines_b.shift(j), both = a + b, back = both - a;
      writer.store(i, j, both + (std::log(sum) + ((a - (both - back)) + (b - back))));
    }
    p.failed[i * g.n + j] = !proved;
    failed |= !proved;
  }
  failed = __syncthreads_or(failed);
  if (threadIdx.x == 0) p.failed_tiles[blockIdx.x] = failed;
}

}  // namespace kleene::kernels::cuda
