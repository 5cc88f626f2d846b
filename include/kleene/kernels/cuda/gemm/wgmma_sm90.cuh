// Products on the matrix units of sm_90: C = epilogue((alpha A B) + (beta D)) over plus_times, for operands of 1, 2 and
// 4 bytes and accumulators of 4 (or of 2, where f16 may be summed in f16).
//
// A block is three warpgroups with one job each. The first fetches: one of its threads asks the copy engine for boxes
// of A and B, 128 bytes of k at a time, into a ring of buffers in shared memory. The other two compute: each multiplies
// its 64 rows of A by all bn columns of B and keeps 64 x bn accumulators in registers (the first warpgroup gives its
// registers away for them). They meet at two barriers a buffer, `full` (the bytes are there) and `empty` (both have
// read them), so that fetching runs ahead as far as the ring is long, through the end of one tile into the next.
//
//        copy engine:   |  0  |  1  |  2  |  3  |  4  | ...          buffers of the ring, tile after tile
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
// The matrix unit wants 128-byte rows, swizzled: the copy engine writes them so, from either order of the matrix in
// memory, and fills what lies outside with zeros, which add nothing. Operands of two bytes may have either index next
// to each other; others need k there.
//
// Sources: PTX ISA, "wgmma", "cp.async.bulk.tensor", "setmaxnreg"; the roles follow "warp specialisation" (Bauer, Cook
// and Khailany, 2011), the order of tiles Goto and van de Geijn's blocking applied to L2.
#pragma once

#include "kleene/kernels/cuda/gemm/wgmma_store.cuh"
#include "kleene/kernels/cuda/tile/dependence.cuh"

namespace kleene::kernels::cuda {

// The ring: buffers of a tile of A (bm rows) and one of B (bn), their barriers, and the boxes on their way out.
template <wgmma_policy P>
struct wgmma_ring {
  unsigned char* shared;  // 1024-byte aligned
  int stage = 0, phase = 0;

  __device__ unsigned char* a() const { return shared + stage * P.stage_bytes(); }
  __device__ unsigned char* b() const { return a() + P.bm * 128; }
  __device__ unsigned char* boxes(int group) const {
    return shared + P.stages * P.stage_bytes() + group * P.out_bytes();
  }
  __device__ barrier* full(int s) const { return reinterpret_cast<barrier*>(boxes(P.consumers)) + s; }
  __device__ barrier* empty(int s) const { return full(P.stages + s); }
  __device__ void next() {
    if (++stage == P.stages) stage = 0, phase ^= 1;
  }
  __device__ void skip(int steps) {
    phase ^= (stage + steps) / P.stages & 1;
    stage = (stage + steps) % P.stages;
  }
  __device__ int before() const { return stage == 0 ? P.stages - 1 : stage - 1; }
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
  const unsigned band = unit / (P.group * p.tiles_n) * P.group;  // first of up to `group` clusters above each other
  const unsigned height = p.clusters_m - band < P.group ? p.clusters_m - band : P.group;
  const unsigned in_band = unit - band * p.tiles_n;
  const int first = static_cast<int>(split) * p.split_steps;
  return {static_cast<int>(batch), static_cast<int>((band + in_band % height) * P.cluster + rank),
          static_cast<int>(in_band / height), first, p.steps - first < p.split_steps ? p.steps - first : p.split_steps};
}

// One thread: keeps the ring full.
template <class Policy, operand Kind, class G>
__device__ void fetch_tiles(const wgmma_arguments<G>& p, wgmma_ring<Policy::value> ring, unsigned rank) {
  constexpr wgmma_policy P = Policy::value;
  constexpr int along = 128 / bytes_of(Kind);  // k, or rows or columns, in 128 bytes
  constexpr int shared_cols = P.bn / P.cluster;
  static_assert(shared_cols % along == 0 || bytes_of(Kind) != 2);
  const unsigned everyone = (1u << P.cluster) - 1;
  prefetch_map(&p.a), prefetch_map(&p.b);
  for (unsigned unit = blockIdx.x / P.cluster; unit < p.units; unit += gridDim.x / P.cluster) {
    const wgmma_unit at = unit_at<P>(p, unit, rank);
    const int batch_a = p.a_batched ? at.batch : 0, batch_b = p.b_batched ? at.batch : 0;
    const int row = at.m * P.bm, col = at.n * P.bn + static_cast<int>(rank) * shared_cols;
    for (int step = 0; step < at.steps; ++step, ring.next()) {
      barrier* full = ring.full(ring.stage);
      barrier_wait(ring.empty(ring.stage), ring.phase ^ 1);
      barrier_expect(full, P.stage_bytes());
      int k_a = at.first_step + step, k_b = k_a;
      if (Kind == operand::tf32 && p.term_steps > 0) {  // leading A x rest of B, rest of A x leading B, both leading
        const int term = k_a / p.term_steps;
        k_a -= term * p.term_steps, k_b = k_a;
        if (term == 0) k_b += p.term_steps;
        if (term == 1) k_a += p.term_steps;
      }
      k_a *= along, k_b *= along;
      if (bytes_of(Kind) != 2 || p.a_major == major::k) copy_box(ring.a(), &p.a, k_a, row, batch_a, full);
      else
        for (int m = 0; m < P.bm; m += along) copy_box(ring.a() + m * 128, &p.a, row + m, k_a, batch_a, full);
      const auto to_all = [&](int from, int x, int y) {
        unsigned char* to = ring.b() + (rank * shared_cols + from) * 128;
        if constexpr (Policy::value.cluster > 1) copy_box_to(everyone, to, &p.b, x, y, batch_b, full);
        else copy_box(to, &p.b, x, y, batch_b, full);
      };
      if (bytes_of(Kind) != 2 || p.b_major == major::k) to_all(0, k_b, col);
      else
        for (int n = 0; n < shared_cols; n += along) to_all(n, col + n, k_b);
    }
  }
}

// Turns of the consumers: a warpgroup waits for its own, and gives the other one the next.
__device__ __forceinline__ void wait_for_turn(int group) { meet_at(3 + group, 256); }
__device__ __forceinline__ void give_turn(int group) { arrive_at(3 + (group ^ 1), 256); }

// The sum over the steps of one tile, in a warpgroup's registers. Its last step is asked for when the turn is given.
template <operand Kind, wgmma_policy P, major A, major B, class Sum>
__device__ __forceinline__ void sum_tile(Sum& sum, wgmma_ring<P>& ring, int steps, int group, bool gives = false) {
  using step_of = matrix_step<Kind, P.bn>;
  const auto release = [&](int stage) {
    if (threadIdx.x % 128 < P.cluster) barrier_arrive_at(ring.empty(stage), threadIdx.x % 128);
  };
  int step = 0;
#pragma unroll 1
  do {
    barrier_wait(ring.full(ring.stage), ring.phase);
    const std::uint64_t a = matrix_place(ring.a() + P.first_row(group) * 128, 8192), b = matrix_place(ring.b(), 8192);
    wgmma_fence();
#pragma unroll
    for (int u = 0; u < 4; ++u) step_of::template add<A, B>(sum, a + u * next_step(A), b + u * next_step(B));
    wgmma_commit();
    wgmma_wait<1>();  // the step before has read its buffer
    if (step > 0) release(ring.before());
    ring.next();
  } while (++step < steps);
  if (P.in_turns() && gives) give_turn(group);
  wgmma_wait<0>();
  wgmma_settle(sum);
  release(ring.before());
}

// The same in parts of a few steps, whose sums are added in ordinary registers.
template <operand Kind, wgmma_policy P, class Sum>
__device__ __forceinline__ void fold_tile(Sum& sum, wgmma_ring<P>& ring, int steps, int group) {
#pragma unroll 1
  for (int step = 0; step < steps; step += folding_steps) {
    Sum part = {};
    sum_tile<Kind, P, major::k, major::k>(part, ring, steps - step < folding_steps ? steps - step : folding_steps,
                                          group);
#pragma unroll
    for (int e = 0; e < P.bn / 2; ++e) sum[e] += part[e];
  }
}

// The same for floats of 8 bits at every step: while the next one is multiplied, the sums of this one are added. (The
// units cut their products 13 bits below the leading one of the sum so far: the shorter the sum, the better.)
template <operand Kind, wgmma_policy P>
__device__ __forceinline__ void fold_steps(float (&sum)[P.bn / 2], wgmma_ring<P>& ring, int steps, int group) {
  using step_of = matrix_step<Kind, P.bn>;
  float even[P.bn / 2], odd[P.bn / 2];
  const auto multiply = [&](float(&part)[P.bn / 2]) {
    barrier_wait(ring.full(ring.stage), ring.phase);
    const std::uint64_t a = matrix_place(ring.a() + group * 64 * 128, 8192), b = matrix_place(ring.b(), 8192);
    wgmma_fence();
    step_of::template set<major::k, major::k>(part, a, b);
#pragma unroll
    for (int u = 1; u < 4; ++u)
      step_of::template add<major::k, major::k>(part, a + u * next_step(major::k), b + u * next_step(major::k));
    wgmma_commit();
    ring.next();
  };
  const auto fold = [&](float(&part)[P.bn / 2], int stage) {
    wgmma_settle(part);
    if (threadIdx.x % 128 < P.cluster) barrier_arrive_at(ring.empty(stage), threadIdx.x % 128);
#pragma unroll
    for (int e = 0; e < P.bn / 2; ++e) sum[e] += part[e];
  };
  multiply(even);
#pragma unroll 1
  for (int step = 1; step + 1 < steps; step += 2) {
    int done = ring.before();
    multiply(odd);
    wgmma_wait<1>();
    fold(even, done);
    done = ring.before();
    multiply(even);
    wgmma_wait<1>();
    fold(odd, done);
  }
  int done = ring.before();
  if (steps % 2 == 0) {
    multiply(odd);
    wgmma_wait<1>();
    fold(even, done);
    done = ring.before();
    wgmma_wait<0>();
    fold(odd, done);
  } else {
    wgmma_wait<0>();
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
template <class Policy, operand Kind, class G>
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
    using step_of = matrix_step<Kind, P.bn>;
    typename step_of::accumulator sum[step_of::registers] = {};
    if constexpr (bytes_of(Kind) == 2) {
      if (p.a_major == major::k && p.b_major == major::k)
        sum_tile<Kind, P, major::k, major::k>(sum, ring, at.steps, group, gives);
      else if (p.a_major == major::k) sum_tile<Kind, P, major::k, major::other>(sum, ring, at.steps, group, gives);
      else if (p.b_major == major::k) sum_tile<Kind, P, major::other, major::k>(sum, ring, at.steps, group, gives);
      else sum_tile<Kind, P, major::other, major::other>(sum, ring, at.steps, group, gives);
    } else if constexpr (is_f8(Kind) && P.bn <= most_folding_columns) {
      if (p.term_steps > 0) fold_steps<Kind, P>(sum, ring, at.steps, group);
      else sum_tile<Kind, P, major::k, major::k>(sum, ring, at.steps, group);
    } else if constexpr (Kind == operand::tf32 && P.bn <= most_folding_columns) {
      if (p.term_steps > 0) fold_tile<Kind, P>(sum, ring, at.steps, group);
      else sum_tile<Kind, P, major::k, major::k>(sum, ring, at.steps, group);
    } else {
      sum_tile<Kind, P, major::k, major::k>(sum, ring, at.steps, group);
    }
    if constexpr (is_f8(Kind))
      if (p.scales_sums)
#pragma unroll
        for (int e = 0; e < P.bn / 2; ++e) sum[e] *= p.alpha;
    if constexpr (Kind == operand::f16_sums) {
      float wide[P.bn / 2];
      unpack_halves(sum, wide);
      store_tile<P>(p, at, unit, rank, group, ring.boxes(group), wide);
    } else {
      store_tile<P>(p, at, unit, rank, group, ring.boxes(group), sum);
    }
  }
  if (threadIdx.x % 128 == 0) copy_out_wait_for<0>();
}

template <class Policy, operand Kind, class G>
__global__ void __launch_bounds__(wgmma_policy::threads, 1) gemm_wgmma(const __grid_constant__ wgmma_arguments<G> p) {
  constexpr wgmma_policy P = Policy::value;
  if (!has_warpgroup_matrices()) return;
  extern __shared__ __align__(1024) unsigned char wgmma_shared[];  // other kernels of a unit declare theirs
  wgmma_ring<P> ring{wgmma_shared};
  const unsigned rank = P.cluster > 1 ? rank_in_cluster() : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < P.stages; ++s)
      barrier_set_up(ring.full(s), 1), barrier_set_up(ring.empty(s), P.readers() * P.cluster);
    barrier_fence();
  }
  cluster_meet();
  wait_for_predecessors();
  dependents_may_start();
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), group = warp / 4;
  if (group == 0) {
    give_registers<40>();
    if (warp == 0 && is_elected()) fetch_tiles<Policy, Kind>(p, ring, rank);
    __syncwarp();
  } else {
    take_registers<232>();
    compute_tiles<Policy, Kind>(p, ring, rank, group - 1);
  }
  if (P.cluster > 1) cluster_meet();  // nobody leaves while others still arrive at its barriers
}

// Puts the parts of k together, in their order, and stores the sums. A block takes two elements of every thread of a
// tile.
template <class Policy, class G>
__global__ void __launch_bounds__(256) wgmma_combine(const __grid_constant__ wgmma_arguments<G> p) {
  constexpr wgmma_policy P = Policy::value;
  constexpr int pairs = P.bn / 4, size = P.bm * P.bn;  // of a thread; accumulators of a tile
  wait_for_predecessors();
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
