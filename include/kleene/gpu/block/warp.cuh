// What the 32 lanes of a warp do together with values of any trivially copyable type: exchange, scan, fold.
// All lanes take part in every call.
#pragma once

#include "kleene/data/integers.hpp"

#include <cstring>

#include <cuda_runtime.h>

namespace kleene::gpu {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ __forceinline__ int lane_id() { return static_cast<int>(threadIdx.x) % warp_size; }

namespace detail {

// A value as 32-bit words, which is what shuffles move.
template <class T>
struct words {
  static constexpr int count = ceil_div(sizeof(T), 4);
  unsigned word[count];

  __device__ explicit words(const T& value) : word{} { std::memcpy(word, &value, sizeof(T)); }
  __device__ T value() const {
    T result;
    std::memcpy(&result, word, sizeof(T));
    return result;
  }
};

template <class T, class Shuffle>
__device__ __forceinline__ T exchange(const T& value, const Shuffle& shuffle) {
  words<T> w(value);
#pragma unroll
  for (int i = 0; i < w.count; ++i) w.word[i] = shuffle(w.word[i]);
  return w.value();
}

}  // namespace detail

// The value of the lane `distance` below; lanes below that keep their own.
template <class T>
__device__ __forceinline__ T warp_up(const T& value, int distance) {
  return detail::exchange(value, [=](unsigned word) { return __shfl_up_sync(all_lanes, word, distance); });
}

// The value of the lane `distance` above; lanes above that keep their own.
template <class T>
__device__ __forceinline__ T warp_down(const T& value, int distance) {
  return detail::exchange(value, [=](unsigned word) { return __shfl_down_sync(all_lanes, word, distance); });
}

// The value of the lane whose number differs in the bits of `mask`.
template <class T>
__device__ __forceinline__ T warp_xor(const T& value, int mask) {
  return detail::exchange(value, [=](unsigned word) { return __shfl_xor_sync(all_lanes, word, mask); });
}

// The value of that lane.
template <class T>
__device__ __forceinline__ T warp_from(const T& value, int lane) {
  return detail::exchange(value, [=](unsigned word) { return __shfl_sync(all_lanes, word, lane); });
}

// Lane 0 gets all values, combined from left to right in a fixed tree; other lanes get nothing to be used.
template <class T, class Op>
__device__ __forceinline__ T warp_fold(T value, const Op& op) {
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) value = op(value, warp_down(value, distance));
  return value;
}

// Lane l gets the values of lanes 0 .. l, combined from left to right in a fixed tree.
// Source: Hillis and Steele, "Data parallel algorithms", 1986.
template <class T, class Op>
__device__ __forceinline__ T warp_inclusive_scan(T value, const Op& op) {
  const int lane = lane_id();
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T left = warp_up(value, distance);
    if (lane >= distance) value = op(left, value);
  }
  return value;
}

}  // namespace kleene::gpu
