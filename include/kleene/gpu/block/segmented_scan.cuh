// Segmented scans by head flags, a bit for each lane or thread: cheaper than scans of pairs of a flag and a value.
// Source: Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing", 2007.
#pragma once

#include "kleene/gpu/block/warp.cuh"

namespace kleene::gpu {

// The total from the nearest head at or before this lane, this lane's value included. `heads`: a bit for each lane.
template <class T, class Op>
__device__ __forceinline__ T warp_segmented_scan(T value, unsigned heads, const Op& op) {
  const int lane = lane_id();
  const unsigned until_here = heads & (all_lanes >> (warp_size - 1 - lane));
  const int reach = until_here != 0 ? lane - (31 - __clz(static_cast<int>(until_here))) : lane;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T left = warp_up(value, distance);
    if (distance <= reach) value = op(left, value);
  }
  return value;
}

// The same over the threads of a block, from the nearest thread at or before this one that is a head.
template <int Threads, class T>
struct block_segmented_scan {
  static constexpr int warps = Threads / warp_size;
  alignas(16) unsigned char sums[warps * sizeof(T)];
  bool has_head[warps];

  template <class Op>
  __device__ __forceinline__ T inclusive(const T& value, bool is_head, const Op& op) {
    T* const of_warp = reinterpret_cast<T*>(sums);
    const int lane = lane_id(), warp = static_cast<int>(threadIdx.x) / warp_size;
    const unsigned lanes = __ballot_sync(all_lanes, is_head);
    const T in_warp = warp_segmented_scan(value, lanes, op);
    if (lane == warp_size - 1) of_warp[warp] = in_warp, has_head[warp] = lanes != 0;
    __syncthreads();
    const unsigned warp_heads = __ballot_sync(all_lanes, lane < warps && has_head[lane]);
    const T through = warp_segmented_scan(lane < warps ? of_warp[lane] : value, warp_heads, op);
    const T before = warp_from(through, max(warp - 1, 0));
    return warp > 0 && (lanes & (all_lanes >> (warp_size - 1 - lane))) == 0 ? op(before, in_warp) : in_warp;
  }
};

}  // namespace kleene::gpu
