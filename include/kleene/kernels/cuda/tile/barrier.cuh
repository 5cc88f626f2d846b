// mbarriers: barriers in shared memory that count threads' arrivals and, on sm_90, the bytes of bulk copies as well.
// Source: PTX ISA, "Parallel synchronization and communication instructions: mbarrier". Needs sm_80; expect needs
// sm_90.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

using barrier = std::uint64_t;

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// One thread sets a barrier up; the block synchronises before anyone uses it.
__device__ __forceinline__ void barrier_set_up(barrier* b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals));
}

__device__ __forceinline__ void barrier_arrive(barrier* b) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(b)) : "memory");
}

// Arrives, and makes the phase wait for that many bytes of bulk copies too.
__device__ __forceinline__ void barrier_expect(barrier* b, int bytes) {
  asm volatile(
      "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(shared_address(b)),
      "r"(bytes)
      : "memory");
}

// Waits until the phase of that parity is complete. A fresh barrier counts as having completed parity 1.
__device__ __forceinline__ void barrier_wait(barrier* b, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(shared_address(b)),
      "r"(parity)
      : "memory");
}

// What one thread wrote to shared memory by ordinary stores (barrier words included) becomes visible to the copy
// engine.
__device__ __forceinline__ void barrier_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace kleene::kernels::cuda
