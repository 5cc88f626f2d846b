// The dense product on the ordinary units (not the tensor cores): C = epilogue((alpha (x) A B) (+) (beta (x) D)) for
// any algebra.
//
// A block computes a bm x bn tile of C, bk steps of k at a time. Tiles of A and B arrive in a ring of buffers in shared
// memory while earlier ones are worked on; a thread holds tm x tn accumulators in registers and does one outer product
// a step. What a step does is the atom's business, how wide everything is the policy's, what happens to a finished
// element the writer's. Needs sm_80; sm_90 has the faster copies.
#pragma once

#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/kernels/cuda/gemm/simt/store.cuh"

namespace kleene::kernels::cuda {

// Bytes of shared memory: the ring, and behind it (with a witness) or over it (without) the finished tile.
template <class Atom, simt_policy P, bool Witness, class G>
constexpr int simt_shared_bytes() {
  constexpr int ring = tile_ring<Atom, P, G>::bytes;
  constexpr int stage = tile_stage<Atom, P, Witness>::bytes * (P.slices > 2 ? P.slices - 1 : 1);
  return Witness ? ring + stage : ring > stage ? ring : stage;
}

// The ring of the target at hand: without TMA the same buffers are filled by cp.async.
__device__ constexpr copies on_target(copies wanted) {
  return wanted == copies::bulk && !gpu::has_tma() ? copies::async : wanted;
}

// Whether kernels of the policy have a body on the target at hand.
template <class Policy>
__device__ constexpr bool is_for_target() {
  return !needs_sm_90<Policy> || gpu::has_tma();
}

// Policy::value is the simt_policy (nvcc 13 cannot launch kernels whose template arguments are structs).
template <class Atom, sign_class Class, class Policy, bool Witness, class G>
__global__ void __launch_bounds__(Policy::value.threads(), Policy::value.blocks)
    gemm_simt(const __grid_constant__ simt_arguments<Atom, G> p) {
  constexpr simt_policy P = Policy::value;
  if (!is_for_target<Policy>()) return;
  static_assert(!Witness || P.slices == 1, "a witness is followed buffer by buffer");
  using ring_type = tile_ring<Atom, P, G, on_target(P.copy)>;
  // The launch for any sign comes first and lets the others start once the operands' signs are known. Those whose class
  // was not selected exit at once, beside the one that works; one block of each stays to keep the order of the stream.
  if (Class != sign_class::any && p.checks.find_class && !is_selected<typename G::algebra, Class>(p.checks)) {
    if (blockIdx.x == 0) gpu::grid_dependency_wait();
    return;
  }
  extern __shared__ __align__(128) unsigned char shared[];
  const tile_position tile = position_of(p, blockIdx.x, P.group);
  const thread_position<P, Atom> at;
  ring_type ring(shared, p, tile);
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (!is_selected<typename G::algebra, Class>(p.checks)) return;
  ring.start();
  tile_witness<Atom, P, Witness> witness(shared + (Witness ? ring_type::bytes : 0), p);
  tile_sum<Atom, P> sum;
  sum.start();
#pragma unroll 1
  for (int step = 0; step < ring.steps; ++step) {
    ring.begin(step);
    sum.add(ring.tile_a(step), ring.tile_b(step), at, ring.count(step));
    ring.end(step);
    witness.note(sum, ring.first_step + step, step + 1 == ring.steps);
  }
  const auto finish = [&](const auto& rows) {
    if (p.splits > 1) return save_partial(p, rows);
    if (!Witness && !p.store_runs) __syncthreads();  // the tile goes over what others may still read
    finish_tile(p, tile, at, rows, witness.before, witness.group);
  };
  if constexpr (P.slices == 1) {
    finish(tile_rows<Atom, P, P.tm>{sum.c, 0});
  } else {
    typename Atom::accumulator joined[P.tm / P.slices][P.tn];
    join_slices(sum, joined, shared);
    finish(tile_rows<Atom, P, P.tm / P.slices>{joined, at.slice() * (P.tm / P.slices)});
  }
}

}  // namespace kleene::kernels::cuda
