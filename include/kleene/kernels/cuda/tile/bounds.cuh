// Bounds of the values that a block looks at, on their way into an operand_report.
#pragma once

#include "kleene/kernels/cuda/tile/operand_report.hpp"

#include <limits>
#include <type_traits>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// What one thread has seen: nothing as long as low is above high. Elements that do not order like numbers have no
// bounds.
template <class T>
struct value_bounds {
  static constexpr bool ordered = std::is_arithmetic_v<T>;
  T low = end(true), high = end(false);

  __device__ void add(const T& value) {
    if constexpr (ordered) {
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
  }
  // All threads of the block, once; it has full warps.
  __device__ void report(operand_report* to) {
    if constexpr (ordered) {
      __shared__ T lows[32], highs[32];
      for (int lanes = 16; lanes > 0; lanes /= 2)
        add_both(__shfl_xor_sync(~0u, low, lanes), __shfl_xor_sync(~0u, high, lanes));
      const int warp = threadIdx.x / 32;
      if (threadIdx.x % 32 == 0) lows[warp] = low, highs[warp] = high;
      __syncthreads();
      if (threadIdx.x != 0) return;
      for (unsigned other = 1; other < blockDim.x / 32; ++other) add_both(lows[other], highs[other]);
      if (low > high) return;
      atomicMin(&to->low, operand_report::key(static_cast<double>(low)));
      atomicMax(&to->high, operand_report::key(static_cast<double>(high)));
    }
  }

 private:
  __device__ static constexpr T end(bool upper) {
    if constexpr (std::is_floating_point_v<T>)
      return upper ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    else if constexpr (ordered)
      return upper ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    else
      return T{};
  }
  __device__ void add_both(T other_low, T other_high) {
    low = other_low < low ? other_low : low;
    high = other_high > high ? other_high : high;
  }
};

}  // namespace kleene::kernels::cuda
