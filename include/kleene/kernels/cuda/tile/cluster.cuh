// Thread blocks of a cluster (sm_90): who they are, barriers of each other's, copies that arrive in several of them.
// Source: PTX ISA, "cp.async.bulk", "mapa", "barrier.cluster".
#pragma once

#include "kleene/kernels/cuda/tile/barrier.cuh"

namespace kleene::kernels::cuda {

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of all blocks of the cluster; what they wrote before can be read after.
__device__ __forceinline__ void cluster_synchronise() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// Arrives at the barrier that stands at the same place in the shared memory of block `rank`. Says that this thread's
// reads are done; it hands over no writes: a release to the whole cluster costs a fence to memory (MEMBAR.ALL.GPU),
// which waits for copies on their way.
__device__ __forceinline__ void barrier_arrive_at(barrier* b, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(b)),
      "r"(rank)
      : "memory");
}

// One thread asks for contiguous bytes to be copied to the same place in the shared memory of each block whose bit is
// set; each of those blocks' own barrier, at the same place too, counts the bytes. 16-byte aligned.
__device__ __forceinline__ void copy_bulk_to(void* shared, const void* global, int bytes, barrier* done,
                                             std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(done)), "h"(blocks)
      : "memory");
}

}  // namespace kleene::kernels::cuda
