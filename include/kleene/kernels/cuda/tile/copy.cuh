// Copies from global to shared memory that run beside the arithmetic. Sources and destinations are 16-byte aligned,
// sizes multiples of 16. Source: PTX ISA, "Data movement and conversion instructions: asynchronous copy".
#pragma once

#include "kleene/kernels/cuda/tile/barrier.cuh"

#include <nv/target>

namespace kleene::kernels::cuda {

// Whether the target that is being compiled for has the bulk copy engine. Device code only.
__device__ constexpr bool has_bulk_copies() { NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (return true;), (return false;)) }

// sm_90. One thread asks the copy engine for `bytes` contiguous bytes; the barrier's phase completes when they are
// there. (Elsewhere this and the next two are not to be reached: a kernel asks has_bulk_copies() and moves the bytes by
// all its threads.)
__device__ __forceinline__ void copy_bulk([[maybe_unused]] void* shared, [[maybe_unused]] const void* global,
                                          [[maybe_unused]] int bytes, [[maybe_unused]] barrier* done) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90,
      (asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        shared_address(shared)),
                    "l"(global), "r"(bytes), "r"(shared_address(done)) : "memory");),
      (__trap();))
}

// sm_90. The way back: one thread asks, after all threads' writes to shared memory passed copy_fence() and a barrier;
// the shared memory may be used again, and the block end, after copy_out_wait() by the same thread.
__device__ __forceinline__ void copy_bulk_out([[maybe_unused]] void* global, [[maybe_unused]] const void* shared,
                                              [[maybe_unused]] int bytes) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90,
                    (asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                                  "r"(shared_address(shared)), "r"(bytes) : "memory");
                     asm volatile("cp.async.bulk.commit_group;" :: : "memory");),
                    (__trap();))
}
__device__ __forceinline__ void copy_out_wait() {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (asm volatile("cp.async.bulk.wait_group.read 0;" :: : "memory");), (__trap();))
}
// What a thread wrote to shared memory, or read of it, comes before the copy engine's next use. Nothing where there is
// no engine.
__device__ __forceinline__ void copy_fence() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("fence.proxy.async.shared::cta;" :: : "memory");))
}

// sm_80. Each thread copies 16 bytes; commit closes a group, wait leaves at most `Pending` groups on their way.
__device__ __forceinline__ void copy_16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
}
__device__ __forceinline__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace kleene::kernels::cuda
