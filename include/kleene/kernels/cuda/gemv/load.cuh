// Loads of neighbouring elements: 16 aligned bytes at once, or one element.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/half.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// Of the matrix: every element is used once, so it passes by L1, which x needs.
template <int N, class T>
__device__ __forceinline__ void load_once(T (&to)[N], const T* from) {
  if constexpr (N > 1) {
    static_assert(N * sizeof(T) == 16);
    uint4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(from));
    std::memcpy(to, &bits, 16);
  } else {
    to[0] = *from;
  }
}

// Of x, which other rows will ask for.
template <int N, class T>
__device__ __forceinline__ void load_again(T (&to)[N], const T* from) {
  if constexpr (N > 1) {
    static_assert(N * sizeof(T) == 16);
    const uint4 bits = __ldg(reinterpret_cast<const uint4*>(from));
    std::memcpy(to, &bits, 16);
  } else {
    to[0] = *from;
  }
}

// widen<S>(x); of f16 by the device's own instruction.
template <class S>
__device__ __forceinline__ accumulator_of<S> widen_element(const value_of<S>& x) {
  if constexpr (std::is_same_v<value_of<S>, f16> && !requires { S::widen(x); }) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
    return value;
  } else {
    return widen<S>(x);
  }
}

}  // namespace kleene::kernels::cuda
