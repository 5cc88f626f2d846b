// TMA, the tensor memory accelerator of sm_90: one thread asks for bytes, or for a box of a matrix by its coordinates,
// and the hardware moves them between global and shared memory beside all else; an mbarrier counts what has arrived.
// Sources and destinations are 16-byte aligned, sizes multiples of 16. Source: PTX ISA, "cp.async.bulk",
// "cp.async.bulk.tensor".
#pragma once

#include "kleene/gpu/ptx/mbarrier.cuh"

#include <nv/target>

#include <cuda.h>

namespace kleene::gpu {

// Whether the target that is being compiled for has TMA. Device code only.
__device__ constexpr bool has_tma() { NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (return true;), (return false;)) }

// sm_90. One thread asks for `bytes` contiguous bytes; the barrier's phase completes when they are
// there. (Elsewhere this and the next two are not to be reached: a kernel asks has_tma() and moves the bytes by
// all its threads.)
__device__ __forceinline__ void tma_load([[maybe_unused]] void* shared, [[maybe_unused]] const void* global,
                                         [[maybe_unused]] int bytes, [[maybe_unused]] mbarrier* done) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90,
      (asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        shared_address(shared)),
                    "l"(global), "r"(bytes), "r"(shared_address(done)) : "memory");),
      (__trap();))
}

// sm_90. The bulk store: one thread asks, after all threads' writes to shared memory passed tma_store_fence() and a
// barrier; the shared memory may be used again, and the block end, after tma_store_wait() by the same thread.
__device__ __forceinline__ void tma_store([[maybe_unused]] void* global, [[maybe_unused]] const void* shared,
                                          [[maybe_unused]] int bytes) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90,
                    (asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                                  "r"(shared_address(shared)), "r"(bytes) : "memory");
                     asm volatile("cp.async.bulk.commit_group;" :: : "memory");),
                    (__trap();))
}
__device__ __forceinline__ void tma_store_wait() {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (asm volatile("cp.async.bulk.wait_group.read 0;" :: : "memory");), (__trap();))
}
// What a thread wrote to shared memory, or read of it, comes before TMA's next use of it. Nothing where there is
// no TMA.
__device__ __forceinline__ void tma_store_fence() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("fence.proxy.async.shared::cta;" :: : "memory");))
}

// One thread asks for contiguous bytes to be copied to the same address in the shared memory of each block whose bit is
// set (multicast); the barrier at the same address in each of those blocks counts the bytes. 16-byte aligned.
__device__ __forceinline__ void tma_load_multicast(void* shared, const void* global, int bytes, mbarrier* done,
                                                   std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(done)), "h"(blocks)
      : "memory");
}

// --- boxes of a matrix, by a tensor map (host/tensor_map.cuh) ---

// One thread asks for the box at (row, col) of a matrix of the batch; the barrier's phase waits for its bytes.
__device__ __forceinline__ void tma_load_box(void* shared, const CUtensorMap* map, int col, int row, int batch,
                                             mbarrier* done) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(shared_address(shared)),
      "l"(map), "r"(col), "r"(row), "r"(batch), "r"(shared_address(done))
      : "memory");
}
// The same by multicast, to the same address in every block of the cluster whose bit is in `blocks`, each with its own
// barrier.
__device__ __forceinline__ void tma_load_box_multicast(unsigned blocks, void* shared, const CUtensorMap* map, int col,
                                                       int row, int batch, mbarrier* done) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(shared)),
      "l"(map), "r"(col), "r"(row), "r"(batch), "r"(shared_address(done)), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}
// The store, after tma_store_fence() by the threads that wrote and a barrier; tma_store_wait<N>() by the same thread
// returns when all but the last N boxes have left shared memory.
__device__ __forceinline__ void tma_store_box(const CUtensorMap* map, const void* shared, int col, int row, int batch) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(col),
               "r"(row), "r"(batch), "r"(shared_address(shared))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Pending>
__device__ __forceinline__ void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

}  // namespace kleene::gpu
