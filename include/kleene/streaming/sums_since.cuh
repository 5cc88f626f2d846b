// Sums that begin anew at some lanes or threads, by flags of one bit: cheaper than scans of pairs (open_sum.cuh).
#pragma once

#include "kleene/streaming/warp.cuh"

namespace kleene::streaming {

// What lanes hold from the last lane in `restarts` on, this lane's included.
template <class T, class Op>
__device__ __forceinline__ T warp_sum_since(T value, unsigned restarts, const Op& op) {
  const int lane = lane_id();
  const unsigned until_here = restarts & (all_lanes >> (warp_size - 1 - lane));
  const int reach = until_here != 0 ? lane - (31 - __clz(static_cast<int>(until_here))) : lane;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T left = warp_up(value, distance);
    if (distance <= reach) value = op(left, value);
  }
  return value;
}

// The same over the threads of a block: from the last one on that begins anew.
template <int Threads, class T>
struct block_sums {
  static constexpr int warps = Threads / warp_size;
  alignas(16) unsigned char sums[warps * sizeof(T)];
  bool anew[warps];

  template <class Op>
  __device__ __forceinline__ T since(const T& value, bool begins, const Op& op) {
    T* const of_warp = reinterpret_cast<T*>(sums);
    const int lane = lane_id(), warp = static_cast<int>(threadIdx.x) / warp_size;
    const unsigned lanes = __ballot_sync(all_lanes, begins);
    const T in_warp = warp_sum_since(value, lanes, op);
    if (lane == warp_size - 1) of_warp[warp] = in_warp, anew[warp] = lanes != 0;
    __syncthreads();
    const unsigned warps_anew = __ballot_sync(all_lanes, lane < warps && anew[lane]);
    const T through = warp_sum_since(lane < warps ? of_warp[lane] : value, warps_anew, op);
    const T before = warp_from(through, max(warp - 1, 0));
    return warp > 0 && (lanes & (all_lanes >> (warp_size - 1 - lane))) == 0 ? op(before, in_warp) : in_warp;
  }
};

// Where sums begin anew among 32 neighbours, be they quads or rows of 32 quads: at those with an end, as what goes on
// from them is what follows their last end, and behind those whose last item is an end.
struct restarts {
  unsigned some, last;
  __device__ __forceinline__ restarts(bool has_end, bool last_is_end)
      : some(__ballot_sync(all_lanes, has_end)), last(__ballot_sync(all_lanes, last_is_end)) {}
  __device__ unsigned all() const { return some | last << 1; }
  // Whether something goes on from neighbour n into the next; from whatever is before the first into neighbour n.
  __device__ bool leave(int n) const { return n >= 0 && !(last >> n & 1); }
  __device__ bool reach(int n) const { return (all() & ((2u << n) - 1)) == 0; }
};

}  // namespace kleene::streaming
