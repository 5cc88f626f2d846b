// The producer: a ring of pieces in shared memory, and the thread that keeps it full by TMA.
#pragma once

#include "kleene/gpu/block/pipeline.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

namespace kleene::kernels::cuda {

// The ring: buffers of a piece of A and the pieces of B that the cluster shares, and their barriers.
struct exponent_ring : gpu::pipeline_cursor<exponents_sm90::stages> {
  unsigned char* shared;  // 1024-byte aligned
  gpu::mbarrier *full, *empty;

  __device__ exponent_ring(unsigned char* memory, gpu::mbarrier* full_barriers, gpu::mbarrier* empty_barriers)
      : shared(memory), full(full_barriers), empty(empty_barriers) {}
  __device__ unsigned char* buffer() const { return shared + stage * exponents_sm90::stage_bytes; }
};

// The producer thread loads its block's rows of A, and multicasts its share of B's columns to the cluster.
template <class G>
__device__ __forceinline__ void fetch_pieces(const exponents_arguments<G>& p, exponent_ring ring, unsigned rank,
                                             int steps) {
  using P = exponents_sm90;
  for (unsigned tile = blockIdx.x / P::cluster; tile < p.tiles(); tile += gridDim.x / P::cluster) {
    const auto [row, col] = p.place(tile);
    const uint4* a = p.a.piece(index_t{row} * P::cluster + rank, 0, steps);
    const uint4* b = p.b.piece(index_t{col} * P::cluster + rank, 0, steps);
    for (int step = 0; step < steps; ++step, ring.next(), a += P::bytes_a / 16, b += P::bytes_b / 16) {
      unsigned char* const to = ring.buffer();
      gpu::mbarrier* const full = ring.full + ring.stage;
      gpu::mbarrier_wait(ring.empty + ring.stage, ring.phase ^ 1);
      gpu::mbarrier_arrive_expect_tx(full, P::stage_bytes);
      gpu::tma_load(to, a, P::bytes_a, full);
      gpu::tma_load_multicast(to + P::bytes_a + rank * P::bytes_b, b, P::bytes_b, full, (1 << P::cluster) - 1);
    }
  }
}

}  // namespace kleene::kernels::cuda
