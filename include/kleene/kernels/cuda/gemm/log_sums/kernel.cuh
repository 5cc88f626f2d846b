// C = log(exp A exp B) of log_plus f32, on sm_90a: factors in two parts of f16 come as panels (pack.cuh); wgmma adds up
// 64 products at a time, whose sums are added up in f32, sixteen and sixteen.
//
// Two blocks, a cluster, make 256 x 128 elements: each its own 128 rows of A, both the same 128 columns of B, of which
// each fetches half and sends it to both. In a block one thread, the producer, asks for copies, a ring of pieces of 64
// of k ahead; four warpgroups, the consumers, multiply and add up, 64 x 64 elements each. Blocks stay and take tile
// after tile.
#pragma once

#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/load.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/store.cuh"

namespace kleene::kernels::cuda {

// The products of one piece: high high + high low + low high.
__device__ __forceinline__ void sum_piece(float (&sum)[32], const log_ring& ring, int down, int right) {
  using P = log_sums_sm90;
  using op = gpu::wgmma_op<gpu::wgmma_type::f16, 64>;
  constexpr auto along_k = gpu::major::k;
  constexpr int of_k = gpu::descriptor_step(along_k);
  const auto a = [&](int part) { return gpu::matrix_descriptor(ring.a(part) + down * (P::bytes_a / 2), 16); };
  const auto b = [&](int part) { return gpu::matrix_descriptor(ring.b(part, right), 16); };
  const std::uint64_t high_a = a(0), low_a = a(1), high_b = b(0), low_b = b(1);
  gpu::wgmma_fence();
  op::template set<along_k, along_k>(sum, high_a, low_b);
#pragma unroll
  for (int s = 1; s < P::depth / 16; ++s) op::template add<along_k, along_k>(sum, high_a + s * of_k, low_b + s * of_k);
#pragma unroll
  for (int s = 0; s < P::depth / 16; ++s) op::template add<along_k, along_k>(sum, low_a + s * of_k, high_b + s * of_k);
#pragma unroll
  for (int s = 0; s < P::depth / 16; ++s) op::template add<along_k, along_k>(sum, high_a + s * of_k, high_b + s * of_k);
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  gpu::wgmma_fence_operand(sum);
}

template <bool Ranges, class G>
__device__ __forceinline__ void compute_log_tiles(const log_sums_arguments<G>& p, log_ring ring, unsigned rank,
                                                  int consumer) {
  using P = log_sums_sm90;
  const unsigned lane = threadIdx.x % 32;
  const int steps = static_cast<int>(p.a.steps), down = consumer / 2, right = consumer % 2;
  float sum[32], group[32], all[32];
#pragma unroll
  for (int e = 0; e < 32; ++e) sum[e] = 0;
  for (unsigned tile = blockIdx.x / P::cluster; tile < p.tiles(); tile += gridDim.x / P::cluster) {
#pragma unroll
    for (int e = 0; e < 32; ++e) group[e] = all[e] = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step, ring.next()) {
      gpu::mbarrier_wait(ring.full + ring.stage, ring.phase);
      sum_piece(sum, ring, down, right);
      if (lane < P::cluster) gpu::mbarrier_arrive_remote(ring.empty + ring.stage, lane);  // it may be refilled
#pragma unroll
      for (int e = 0; e < 32; ++e) group[e] += sum[e];
      if (step % P::pieces_of_group == P::pieces_of_group - 1 || step == steps - 1) {
#pragma unroll
        for (int e = 0; e < 32; ++e) all[e] += group[e], group[e] = 0;
      }
    }
    const auto [row, col] = p.place(tile);
    store_log_sums<Ranges>(p, all, (index_t{row} * P::cluster + rank) * P::block_rows + down * 64,
                           index_t{col} * P::block_cols + right * 64);
  }
}

template <bool Ranges, class G>
__device__ __forceinline__ void multiply_log_sums(const log_sums_arguments<G>& p) {
  using P = log_sums_sm90;
  extern __shared__ unsigned char unaligned[];
  __shared__ gpu::mbarrier full[P::stages], empty[P::stages];
  const log_ring ring(unaligned + (-gpu::shared_address(unaligned) & 1023), full, empty);
  const unsigned rank = gpu::cluster_rank();
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < P::stages; ++s) gpu::mbarrier_init(full + s, 1), gpu::mbarrier_init(empty + s, P::readers);
    gpu::mbarrier_init_fence();
  }
  gpu::cluster_sync();
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (warpgroup == 0) {
    gpu::setmaxnreg_dec<P::producer_registers>();
    if (threadIdx.x == 0) fetch_log_pieces(p, ring, rank);
    __syncwarp();
  } else {
    gpu::setmaxnreg_inc<P::consumer_registers>();
    compute_log_tiles<Ranges>(p, ring, rank, warpgroup - 1);
  }
  gpu::cluster_sync();  // nobody leaves while the other may still write here
}

// Ranges: k comes in several, a launch each. On other targets the body is empty, and the launch asks before.
template <bool Ranges, class G>
__global__ void __launch_bounds__(log_sums_sm90::threads, 1)
    gemm_log_sums(const __grid_constant__ log_sums_arguments<G> p) {
  NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, (multiply_log_sums<Ranges>(p);))
}

}  // namespace kleene::kernels::cuda
