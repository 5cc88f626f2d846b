// Vector loads and stores of adjacent elements, in as few instructions as their size allows.
#pragma once

#include <cuda_runtime.h>

namespace kleene::gpu {

// Loads N elements; from is aligned to N * sizeof(T) where that is 4, 8 or 16 bytes.
template <int N, class T>
__device__ __forceinline__ void load_vector(T* to, const T* from) {
  constexpr int bytes = N * sizeof(T);
  if constexpr (bytes == 16) *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  else if constexpr (bytes == 8) *reinterpret_cast<uint2*>(to) = *reinterpret_cast<const uint2*>(from);
  else {
#pragma unroll
    for (int n = 0; n < N; ++n) to[n] = from[n];
  }
}

// Stores N elements; to is aligned likewise.
template <int N, class T>
__device__ __forceinline__ void store_vector(T* to, const T* from) {
  load_vector<N>(to, from);
}

}  // namespace kleene::gpu
