// The producer: a ring of buffers in shared memory, and the thread that keeps it full by TMA.
#pragma once

#include "kleene/gpu/block/pipeline.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/arguments.cuh"

namespace kleene::kernels::cuda {

// The ring: buffers of a tile of A (bm rows) and one of B (bn), their barriers, and the boxes of C to be stored.
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

}  // namespace kleene::kernels::cuda
