// C = A B of min_plus or max_plus over small whole numbers, on sm_90a: codes as powers of two come as panels
// (pack.cuh); wgmma sums 16 or 32 products at a time, into accumulators that it sets, and the greatest sum of each
// element, as an integer, has the exponent that tells its minimum.
//
// Two blocks, a cluster, make 256 x 128 elements: each its own 128 rows of A, both the same 128 columns of B, of which
// each fetches half and sends it to both. In a block one thread, the producer, asks for copies, a ring of pieces of 64
// of k ahead; four warpgroups, the consumers, multiply and fold, 64 x 64 elements each: while one folds, the tensor
// cores work for the others. Blocks stay and take tile after tile.
#pragma once

#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/exponents/load.cuh"
#include "kleene/kernels/cuda/gemm/exponents/store.cuh"

namespace kleene::kernels::cuda {

// Two sums of Terms products of 64 x 64 elements, from `step` on (in steps of 16 of k): asked for, not waited for.
template <int Terms>
__device__ __forceinline__ void sum_products(float (&x)[32], float (&y)[32], std::uint64_t a, std::uint64_t b,
                                             int step) {
  using op = gpu::wgmma_op<gpu::wgmma_type::bf16, 64>;
  constexpr auto along_k = gpu::major::k;
  constexpr int of_k = gpu::descriptor_step(along_k), steps = Terms / 16;
  const auto sum = [&](float(&to)[32], int first) {
    op::template set<along_k, along_k>(to, a + first * of_k, b + first * of_k);
#pragma unroll
    for (int s = 1; s < steps; ++s)
      op::template add<along_k, along_k>(to, a + (first + s) * of_k, b + (first + s) * of_k);
  };
  gpu::wgmma_fence();
  sum(x, step);
  sum(y, step + steps);
  gpu::wgmma_commit();
}

// What is kept of two sums of each element: the greatest so far, as it is or as a key; `after` sums follow the second.
template <bool Keyed>
__device__ __forceinline__ void fold_sums(int (&best)[32], const float (&x)[32], const float (&y)[32], int after) {
#pragma unroll
  for (int e = 0; e < 32; ++e) {
    int first = __float_as_int(x[e]), second = __float_as_int(y[e]);
    if constexpr (Keyed) first = exponent_key::of(first, after + 1), second = exponent_key::of(second, after);
    best[e] = __vimax3_s32(best[e], first, second);
  }
}

// A consumer's tiles: the greatest sums of 64 x 64 elements, step after step of k, then what they tell. For keys a sum
// of 16 products has one of 0.
template <int Terms, bool Keyed, class G>
__device__ __forceinline__ void compute_tiles(const exponents_arguments<G>& p, exponent_ring ring, unsigned rank,
                                              int consumer) {
  using P = exponents_sm90;
  constexpr int last = P::depth / 16 - 2 * (Terms / 16);  // where the last two sums of a piece begin
  const int lane = static_cast<int>(threadIdx.x) % 32, steps = static_cast<int>(p.a.steps);
  const int down = consumer / 2, right = consumer % 2;
  float x[32], y[32];
  int best[32];
#pragma unroll
  for (int e = 0; e < 32; ++e) x[e] = y[e] = 0;
  for (unsigned tile = blockIdx.x / P::cluster; tile < p.tiles(); tile += gridDim.x / P::cluster) {
#pragma unroll
    for (int e = 0; e < 32; ++e) best[e] = 0;
#pragma unroll 1
    for (int piece = 0; piece < steps; ++piece, ring.next()) {
      unsigned char* const at = ring.buffer();
      const std::uint64_t a = gpu::matrix_descriptor(at + down * (P::bytes_a / 2), 16);
      const std::uint64_t b = gpu::matrix_descriptor(at + P::bytes_a + right * P::bytes_b, 16);
      gpu::mbarrier_wait(ring.full + ring.stage, ring.phase);
#pragma unroll
      for (int step = 0; step <= last; step += 2 * (Terms / 16)) {
        sum_products<Terms>(x, y, a, b, step);
        gpu::wgmma_wait<0>();
        gpu::wgmma_fence_operand(x);
        gpu::wgmma_fence_operand(y);
        if (step == last && lane < P::cluster)  // the piece may be refilled
          gpu::mbarrier_arrive_remote(ring.empty + ring.stage, static_cast<unsigned>(lane));
        fold_sums<Keyed>(best, x, y, (steps - piece) * (P::depth / Terms) - step / (Terms / 16) - 2);
      }
    }
    const auto [row, col] = p.place(tile);
    const index_t first_row = (index_t{row} * P::cluster + rank) * P::block_rows + down * 64;
    const index_t first_col = index_t{col} * P::block_cols + right * 64;
    if constexpr (Keyed) store_keys(p, best, first_row, first_col);
    else store_levels<Terms>(p, best, first_row, first_col);
  }
}

template <bool Keyed, class G>
__device__ __forceinline__ void multiply_exponents(const exponents_arguments<G>& p) {
  using P = exponents_sm90;
  extern __shared__ unsigned char unaligned[];
  __shared__ gpu::mbarrier full[P::stages], empty[P::stages];
  const exponent_ring ring(unaligned + (-gpu::shared_address(unaligned) & 1023), full, empty);
  const unsigned rank = gpu::cluster_rank();
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < P::stages; ++s) gpu::mbarrier_init(full + s, 1), gpu::mbarrier_init(empty + s, P::readers);
    gpu::mbarrier_init_fence();
  }
  gpu::cluster_sync();
  gpu::grid_dependency_wait();
  if (const int terms = p.found->terms) {  // the same for all blocks
    if (warpgroup == 0) {
      gpu::setmaxnreg_dec<P::producer_registers>();
      if (threadIdx.x == 0) fetch_pieces(p, ring, rank);
      __syncwarp();
    } else {
      gpu::setmaxnreg_inc<P::consumer_registers>();
      if constexpr (Keyed) compute_tiles<16, true>(p, ring, rank, warpgroup - 1);
      else if (terms == 32) compute_tiles<32, false>(p, ring, rank, warpgroup - 1);
      else compute_tiles<16, false>(p, ring, rank, warpgroup - 1);
    }
  }
  gpu::cluster_sync();  // nobody leaves while the other may still write here
}

// On other targets the body is empty, and the launch asks before.
template <class G, bool Keyed>
__global__ void __launch_bounds__(exponents_sm90::threads, 1)
    gemm_exponents(const __grid_constant__ exponents_arguments<G> p) {
  NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, (multiply_exponents<Keyed>(p);))
}

}  // namespace kleene::kernels::cuda
