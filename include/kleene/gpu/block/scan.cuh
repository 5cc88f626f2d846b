// Scan and fold over the threads of a block, for any associative operator; the order of the operands is kept and the
// tree is fixed, so that results repeat.
//
//   __shared__ block_scan<T, Threads>::storage shared;
//   const T before = block_scan<T, Threads>::exclusive(shared, mine, op);   // thread 0: not to be used
//   const T all = block_scan<T, Threads>::total(shared, op);                // after it, in any thread
//
// All threads of the block call exclusive(), fold() or fold_warps(). The storage may be used again after the block's
// next barrier.
#pragma once

#include "kleene/gpu/block/warp.cuh"

namespace kleene::gpu {

template <class T, int Threads>
struct block_scan {
  static_assert(Threads % warp_size == 0 && Threads <= 1024, "whole warps");
  static constexpr int warps = Threads / warp_size;

  struct storage {
    alignas(16) unsigned char bytes[warps * sizeof(T)];
    __device__ T& total_of(int warp) { return reinterpret_cast<T*>(bytes)[warp]; }
  };

  // The total of the threads before this one.
  template <class Op>
  static __device__ __forceinline__ T exclusive(storage& shared, const T& mine, const Op& op) {
    const int lane = lane_id(), warp = static_cast<int>(threadIdx.x) / warp_size;
    const T through = warp_inclusive_scan(mine, op);
    if (lane == warp_size - 1) shared.total_of(warp) = through;
    T before = warp_up(through, 1);
    __syncthreads();
    if (warp > 0) {
      T left = shared.total_of(0);
#pragma unroll
      for (int w = 1; w < warps - 1; ++w)
        if (w < warp) left = op(left, shared.total_of(w));
      before = lane > 0 ? op(left, before) : left;
    }
    return before;
  }

  // The total of all threads that called exclusive().
  template <class Op>
  static __device__ __forceinline__ T total(storage& shared, const Op& op) {
    T sum = shared.total_of(0);
#pragma unroll
    for (int w = 1; w < warps; ++w) sum = op(sum, shared.total_of(w));
    return sum;
  }

  // The total of the block, in every thread.
  template <class Op>
  static __device__ __forceinline__ T fold(storage& shared, const T& mine, const Op& op) {
    return fold_warps(shared, warp_fold(mine, op), op);
  }

  // The same where lane 0 of each warp has the warp's total.
  template <class Op>
  static __device__ __forceinline__ T fold_warps(storage& shared, const T& of_warp, const Op& op) {
    if (lane_id() == 0) shared.total_of(static_cast<int>(threadIdx.x) / warp_size) = of_warp;
    __syncthreads();
    return total(shared, op);
  }
};

}  // namespace kleene::gpu
