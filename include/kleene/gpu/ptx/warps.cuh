// Warps of a block with roles of their own (warp specialisation): one thread of a warp, barriers of some warps,
// registers that one warpgroup gives up for another. Source: PTX ISA, "elect.sync", "bar", "setmaxnreg". elect_one and
// setmaxnreg need sm_90.
#pragma once

#include <cuda_runtime.h>

namespace kleene::gpu {

// True for one thread of the warp, whose 32 threads come here together. The compiler knows that it is one, and keeps
// what that thread computes in uniform registers, as TMA instructions want them; under `threadIdx.x == 0` it loops
// around each of them instead.
__device__ __forceinline__ bool elect_one() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xFFFFFFFF;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

// A named barrier of some warps of the block: `threads` threads arrive at barrier `id` (1 to 15) and wait.
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrives at it without waiting.
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// More or fewer registers for every thread of a warpgroup from here on. All four warps come here together.
template <int Registers>
__device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace kleene::gpu
