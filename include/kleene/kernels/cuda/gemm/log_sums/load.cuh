// The producer: a ring of pieces in shared memory, and the thread that keeps it full by TMA.
#pragma once

#include "kleene/gpu/block/pipeline.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/arguments.cuh"

namespace kleene::kernels::cuda {

// The ring: buffers of a piece of A, high and low, then B's high parts of all blocks of the cluster, then B's low ones;
// and their barriers.
struct log_ring : gpu::pipeline_cursor<log_sums_sm90::stages> {
  using P = log_sums_sm90;
  unsigned char* shared;  // 1024-byte aligned
  gpu::mbarrier *full, *empty;

  __device__ log_ring(unsigned char* memory, gpu::mbarrier* full_barriers, gpu::mbarrier* empty_barriers)
      : shared(memory), full(full_barriers), empty(empty_barriers) {}
  __device__ unsigned char* a(int part) const { return shared + stage * P::stage_bytes + part * P::bytes_a; }
  __device__ unsigned char* b(int part, int block) const {
    return shared + stage * P::stage_bytes + P::parts * P::bytes_a + (part * P::cluster + block) * P::bytes_b;
  }
};

// The producer thread loads its block's rows of A, and multicasts its share of B's columns to the cluster.
template <class G>
__device__ __forceinline__ void fetch_log_pieces(const log_sums_arguments<G>& p, log_ring ring, unsigned rank) {
  using P = log_sums_sm90;
  const int steps = static_cast<int>(p.a.steps);
  for (unsigned tile = blockIdx.x / P::cluster; tile < p.tiles(); tile += gridDim.x / P::cluster) {
    const auto [row, col] = p.place(tile);
    const uint4* a = p.a.piece(index_t{row} * P::cluster + rank, 0);
    const uint4* b = p.b.piece(index_t{col} * P::cluster + rank, 0);
    for (int step = 0; step < steps; ++step, ring.next()) {
      gpu::mbarrier* const full = ring.full + ring.stage;
      gpu::mbarrier_wait(ring.empty + ring.stage, ring.phase ^ 1);
      gpu::mbarrier_arrive_expect_tx(full, P::stage_bytes);
      gpu::tma_load(ring.a(0), a, P::parts * P::bytes_a, full);
      for (int part = 0; part < P::parts; ++part)
        gpu::tma_load_multicast(ring.b(part, static_cast<int>(rank)), b + part * (P::bytes_b / 16), P::bytes_b, full,
                                (1 << P::cluster) - 1);
      a += P::parts * P::bytes_a / 16, b += P::parts * P::bytes_b / 16;
    }
  }
}

}  // namespace kleene::kernels::cuda
