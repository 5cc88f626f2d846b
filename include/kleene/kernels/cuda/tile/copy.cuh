// Copies from global to shared memory that run beside the arithmetic. Sources and destinations are 16-byte aligned,
// sizes multiples of 16. Source: PTX ISA, "Data movement and conversion instructions: asynchronous copy".
#pragma once

#include "kleene/kernels/cuda/tile/barrier.cuh"

#include <nv/target>

namespace kleene::kernels::cuda {

// Whether the target that is being compiled for has the bulk copy engine. Device code only.
__device__ constexpr bool has_bulk_copies() { NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (return true;), (return false;)) }

// sm_90. One thread asks the copy engine for `bytes` contiguous bytes; the barrier's phase completes when they are
// there.
__device__ __forceinline__ void copy_bulk(void* shared, const void* global, int bytes, barrier* done) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(shared)),
               "l"(global), "r"(bytes), "r"(shared_address(done))
               : "memory");
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
