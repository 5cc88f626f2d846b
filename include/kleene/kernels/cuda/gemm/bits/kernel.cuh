// C = A B of packed bits on sm_90a: binary wgmma (AND, then popcount) counts, for every element, the k with A_ik and
// B_kj, exactly; the count's sign or parity is the bit. A and B come as panels (pack.cuh).
//
// Two blocks, a cluster, make 256 x 256 elements: each its own 128 rows of A, both the same 256 columns of B, of which
// each fetches half and sends it to both. In a block one thread, the producer, asks for copies, a ring of pieces of
// 1024 bits of k ahead; two warpgroups, the consumers, multiply, 64 x 256 counts each in registers, then gather their
// bits by shuffles. Blocks stay and take tile after tile.
#pragma once

#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/gemm/bits/load.cuh"
#include "kleene/kernels/cuda/gemm/bits/store.cuh"

namespace kleene::kernels::cuda {

// A consumer's tiles: 64 x 256 counts, step after step of k, then their bits.
template <bit_output Output>
__device__ __forceinline__ void compute_tiles(const bits_sm90_arguments& p, bits_ring ring, unsigned rank,
                                              int consumer) {
  using P = bits_sm90;
  const int lane = static_cast<int>(threadIdx.x) % 32, steps = static_cast<int>(p.a.steps);
  const auto release = [&](int stage) {
    if (lane < P::cluster) gpu::mbarrier_arrive_remote(ring.empty + stage, static_cast<unsigned>(lane));
  };
  int count[128];
  for (unsigned tile = blockIdx.x / P::cluster; tile < p.tiles(); tile += gridDim.x / P::cluster) {
    int before = 0;
    for (int step = 0; step < steps; ++step, ring.next()) {
      unsigned char* const at = ring.buffer();
      const std::uint64_t a = gpu::matrix_descriptor(at + consumer * (P::panels_a::bytes / P::consumers), 16);
      const std::uint64_t b = gpu::matrix_descriptor(at + P::panels_a::bytes, 16);
      gpu::mbarrier_wait(ring.full + ring.stage, ring.phase);
      gpu::wgmma_fence();
#pragma unroll
      for (int part = 0; part < P::panels_a::depth / 256; ++part)
        gpu::wgmma_bits(count, a + 2 * part, b + 2 * part, step > 0 || part > 0);
      gpu::wgmma_commit();
      if (step > 0) {  // the step before is done: its stage may be refilled
        gpu::wgmma_wait<1>();
        release(before);
      }
      before = ring.stage;
    }
    gpu::wgmma_wait<0>();
    release(before);
    const auto [row, col] = p.place(tile);
    store_counts<Output>(p, count, (row * P::cluster + rank) * index_t{P::panels_a::rows} + consumer * 64,
                         col * index_t{P::cols});
  }
}

template <bit_output Output>
__device__ __forceinline__ void multiply_bits_sm90(const bits_sm90_arguments& p) {
  using P = bits_sm90;
  extern __shared__ unsigned char unaligned[];
  __shared__ gpu::mbarrier full[P::stages], empty[P::stages];
  const bits_ring ring(unaligned + (-gpu::shared_address(unaligned) & 1023), full, empty);
  const unsigned rank = gpu::cluster_rank();
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < P::stages; ++s) gpu::mbarrier_init(full + s, 1), gpu::mbarrier_init(empty + s, P::readers);
    gpu::mbarrier_init_fence();
  }
  gpu::cluster_sync();
  gpu::grid_dependency_wait();
  if (warpgroup == 0) {
    gpu::setmaxnreg_dec<P::producer_registers>();
    if (threadIdx.x == 0) fetch_pieces(p, ring, rank);
    __syncwarp();
  } else {
    gpu::setmaxnreg_inc<P::consumer_registers>();
    compute_tiles<Output>(p, ring, rank, warpgroup - 1);
  }
  gpu::cluster_sync();  // nobody leaves while the other may still write here
}

// On other targets the body is empty, and the launch below asks before.
template <bit_output Output>
__global__ void __launch_bounds__(bits_sm90::threads, 1) gemm_bits_sm90(const __grid_constant__ bits_sm90_arguments p) {
  NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, (multiply_bits_sm90<Output>(p);))
}

}  // namespace kleene::kernels::cuda
