// Bounds of the values that a block reads: by thread, by warp, by block, then into an operand_report.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/kernels/cuda/tile/operand_report.hpp"

#include <limits>
#include <type_traits>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// Bounds of what one thread has read; low is above high as long as that is nothing. Elements that do not order like
// numbers have no bounds.
template <class T>
struct value_bounds {
  static constexpr bool ordered = std::is_arithmetic_v<T>;
  T low = end(true), high = end(false);

  // A NaN is neither below nor above.
  __device__ void add(const T& value, bool counts = true) {
    if constexpr (ordered) {
      low = counts & (value < low) ? value : low;
      high = counts & (value > high) ? value : high;
    }
  }
  // Combines the bounds of a block into `to`. All threads of the block call it, once; the block has full warps.
  __device__ void report(operand_report* to) {
    if constexpr (ordered) {
      __shared__ T lows[32], highs[32];
      join_warp();
      const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      if (lane == 0) lows[warp] = low, highs[warp] = high;
      __syncthreads();
      if (warp != 0) return;
      if (lane < blockDim.x / 32) low = lows[lane], high = highs[lane];
      join_warp();
      if (lane != 0 || low > high) return;
      atomicMin(&to->low, operand_report::key(static_cast<double>(low)));
      atomicMax(&to->high, operand_report::key(static_cast<double>(high)));
    }
  }

 private:
  __device__ static constexpr T end(bool upper) {
    if constexpr (std::is_floating_point_v<T>)
      return upper ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    else if constexpr (ordered) return upper ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    else return T{};
  }
  __device__ void join_warp() {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      const T other_low = gpu::warp_xor(low, lanes), other_high = gpu::warp_xor(high, lanes);
      low = other_low < low ? other_low : low;
      high = other_high > high ? other_high : high;
    }
  }
};

}  // namespace kleene::kernels::cuda
