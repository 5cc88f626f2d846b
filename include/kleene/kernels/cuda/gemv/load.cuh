// Loads of the matrix: every element is used once, so it passes by L1, which x needs.
#pragma once

#include "kleene/gpu/block/vector.cuh"

#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// N neighbouring elements; 16 bytes, aligned, or one element.
template <int N, class T>
__device__ __forceinline__ void load_once(T (&to)[N], const T* from) {
  if constexpr (N * sizeof(T) == 16) {
    uint4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(from));
    std::memcpy(to, &bits, 16);
  } else {
    gpu::load_vector<N>(to, from);
  }
}

}  // namespace kleene::kernels::cuda
