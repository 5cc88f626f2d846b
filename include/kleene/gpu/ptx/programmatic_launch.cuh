// Launches that overlap: on sm_90 a kernel may start while the one before it in the stream still runs, set itself up,
// and wait only where it needs the other's results. Source: CUDA programming guide, "Programmatic dependent launch". On
// older targets these do nothing, and launches follow each other.
#pragma once

#include <nv/target>

#include <cuda_runtime.h>

namespace kleene::gpu {

// The next kernel may start as soon as every block of this one has come here.
__device__ __forceinline__ void launch_dependents() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.launch_dependents;" :: : "memory");))
}
// Returns when the kernels before this one are done and what they wrote can be read.
__device__ __forceinline__ void grid_dependency_wait() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" :: : "memory");))
}

}  // namespace kleene::gpu
