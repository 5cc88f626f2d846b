// Products on the tensor cores of sm_90: C = epilogue((alpha A B) + (beta D)) over plus_times, for operands of 1, 2 and
// 4 bytes and accumulators of 4 (or of 2, where f16 may be summed in f16).
//
// A block is three warpgroups. One is the producer: one of its threads issues TMA loads of boxes of A and B, 128 bytes
// of k at a time, into the stages of a pipeline in shared memory. The other two are consumers: each multiplies its 64
// rows of A by all bn columns of B and keeps 64 x bn accumulators in registers (the producer's warpgroup gives up most
// of its own for them). They synchronise by two mbarriers a stage, `full` (the bytes are there) and `empty` (both
// consumers have read them), so the producer runs ahead by the depth of the pipeline, through the end of one tile into
// the next.
//
//        TMA:           |  0  |  1  |  2  |  3  |  4  | ...          stages of the pipeline, tile after tile
//        consumer 0:          |  0  |  1  |  2  | ...  | out |       rows  0 .. 63 of the tile
//        consumer 1:          |  0  |  1  |  2  | ...  | out |       rows 64 .. 127
//
// Where k is short, tiles have 64 rows, and each consumer computes every other one alone: what it then does with its
// sums costs nothing, since the other one multiplies meanwhile ("ping-pong"; policy.hpp has what either costs).
//
//        consumer 0:          |  0  |  1  |  2  | out |           |  6  |  7  | ...
//        consumer 1:                            |  3  |  4  |  5  | out |
//
// Two blocks of a cluster compute tiles above each other: they need the same columns of B, so each fetches half of them
// into both. A block works on tile after tile, in an order that keeps what neighbours share in L2, and leaves when
// there are no more (a persistent grid): what it fetches for the next tile arrives while this one is stored.
//
// Tensor cores read rows of 128 bytes, swizzled: TMA writes them so, from either order of the matrix in memory, and
// fills what lies outside with zeros, which add nothing. Operands of two bytes may have either index contiguous; others
// need k to be.
//
// Sources: PTX ISA, "wgmma", "cp.async.bulk.tensor", "setmaxnreg"; the roles follow "warp specialisation" (Bauer, Cook
// and Khailany, 2011), the order of tiles Goto and van de Geijn's blocking applied to L2.
#pragma once

#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/load.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/store.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/sum.cuh"

namespace kleene::kernels::cuda {

// Accumulators as the store code takes them: sums in f16 are two to a register.
template <int N>
__device__ __forceinline__ void unpack_halves(const unsigned (&from)[N], float (&to)[2 * N]) {
#pragma unroll
  for (int r = 0; r < N; ++r)
    asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\ncvt.f32.f16 %0, low;\ncvt.f32.f16 %1, high;\n}"
        : "=f"(to[2 * r]), "=f"(to[2 * r + 1])
        : "r"(from[r]));
}

template <wgmma_policy P, class G, class A>
__device__ __forceinline__ void store_tile(const wgmma_arguments<G>& p, const wgmma_unit& at, unsigned unit,
                                           unsigned rank, int group, unsigned char* boxes, const A (&sum)[P.bn / 2]) {
  const store_position to{at.batch, at.m * P.bm + P.first_row(group), at.n * P.bn, boxes, group};
  if (p.splits > 1) {
    const index_t row = (index_t(unit) * P.cluster + rank) * P.bm + P.first_row(group);
    store_partial<P.bn>(p.partials + row * P.bn, sum, p.g.n - to.col);
  } else if (has_boxes<G> && is_stored_in_boxes<P.bn>(p, to.col)) {
    if constexpr (has_boxes<G>) store_boxes<P>(p, to, sum);
  } else {
    store_elements<P.bn>(p, to, sum);
    if constexpr (gives_rows<decltype(G::epilogue)>) total_rows<P.bn>(p, to);
  }
}

// One warpgroup: sums and stores its 64 rows of every tile, or of every other one.
template <class Policy, gpu::wgmma_type Kind, class G>
__device__ void compute_tiles(const wgmma_arguments<G>& p, wgmma_ring<Policy::value> ring, unsigned rank, int group) {
  constexpr wgmma_policy P = Policy::value;
  const unsigned stride = gridDim.x / P.cluster;
  int turn = 0;
  for (unsigned unit = blockIdx.x / P.cluster; unit < p.units; unit += stride, turn ^= 1) {
    const wgmma_unit at = unit_at<P>(p, unit, rank);
    if (P.is_ping_pong() && turn != group) {
      ring.skip(at.steps);
      continue;
    }
    if (P.is_ping_pong() && unit >= stride) wait_for_turn(group);
    const bool gives = unit + stride < p.units;
    using step_of = gpu::wgmma_op<Kind, P.bn>;
    typename step_of::accumulator sum[step_of::registers] = {};
    if constexpr (gpu::bytes_of(Kind) == 2) {
      if (p.a_major == gpu::major::k && p.b_major == gpu::major::k)
        sum_tile<Kind, P, gpu::major::k, gpu::major::k>(sum, ring, at.steps, group, gives);
      else if (p.a_major == gpu::major::k)
        sum_tile<Kind, P, gpu::major::k, gpu::major::other>(sum, ring, at.steps, group, gives);
      else if (p.b_major == gpu::major::k)
        sum_tile<Kind, P, gpu::major::other, gpu::major::k>(sum, ring, at.steps, group, gives);
      else sum_tile<Kind, P, gpu::major::other, gpu::major::other>(sum, ring, at.steps, group, gives);
    } else if constexpr (gpu::is_f8(Kind) && P.bn <= most_folding_columns) {
      if (p.term_steps > 0) fold_steps<Kind, P>(sum, ring, at.steps, group);
      else sum_tile<Kind, P, gpu::major::k, gpu::major::k>(sum, ring, at.steps, group);
    } else if constexpr (Kind == gpu::wgmma_type::tf32 && P.bn <= most_folding_columns) {
      if (p.term_steps > 0) fold_tile<Kind, P>(sum, ring, at.steps, group);
      else sum_tile<Kind, P, gpu::major::k, gpu::major::k>(sum, ring, at.steps, group);
    } else {
      sum_tile<Kind, P, gpu::major::k, gpu::major::k>(sum, ring, at.steps, group);
    }
    if constexpr (gpu::is_f8(Kind))
      if (p.scales_sums)
#pragma unroll
        for (int e = 0; e < P.bn / 2; ++e) sum[e] *= p.alpha;
    if constexpr (Kind == gpu::wgmma_type::f16_sums) {
      float wide[P.bn / 2];
      unpack_halves(sum, wide);
      store_tile<P>(p, at, unit, rank, group, ring.boxes(group), wide);
    } else {
      store_tile<P>(p, at, unit, rank, group, ring.boxes(group), sum);
    }
  }
  if (threadIdx.x % 128 == 0) gpu::tma_store_wait<0>();
}

template <class Policy, gpu::wgmma_type Kind, class G>
__global__ void __launch_bounds__(wgmma_policy::threads, 1) gemm_wgmma(const __grid_constant__ wgmma_arguments<G> p) {
  constexpr wgmma_policy P = Policy::value;
  if (!gpu::compiled_for_wgmma()) return;
  extern __shared__ __align__(1024) unsigned char wgmma_shared[];  // other kernels of a unit declare theirs
  wgmma_ring<P> ring{wgmma_shared};
  const unsigned rank = P.cluster > 1 ? gpu::cluster_rank() : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < P.stages; ++s)
      gpu::mbarrier_init(ring.full(s), 1), gpu::mbarrier_init(ring.empty(s), P.readers() * P.cluster);
    gpu::mbarrier_init_fence();
  }
  gpu::cluster_sync();
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), group = warp / 4;
  if (group == 0) {
    gpu::setmaxnreg_dec<40>();
    if (warp == 0 && gpu::elect_one()) fetch_tiles<Policy, Kind>(p, ring, rank);
    __syncwarp();
  } else {
    gpu::setmaxnreg_inc<232>();
    compute_tiles<Policy, Kind>(p, ring, rank, group - 1);
  }
  if (P.cluster > 1) gpu::cluster_sync();  // nobody leaves while others still arrive at its barriers
}

}  // namespace kleene::kernels::cuda
