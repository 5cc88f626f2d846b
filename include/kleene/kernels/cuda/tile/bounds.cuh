// Bounds of the values that a block looks at, on their way into an operand_report.
#pragma once

#include "kleene/kernels/cuda/tile/operand_report.hpp"

#include <type_traits>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// What one thread has seen. Elements that do not order like numbers have no bounds.
template <class T>
struct value_bounds {
  T low{}, high{};
  bool any = false;

  __device__ void add(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      low = !any || value < low ? value : low;
      high = !any || value > high ? value : high;
      any = true;
    }
  }
  // All threads of the block, once.
  __device__ void report(operand_report* to) const {
    if constexpr (std::is_arithmetic_v<T>) {
      __shared__ long long low_key, high_key;
      if (threadIdx.x == 0)
        low_key = operand_report::key(operand_report::highest),
        high_key = operand_report::key(-operand_report::highest);
      __syncthreads();
      if (any) {
        atomicMin(&low_key, operand_report::key(static_cast<double>(low)));
        atomicMax(&high_key, operand_report::key(static_cast<double>(high)));
      }
      __syncthreads();
      if (threadIdx.x == 0) atomicMin(&to->low, low_key), atomicMax(&to->high, high_key);
    }
  }
};

}  // namespace kleene::kernels::cuda
