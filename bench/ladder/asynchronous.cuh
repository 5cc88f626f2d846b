// The second rung: the same tiles and sums, but copies pass registers by (cp.async) and run two steps of k ahead, in a
// ring of three buffers. While a step is multiplied, the next two are in flight; nobody waits for memory, only for
// each other, once a step.
#pragma once

#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "ladder/blocking.cuh"

namespace kleene::bench {

__global__ void __launch_bounds__(ladder_tiles::threads) asynchronous_product(const ladder_product p) {
  constexpr int stages = 3;
  extern __shared__ __align__(128) unsigned char ring[];
  const std::uint32_t shared = gpu::shared_address(ring);
  const int steps = p.k / ladder_tiles::depth;
  const auto fetch = [&](int step) {
    const std::uint32_t to = shared + step % stages * ladder_tiles::bytes;
    if (step < steps)
      for_each_chunk(p, step * ladder_tiles::depth,
                     [&](int place, const bf16* from) { gpu::cp_async(to + place, from, 16); });
    gpu::cp_async_commit();
  };
  for (int step = 0; step < stages - 1; ++step) fetch(step);
  ladder_sums sum = {};
  for (int step = 0; step < steps; ++step) {
    gpu::cp_async_wait<stages - 2>();  // this thread's copies of the step are there,
    __syncthreads();                   // now everybody's are, and the step before is multiplied: its buffer is free
    fetch(step + stages - 1);
    multiply_tiles(sum, shared + step % stages * ladder_tiles::bytes);
  }
  store_sums(p, sum);
}

inline void launch_asynchronous(const ladder_product& p, cudaStream_t stream) {
  constexpr int bytes = 3 * ladder_tiles::bytes;
  cudaFuncSetAttribute(asynchronous_product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  asynchronous_product<<<dim3(p.n / ladder_tiles::edge, p.m / ladder_tiles::edge), ladder_tiles::threads, bytes,
                         stream>>>(p);
}

}  // namespace kleene::bench
