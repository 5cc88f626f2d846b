// The kernel of all scans on CUDA devices: one pass, each item read once and written once. A tile a block; each thread
// takes some adjacent items, threads combine by block_scan, tiles by look-back. Determinate for floats
// (gpu/block/lookback.cuh).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/lookback.cuh"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/cuda/tiles/tile.cuh"

namespace kleene {
namespace streaming {

// The result of an exclusive scan at an item, from what comes before it and the item itself.
struct what_comes_before {
  template <class T>
  __device__ T operator()(const T& before, const T&) const {
    return before;
  }
};

template <class Grain, bool Exclusive, class In, class Out, class T, class Op, class Result>
__global__ void __launch_bounds__(Grain::threads)
    scan_tiles(In in, Out out, index_t count, T init, gpu::lookback<T> tiles, Op op, Result result) {
  constexpr int threads = Grain::threads, values = Grain::values, size = threads * values;
  using scan = gpu::block_scan<T, threads>;
  __shared__ tile_buffer<T, size> buffer;
  __shared__ typename scan::storage sums;
  __shared__ alignas(16) unsigned char left_bytes[sizeof(T)];
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(buffer) + sizeof(sums) + sizeof(left_bytes)>::fits);

  const index_t tile = blockIdx.x, first = tile * size;
  const int here = static_cast<int>(min(index_t{size}, count - first));
  const int thread = static_cast<int>(threadIdx.x), start = thread * values;

  set_up(&arrived, 1);
  T* const items = tile_in<T>(buffer, in + first);
  gpu::grid_dependency_wait();
  start_load_tile<threads>(items, in + first, here, &arrived);
  finish_load_tile(&arrived);

  // Items are read twice, so that no registers hold them while the block waits for its left. Beyond the end: the last
  // item again, which nothing looks at.
  const auto item = [&](int i) -> T { return items[here == size ? start + i : min(start + i, here - 1)]; };
  T sum = item(0);
#pragma unroll
  for (int i = 1; i < values; ++i) sum = op(sum, item(i));

  T before = scan::exclusive(sums, sum, op);
  T& left = *reinterpret_cast<T*>(left_bytes);
  if (thread < gpu::warp_size) {
    T all = tiles.exclusive_prefix(tile, scan::total(sums, op), op);
    if constexpr (Exclusive) all = tile > 0 ? op(init, all) : init;
    if (thread == 0) left = all;
  }
  __syncthreads();
  const bool has_left = Exclusive || tile > 0;
  if (has_left) before = thread > 0 ? op(left, before) : left;
  T x[values];
#pragma unroll
  for (int i = 0; i < values; ++i) x[i] = item(i);
  __syncthreads();  // results need not have the alignment of items

  if constexpr (Exclusive) {
#pragma unroll
    for (int i = 0; i < values; ++i) {
      const T next = op(before, x[i]);
      x[i] = result(before, x[i]);
      before = next;
    }
  } else {
    if (has_left || thread > 0) x[0] = op(before, x[0]);
#pragma unroll
    for (int i = 1; i < values; ++i) x[i] = op(x[i - 1], x[i]);
  }

  T* const results = tile_in<T>(buffer, out + first);
#pragma unroll
  for (int i = 0; i < values; ++i) results[start + i] = x[i];
  store_tile<threads>(out + first, results, here);
}

template <class Grain, bool Exclusive, class In, class Out, class T, class Op, class Result = what_comes_before>
Out scan_on_cuda(const context& ctx, In first, index_t count, Out out, T init, Op op, Result result = {}) {
  using G = chosen_grain<Grain, scan_grain<sizeof(T)>>;
  const index_t blocks = ceil_div(count, G::threads * G::values);
  if (blocks == 0) return out;
  launch(ctx, scan_tiles<G, Exclusive, In, Out, T, Op, Result>, blocks, G::threads, first, out, count, init,
         gpu::lookback<T>::make(ctx, blocks), op, result);
  return out + count;
}

}  // namespace streaming
}  // namespace kleene
