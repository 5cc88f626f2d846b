// Products on the tensor cores of sm_90: C = epilogue((alpha A B) + (beta D)) over plus_times, for operands of 1, 2 and
// 4 bytes and accumulators of 4 (or of 2, where f16 may be summed in f16).
//
// A block is three warpgroups with one job each. The first fetches: one of its threads asks TMA for boxes
// of A and B, 128 bytes of k at a time, into a ring of buffers in shared memory. The other two compute: each multiplies
// its 64 rows of A by all bn columns of B and keeps 64 x bn accumulators in registers (the first warpgroup gives its
// registers away for them). They meet at two barriers a buffer, `full` (the bytes are there) and `empty` (both have
// read them), so that fetching runs ahead as far as the ring is long, through the end of one tile into the next.
//
//        TMA:           |  0  |  1  |  2  |  3  |  4  | ...          buffers of the ring, tile after tile
//        consumer 0:          |  0  |  1  |  2  | ...  | out |       rows  0 .. 63 of the tile
//        consumer 1:          |  0  |  1  |  2  | ...  | out |       rows 64 .. 127
//
// Where k is short, tiles have 64 rows, and each consumer computes every other one alone: what it then does with its
// sums costs nothing, since the other one multiplies meanwhile ("ping-pong"; wgmma_tuning.hpp has what either costs).
//
//        consumer 0:          |  0  |  1  |  2  | out |           |  6  |  7  | ...
//        consumer 1:                            |  3  |  4  |  5  | out |
//
// Two blocks of a cluster compute tiles above each other: they need the same columns of B, so each fetches half of them
// into both. A block works on tile after tile, in an order that keeps what neighbours share in L2, and leaves when
// there are no more (a persistent grid): what it fetches for the next tile arrives while this one is stored.
//
// Tensor cores want 128-byte rows, swizzled: TMA writes them so, from either order of the matrix in
// memory, and fills what lies outside with zeros, which add nothing. Operands of two bytes may have either index next
// to each other; others need k there.
//
// Sources: PTX ISA, "wgmma", "cp.async.bulk.tensor", "setmaxnreg"; the roles follow "warp specialisation" (Bauer, Cook
// and Khailany, 2011), the order of tiles Goto and van de Geijn's blocking applied to L2.
#pragma once

#include "kleene/gpu/block/pipeline.cuh"
#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/raster.hpp"
#include "kleene/kernels/cuda/gemm/wgmma_store.cuh"

namespace kleene::kernels::cuda {

// The ring: buffers of a tile of A (bm rows) and one of B (bn), their barriers, and the boxes on their way out.
template <wgmma_policy P>
struct wgmma_ring : gpu::pipeline_cursor<P.stages> {
  using gpu::pipeline_cursor<P.stages>::stage;
  unsigned char* shared;  // 1024-byte aligned

  __device__ explicit wgmma_ring(unsigned char* memory) : shared(memory) {}

  __device__ unsigned char* a() const { return shared + stage * P.stage_bytes(); }
  __device__ unsigned char* b() const { return a() + P.bm * 128; }
  __device__ unsigned char* boxes(int group) const {
    return shared + P.stages * P.stage_bytes() + group * P.out_bytes();
  }
  __device__ gpu::mbarrier* full(int s) const { return reinterpret_cast<gpu::mbarrier*>(boxes(P.consumers)) + s; }
  __device__ gpu::mbarrier* empty(int s) const { return full(P.stages + s); }
};

// Which tile, and which steps of k.
struct wgmma_unit {
  int batch, m, n;  // m: of bm rows, n: of bn columns
  int first_step, steps;
};
template <wgmma_policy P, class G>
__device__ wgmma_unit unit_at(const wgmma_arguments<G>& p, unsigned unit, unsigned rank) {
  const unsigned split = p.splits == 1 ? 0 : unit % p.splits;
  if (p.splits > 1) unit /= p.splits;
  const unsigned clusters = p.clusters_m * p.tiles_n;
  const unsigned batch = unit / clusters;
  unit %= clusters;
  const raster_tile tile = rasterise(unit, p.clusters_m, p.tiles_n, P.group);
  const int first = static_cast<int>(split) * p.split_steps;
  return {static_cast<int>(batch), static_cast<int>(tile.row * P.cluster + rank), static_cast<int>(tile.col), first,
          p.steps - first < p.split_steps ? p.steps - first : p.split_steps};
}

// One thread: keeps the ring full.
template <class Policy, gpu::wgmma_type Kind, class G>
__device__ void fetch_tiles(const wgmma_arguments<G>& p, wgmma_ring<Policy::value> ring, unsigned rank) {
  constexpr wgmma_policy P = Policy::value;
  constexpr int along = 128 / gpu::bytes_of(Kind);  // k, or rows or columns, in 128 bytes
  constexpr int shared_cols = P.bn / P.cluster;
  static_assert(shared_cols % along == 0 || gpu::bytes_of(Kind) != 2);
  const unsigned everyone = (1u << P.cluster) - 1;
  gpu::prefetch_tensor_map(&p.a), gpu::prefetch_tensor_map(&p.b);
  for (unsigned unit = blockIdx.x / P.cluster; unit < p.units; unit += gridDim.x / P.cluster) {
    const wgmma_unit at = unit_at<P>(p, unit, rank);
    const int batch_a = p.a_batched ? at.batch : 0, batch_b = p.b_batched ? at.batch : 0;
    const int row = at.m * P.bm, col = at.n * P.bn + static_cast<int>(rank) * shared_cols;
    for (int step = 0; step < at.steps; ++step, ring.next()) {
      gpu::mbarrier* full = ring.full(ring.stage);
      gpu::mbarrier_wait(ring.empty(ring.stage), ring.phase ^ 1);
      gpu::mbarrier_arrive_expect_tx(full, P.stage_bytes());
      int k_a = at.first_step + step, k_b = k_a;
      if (Kind == gpu::wgmma_type::tf32 &&
          p.term_steps > 0) {  // leading A x rest of B, rest of A x leading B, both leading
        const int term = k_a / p.term_steps;
        k_a -= term * p.term_steps, k_b = k_a;
        if (term == 0) k_b += p.term_steps;
        if (term == 1) k_a += p.term_steps;
      }
      k_a *= along, k_b *= along;
      if (gpu::bytes_of(Kind) != 2 || p.a_major == gpu::major::k)
        gpu::tma_load_box(ring.a(), &p.a, k_a, row, batch_a, full);
      else
        for (int m = 0; m < P.bm; m += along) gpu::tma_load_box(ring.a() + m * 128, &p.a, row + m, k_a, batch_a, full);
      const auto to_all = [&](int from, int x, int y) {
        unsigned char* to = ring.b() + (rank * shared_cols + from) * 128;
        if constexpr (Policy::value.cluster > 1) gpu::tma_load_box_multicast(everyone, to, &p.b, x, y, batch_b, full);
        else gpu::tma_load_box(to, &p.b, x, y, batch_b, full);
      };
      if (gpu::bytes_of(Kind) != 2 || p.b_major == gpu::major::k) to_all(0, k_b, col);
      else
        for (int n = 0; n < shared_cols; n += along) to_all(n, col + n, k_b);
    }
  }
}

// Turns of the consumers: a warpgroup waits for its own, and gives the other one the next.
__device__ __forceinline__ void wait_for_turn(int group) { gpu::named_barrier_sync(3 + group, 256); }
__device__ __forceinline__ void give_turn(int group) { gpu::named_barrier_arrive(3 + (group ^ 1), 256); }

// The sum over the steps of one tile, in a warpgroup's registers. Its last step is asked for when the turn is given.
template <gpu::wgmma_type Kind, wgmma_policy P, gpu::major A, gpu::major B, class Sum>
__device__ __forceinline__ void sum_tile(Sum& sum, wgmma_ring<P>& ring, int steps, int group, bool gives = false) {
  using step_of = gpu::wgmma_op<Kind, P.bn>;
  const auto release = [&](int stage) {
    if (threadIdx.x % 128 < P.cluster) gpu::mbarrier_arrive_remote(ring.empty(stage), threadIdx.x % 128);
  };
  int step = 0;
#pragma unroll 1
  do {
    gpu::mbarrier_wait(ring.full(ring.stage), ring.phase);
    const std::uint64_t a = gpu::matrix_descriptor(ring.a() + P.first_row(group) * 128, 8192),
                        b = gpu::matrix_descriptor(ring.b(), 8192);
    gpu::wgmma_fence();
#pragma unroll
    for (int u = 0; u < 4; ++u)
      step_of::template add<A, B>(sum, a + u * gpu::descriptor_step(A), b + u * gpu::descriptor_step(B));
    gpu::wgmma_commit();
    gpu::wgmma_wait<1>();  // the step before has read its buffer
    if (step > 0) release(ring.previous_stage());
    ring.next();
  } while (++step < steps);
  if (P.in_turns() && gives) give_turn(group);
  gpu::wgmma_wait<0>();
  gpu::wgmma_fence_operand(sum);
  release(ring.previous_stage());
}

// The same in parts of a few steps, whose sums are added in ordinary registers.
template <gpu::wgmma_type Kind, wgmma_policy P, class Sum>
__device__ __forceinline__ void fold_tile(Sum& sum, wgmma_ring<P>& ring, int steps, int group) {
#pragma unroll 1
  for (int step = 0; step < steps; step += folding_steps) {
    Sum part = {};
    sum_tile<Kind, P, gpu::major::k, gpu::major::k>(part, ring,
                                                    steps - step < folding_steps ? steps - step : folding_steps, group);
#pragma unroll
    for (int e = 0; e < P.bn / 2; ++e) sum[e] += part[e];
  }
}

// The same for floats of 8 bits at every step: while the next one is multiplied, the sums of this one are added. (The
// units cut their products 13 bits below the leading one of the sum so far: the shorter the sum, the better.)
template <gpu::wgmma_type Kind, wgmma_policy P>
__device__ __forceinline__ void fold_steps(float (&sum)[P.bn / 2], wgmma_ring<P>& ring, int steps, int group) {
  using step_of = gpu::wgmma_op<Kind, P.bn>;
  float even[P.bn / 2], odd[P.bn / 2];
  const auto multiply = [&](float(&part)[P.bn / 2]) {
    gpu::mbarrier_wait(ring.full(ring.stage), ring.phase);
    const std::uint64_t a = gpu::matrix_descriptor(ring.a() + group * 64 * 128, 8192),
                        b = gpu::matrix_descriptor(ring.b(), 8192);
    gpu::wgmma_fence();
    step_of::template set<gpu::major::k, gpu::major::k>(part, a, b);
#pragma unroll
    for (int u = 1; u < 4; ++u)
      step_of::template add<gpu::major::k, gpu::major::k>(part, a + u * gpu::descriptor_step(gpu::major::k),
                                                          b + u * gpu::descriptor_step(gpu::major::k));
    gpu::wgmma_commit();
    ring.next();
  };
  const auto fold = [&](float(&part)[P.bn / 2], int stage) {
    gpu::wgmma_fence_operand(part);
    if (threadIdx.x % 128 < P.cluster) gpu::mbarrier_arrive_remote(ring.empty(stage), threadIdx.x % 128);
#pragma unroll
    for (int e = 0; e < P.bn / 2; ++e) sum[e] += part[e];
  };
  multiply(even);
#pragma unroll 1
  for (int step = 1; step + 1 < steps; step += 2) {
    int done = ring.previous_stage();
    multiply(odd);
    gpu::wgmma_wait<1>();
    fold(even, done);
    done = ring.previous_stage();
    multiply(even);
    gpu::wgmma_wait<1>();
    fold(odd, done);
  }
  int done = ring.previous_stage();
  if (steps % 2 == 0) {
    multiply(odd);
    gpu::wgmma_wait<1>();
    fold(even, done);
    done = ring.previous_stage();
    gpu::wgmma_wait<0>();
    fold(odd, done);
  } else {
    gpu::wgmma_wait<0>();
    fold(even, done);
  }
}

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
  const store_place to{at.batch, at.m * P.bm + P.first_row(group), at.n * P.bn, boxes, group};
  if (p.splits > 1) {
    const index row = (index(unit) * P.cluster + rank) * P.bm + P.first_row(group);
    store_partial<P.bn>(p.partials + row * P.bn, sum, p.g.n - to.col);
  } else if (has_boxes<G> && leaves_in_boxes<P.bn>(p, to.col)) {
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
    if (P.in_turns() && turn != group) {
      ring.skip(at.steps);
      continue;
    }
    if (P.in_turns() && unit >= stride) wait_for_turn(group);
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

// Puts the parts of k together, in their order, and stores the sums. A block takes two elements of every thread of a
// tile.
template <class Policy, class G>
__global__ void __launch_bounds__(256) wgmma_combine(const __grid_constant__ wgmma_arguments<G> p) {
  constexpr wgmma_policy P = Policy::value;
  constexpr int pairs = P.bn / 4, size = P.bm * P.bn;  // of a thread; accumulators of a tile
  gpu::grid_dependency_wait();
  const unsigned tile = blockIdx.x / pairs, unit = tile / P.cluster * p.splits, rank = tile % P.cluster;
  const int first = blockIdx.x % pairs * 2, group = threadIdx.x / 128;
  const wgmma_unit at = unit_at<P>(p, unit, rank);
  if (at.n * P.bn + first / 4 * 8 >= p.g.n) return;
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  gemm_writer<G> writer{g, at.batch};
#pragma unroll 1
  for (int e = first; e < first + 2; ++e) {
    auto from =
        p.partials + (index(unit) * P.cluster + rank) * size + (group * (P.bn / 2) + e) * 128 + threadIdx.x % 128;
    auto sum = *from;
#pragma unroll 8
    for (int s = 1; s < p.splits; ++s) sum += from[index(s) * P.cluster * size];
    const index i = at.m * P.bm + group * 64 + row_of_element(e), j = at.n * P.bn + col_of_element(e);
    if (i < g.m && j < g.n) writer.store(i, j, sum);
  }
  if (writer.overflow) *p.overflow = 1;
}

}  // namespace kleene::kernels::cuda
