// A pass over the operands: the least number of each line, the highest level above it, and whether every element can be
// coded.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

namespace kleene::kernels::cuda {

static __global__ void clear_exponent_findings(exponent_findings* found) {
  gpu::launch_dependents();
  *found = {};
}

inline constexpr int inspect_lines = 32, inspect_lanes = 32;  // a block's lines, and the threads of each

// The least and the greatest number of a line, as far as one thread has seen it.
struct line_extremes {
  std::int32_t least = most_whole_number, most = -most_whole_number;
  bool other = false;

  __device__ void take(const whole_number& x) {
    if (x.kind == whole_number::other) other = true;
    if (x.kind != whole_number::finite) return;
    least = min(least, x.value), most = max(most, x.value);
  }
};

// Neighbouring threads read what lies next to each other: numbers of one line, or one number each of lines.
template <class S>
__device__ void inspect_lines_of(const exponent_lines<S>& x, index_t first, int& highest, unsigned& others) {
  __shared__ std::int32_t least[inspect_lines], most[inspect_lines];
  const int thread = static_cast<int>(threadIdx.x);
  const bool along = x.stride == 1 || x.line_stride != 1;
  const int lane = along ? thread % inspect_lanes : thread / inspect_lines;
  const int line = along ? thread / inspect_lanes : thread % inspect_lines;
  if (thread < inspect_lines) least[thread] = most_whole_number, most[thread] = -most_whole_number;
  __syncthreads();
  line_extremes seen;
  if (first + line < x.lines) {
    const value_of<S>* const at = x.data + (first + line) * x.line_stride;
    for (index_t k = lane; k < x.depth; k += inspect_lanes) seen.take(whole_number_of<S>(at[k * x.stride]));
  }
  atomicMin(&least[line], seen.least);
  atomicMax(&most[line], seen.most);
  const bool other = __syncthreads_or(seen.other);
  if (thread >= 32) return;
  if (first + thread < x.lines) x.least[first + thread] = least[thread];
  const int level = __reduce_max_sync(gpu::all_lanes, most[thread] - least[thread]);
  if (thread > 0) return;
  if (level > highest) atomicMax(&highest, level);
  if (other) atomicOr(&others, 1u);
}

// A's blocks first.
template <class S>
__global__ void __launch_bounds__(inspect_lines* inspect_lanes)
    inspect_exponents(const __grid_constant__ exponent_lines<S> a, const __grid_constant__ exponent_lines<S> b,
                      const unsigned blocks_a, exponent_findings* found) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (blockIdx.x < blocks_a) {
    inspect_lines_of(a, index_t{blockIdx.x} * inspect_lines, found->most_a, found->others);
  } else {
    inspect_lines_of(b, index_t{blockIdx.x - blocks_a} * inspect_lines, found->most_b, found->others);
  }
}

template <class S>
void enqueue_inspect_exponents(const exponent_lines<S>& a, const exponent_lines<S>& b, exponent_findings* found,
                               cudaStream_t stream) {
  gpu::launch(clear_exponent_findings, {1, 1, 0, stream}, found);
  const unsigned blocks_a = gpu::grid_of(ceil_div(a.lines, inspect_lines));
  const unsigned blocks = gpu::grid_of(blocks_a + ceil_div(b.lines, inspect_lines));
  gpu::launch(inspect_exponents<S>, {blocks, inspect_lines * inspect_lanes, 0, stream, true}, a, b, blocks_a, found);
}

}  // namespace kleene::kernels::cuda
