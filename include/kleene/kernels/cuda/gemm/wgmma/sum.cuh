// The sum over the steps of one tile, in a consumer's registers: by the tensor cores alone, or folded into sums in
// ordinary registers where theirs are too coarse.
#pragma once

#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/load.cuh"

namespace kleene::kernels::cuda {

// Turns of the consumers: a warpgroup waits for its own, and gives the other one the next.
__device__ __forceinline__ void wait_for_turn(int group) { gpu::named_barrier_sync(3 + group, 256); }
__device__ __forceinline__ void give_turn(int group) { gpu::named_barrier_arrive(3 + (group ^ 1), 256); }

// The sum over the steps of one tile, in a warpgroup's registers. The last wgmma is issued before the
// turn is handed over to the other consumer.
template <gpu::wgmma_type Kind, wgmma_policy P, gpu::major A, gpu::major B, class Sum>
__device__ __forceinline__ void sum_tile(Sum& sum, wgmma_ring<P>& ring, int steps, int group, bool gives = false) {
  using step_of = gpu::wgmma_op<Kind, P.bn>;
  const auto release = [&](int stage) {
    if (threadIdx.x % 128 < P.cluster) gpu::mbarrier_arrive_remote(ring.empty(stage), threadIdx.x % 128);
  };
  int step = 0;
#pragma unroll 1
  do {
    gpu::mbarrier_wait(ring.full(ring.stage), ring.phase);
    const std::uint64_t a = gpu::matrix_descriptor(ring.a() + P.first_row(group) * 128, 8192),
                        b = gpu::matrix_descriptor(ring.b(), 8192);
    gpu::wgmma_fence();
#pragma unroll
    for (int u = 0; u < 4; ++u)
      step_of::template add<A, B>(sum, a + u * gpu::descriptor_step(A), b + u * gpu::descriptor_step(B));
    gpu::wgmma_commit();
    gpu::wgmma_wait<1>();  // the step before has read its buffer
    if (step > 0) release(ring.previous_stage());
    ring.next();
  } while (++step < steps);
  if (P.is_ping_pong() && gives) give_turn(group);
  gpu::wgmma_wait<0>();
  gpu::wgmma_fence_operand(sum);
  release(ring.previous_stage());
}

// The same in parts of a few steps, whose sums are added in ordinary registers.
template <gpu::wgmma_type Kind, wgmma_policy P, class Sum>
__device__ __forceinline__ void fold_tile(Sum& sum, wgmma_ring<P>& ring, int steps, int group) {
#pragma unroll 1
  for (int step = 0; step < steps; step += folding_steps) {
    Sum part = {};
    sum_tile<Kind, P, gpu::major::k, gpu::major::k>(part, ring,
                                                    steps - step < folding_steps ? steps - step : folding_steps, group);
#pragma unroll
    for (int e = 0; e < P.bn / 2; ++e) sum[e] += part[e];
  }
}

// The same for floats of 8 bits at every step: while the next one is multiplied, the sums of this one are added. (The
// units cut their products 13 bits below the leading one of the sum so far: the shorter the sum, the better.)
template <gpu::wgmma_type Kind, wgmma_policy P>
__device__ __forceinline__ void fold_steps(float (&sum)[P.bn / 2], wgmma_ring<P>& ring, int steps, int group) {
  using step_of = gpu::wgmma_op<Kind, P.bn>;
  float even[P.bn / 2], odd[P.bn / 2];
  const auto multiply = [&](float(&part)[P.bn / 2]) {
    gpu::mbarrier_wait(ring.full(ring.stage), ring.phase);
    const std::uint64_t a = gpu::matrix_descriptor(ring.a() + group * 64 * 128, 8192),
                        b = gpu::matrix_descriptor(ring.b(), 8192);
    gpu::wgmma_fence();
    step_of::template set<gpu::major::k, gpu::major::k>(part, a, b);
#pragma unroll
    for (int u = 1; u < 4; ++u)
      step_of::template add<gpu::major::k, gpu::major::k>(part, a + u * gpu::descriptor_step(gpu::major::k),
                                                          b + u * gpu::descriptor_step(gpu::major::k));
    gpu::wgmma_commit();
    ring.next();
  };
  const auto fold = [&](float(&part)[P.bn / 2], int stage) {
    gpu::wgmma_fence_operand(part);
    if (threadIdx.x % 128 < P.cluster) gpu::mbarrier_arrive_remote(ring.empty(stage), threadIdx.x % 128);
#pragma unroll
    for (int e = 0; e < P.bn / 2; ++e) sum[e] += part[e];
  };
  multiply(even);
#pragma unroll 1
  for (int step = 1; step + 1 < steps; step += 2) {
    int done = ring.previous_stage();
    multiply(odd);
    gpu::wgmma_wait<1>();
    fold(even, done);
    done = ring.previous_stage();
    multiply(even);
    gpu::wgmma_wait<1>();
    fold(odd, done);
  }
  int done = ring.previous_stage();
  if (steps % 2 == 0) {
    multiply(odd);
    gpu::wgmma_wait<1>();
    fold(even, done);
    done = ring.previous_stage();
    gpu::wgmma_wait<0>();
    fold(odd, done);
  } else {
    gpu::wgmma_wait<0>();
    fold(even, done);
  }
}

}  // namespace kleene::kernels::cuda
