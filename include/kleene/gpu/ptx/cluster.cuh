// Clusters: blocks that run at the same time on neighbouring multiprocessors and reach each other's shared memory.
// Source: PTX ISA, "Cluster of CTAs" and "mapa". Needs sm_90.
#pragma once

#include "kleene/gpu/ptx/mbarrier.cuh"

namespace kleene::gpu {

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of all blocks of the cluster; what they wrote to shared memory before can be read after.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// Arrives at the barrier at the same shared-memory address in the cluster's block `rank`. It says that this thread has
// finished reading, and publishes nothing that it wrote: release at the scope of a cluster is a memory barrier of
// the whole device (0.6 microseconds while copies are in flight).
__device__ __forceinline__ void mbarrier_arrive_remote(mbarrier* b, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(b)),
      "r"(rank)
      : "memory");
}

}  // namespace kleene::gpu
