// The ladder's ground: one thread sums one element of C, straight from global memory. Every element of A and B is read
// 4096 times, and all that helps is the cache.
#pragma once

#include "kleene/algebra/half.hpp"
#include "kleene/data/integers.hpp"

#include <cuda_runtime.h>

namespace kleene::bench {

// C = A B, row-major. The rungs above this one take m and n in multiples of 128, k of 64.
struct ladder_product {
  const bf16* a;
  const bf16* b;
  float* c;
  int m, n, k;
};

__global__ void naive_product(const ladder_product p) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.m || j >= p.n) return;
  float sum = 0;
  for (int k = 0; k < p.k; ++k) sum += float(p.a[i * p.k + k]) * float(p.b[k * p.n + j]);
  p.c[i * p.n + j] = sum;
}

inline void launch_naive(const ladder_product& p, cudaStream_t stream) {
  const dim3 threads(32, 8), blocks(ceil_div(p.n, 32), ceil_div(p.m, 8));
  naive_product<<<blocks, threads, 0, stream>>>(p);
}

}  // namespace kleene::bench
