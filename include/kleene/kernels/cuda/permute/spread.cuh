// A witness to where the caller wants it: a thread an element.
#pragma once

#include "kleene/kernels/cuda/permute/launch.hpp"

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

static __global__ void __launch_bounds__(permute_threads) spread_witness(const __grid_constant__ spread_arguments p) {
  const index_t stride = index_t{gridDim.x} * permute_threads;
  for (index_t e = index_t{blockIdx.x} * permute_threads + threadIdx.x; e < p.count; e += stride) {
    index_t left = e, at = 0;
#pragma unroll 1
    for (int a = p.axes - 1; a >= 0; --a) {
      at += left % p.axis[a].extent * p.axis[a].stride;
      left /= p.axis[a].extent;
    }
    p.to[at] = p.from[e];
  }
}

}  // namespace kleene::kernels::cuda
