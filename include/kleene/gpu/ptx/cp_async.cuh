// Asynchronous copies of 16 (or 8) bytes a thread from global to shared memory, which run beside the arithmetic;
// both addresses are aligned to their size. Source: PTX ISA, "cp.async". Needs sm_80.
#pragma once

#include "kleene/gpu/ptx/mbarrier.cuh"

namespace kleene::gpu {

// Each thread copies 16 bytes; commit closes a group, wait leaves at most `Pending` groups in flight.
__device__ __forceinline__ void cp_async(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// The same of up to 16 (or 8) bytes: what lies behind the first `bytes` becomes zero, and
// of 0 bytes nothing is read.
__device__ __forceinline__ void cp_async(std::uint32_t shared, const void* global, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void cp_async(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
__device__ __forceinline__ void cp_async_8(std::uint32_t shared, const void* global, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
}

}  // namespace kleene::gpu
