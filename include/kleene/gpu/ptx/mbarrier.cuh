// mbarriers: barriers in shared memory that count threads' arrivals and, on sm_90, the bytes of bulk copies as well.
// Source: PTX ISA, "Parallel synchronization and communication instructions: mbarrier". Needs sm_80. What needs
// newer instructions asks has_tma() (tma.cuh) or is never called there.
#pragma once

#include <cstdint>

#include <nv/target>

#include <cuda_runtime.h>

namespace kleene::gpu {

using mbarrier = std::uint64_t;

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// One thread initialises; the block synchronises before anyone uses the barrier.
__device__ __forceinline__ void mbarrier_init(mbarrier* b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals));
}

__device__ __forceinline__ void mbarrier_arrive(mbarrier* b) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(b)) : "memory");
}

// sm_90. Arrives, and makes the phase wait for that many bytes of bulk copies too.
__device__ __forceinline__ void mbarrier_arrive_expect_tx([[maybe_unused]] mbarrier* b, [[maybe_unused]] int bytes) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90,
      (asm volatile(
           "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(shared_address(b)),
           "r"(bytes) : "memory");),
      (__trap();))
}

// Waits until the phase of that parity is complete. A fresh barrier counts as having completed parity 1. (try_wait
// sleeps while it waits; before sm_90 there is only test_wait, which looks once.)
#define KLEENE_WAIT(instruction)           \
  asm volatile(                            \
      "{\n"                                \
      ".reg .pred done;\n"                 \
      "again:\n"                           \
      "mbarrier." instruction              \
      ".shared::cta.b64 done, [%0], %1;\n" \
      "@!done bra again;\n"                \
      "}" ::"r"(shared_address(b)),        \
      "r"(parity)                          \
      : "memory")
__device__ __forceinline__ void mbarrier_wait(mbarrier* b, int parity) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (KLEENE_WAIT("try_wait.parity");), (KLEENE_WAIT("test_wait.parity");))
}
#undef KLEENE_WAIT

// What one thread wrote to shared memory by ordinary stores (barrier words included) becomes visible to
// TMA and to the cluster. Nothing on targets that have neither.
__device__ __forceinline__ void mbarrier_init_fence() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("fence.mbarrier_init.release.cluster;" :: : "memory");
                                   asm volatile("fence.proxy.async.shared::cta;" :: : "memory");))
}

}  // namespace kleene::gpu
