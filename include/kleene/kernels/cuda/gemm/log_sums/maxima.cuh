// The maximum of each line.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/lines.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

inline constexpr int maxima_threads = 256, maxima_lines = 32, maxima_depth = 512;

template <class T>
__global__ void clear_log_maxima(const __grid_constant__ log_lines<T> a, const __grid_constant__ log_lines<T> b) {
  gpu::launch_dependents();
  const index_t thread = index_t{blockIdx.x} * blockDim.x + threadIdx.x, threads = index_t{gridDim.x} * blockDim.x;
  const auto none = ordered<T>::of(no_term<T>);
  for (index_t i = thread; i < a.lines; i += threads) a.most[i] = none;
  for (index_t i = thread; i < b.lines; i += threads) b.most[i] = none;
}

// 32 lines, 512 numbers of each: neighbouring threads read what lies next to each other.
template <class T>
__device__ void find_maxima(const log_lines<T>& x, index_t first_line, index_t first) {
  __shared__ typename ordered<T>::key most[maxima_lines];
  const int thread = static_cast<int>(threadIdx.x);
  const bool along = x.along();
  const auto none = ordered<T>::of(no_term<T>);
  if (thread < maxima_lines) most[thread] = none;
  __syncthreads();
  const index_t end = min(x.depth, first + maxima_depth);
  for (int l = along ? thread / 32 : thread % 32; l < maxima_lines; l += along ? maxima_threads / 32 : maxima_lines) {
    if (first_line + l >= x.lines) break;
    const T* const from = x.data + (first_line + l) * x.line_stride;
    T seen = no_term<T>;
    const int step = along ? 32 : maxima_threads / 32;
#pragma unroll 8
    for (index_t k = first + (along ? thread % 32 : thread / 32); k < end; k += step)
      seen = max(seen, from[k * x.stride]);
    atomicMax(most + l, ordered<T>::of(seen));
  }
  __syncthreads();
  if (thread < maxima_lines && first_line + thread < x.lines) atomicMax(x.most + first_line + thread, most[thread]);
}

// A's blocks first.
template <class T>
__global__ void __launch_bounds__(maxima_threads)
    find_log_maxima(const __grid_constant__ log_lines<T> a, const __grid_constant__ log_lines<T> b,
                    const unsigned blocks_a, const unsigned deep) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const bool is_a = blockIdx.x < blocks_a;
  const unsigned block = is_a ? blockIdx.x : blockIdx.x - blocks_a;
  find_maxima(is_a ? a : b, index_t{block / deep} * maxima_lines, index_t{block % deep} * maxima_depth);
}

template <class T>
void enqueue_log_maxima(const log_lines<T>& a, const log_lines<T>& b, cudaStream_t stream) {
  gpu::launch(clear_log_maxima<T>, {64, 256, 0, stream}, a, b);
  const auto deep = static_cast<unsigned>(ceil_div(a.depth, maxima_depth));
  const index_t blocks_a = deep * ceil_div(a.lines, maxima_lines), blocks_b = deep * ceil_div(b.lines, maxima_lines);
  gpu::launch(find_log_maxima<T>, {gpu::grid_of(blocks_a + blocks_b), maxima_threads, 0, stream, true}, a, b,
              gpu::grid_of(blocks_a), deep);
}

}  // namespace kleene::kernels::cuda
