// Clusters: blocks that run at the same time on neighbouring multiprocessors and reach each other's shared memory.
// Source: PTX ISA, "Cluster of CTAs" and "mapa". Needs sm_90.
#pragma once

#include "kleene/kernels/cuda/tile/barrier.cuh"

namespace kleene::kernels::cuda {

__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of all blocks of the cluster; what they wrote to shared memory before can be read after.
__device__ __forceinline__ void cluster_meet() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// Arrives at the barrier that lies at the same place in the shared memory of the cluster's block `rank`. It says that
// this thread has read, and hands over nothing that it wrote: release at the scope of a cluster is a memory barrier of
// the whole device (0.6 microseconds while copies are on their way).
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

// True for one thread of the warp, whose 32 threads come here together. The compiler knows that it is one, and keeps
// what that thread computes in uniform registers, as copy instructions want them; under `threadIdx.x == 0` it loops
// around each of them instead.
__device__ __forceinline__ bool is_elected() {
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

// Some warps of the block: `threads` of them meet at the hardware's barrier `id` (1 to 15).
__device__ __forceinline__ void meet_at(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// One of them that does not wait for the others.
__device__ __forceinline__ void arrive_at(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// More or fewer registers for every thread of a warpgroup from here on. All four warps come here together.
template <int Registers>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
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
