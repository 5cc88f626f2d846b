// Split-K: the partial sums of a tile are added and stored.
#pragma once

#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/wgmma/arguments.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/store.cuh"

namespace kleene::kernels::cuda {

// Adds the partial sums of split-K in the order of k, and stores the sums. A block takes two elements of every thread
// of a tile.
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
        p.partials + (index_t(unit) * P.cluster + rank) * size + (group * (P.bn / 2) + e) * 128 + threadIdx.x % 128;
    auto sum = *from;
#pragma unroll 8
    for (int s = 1; s < p.splits; ++s) sum += from[index_t(s) * P.cluster * size];
    const index_t i = at.m * P.bm + group * 64 + row_of_element(e), j = at.n * P.bn + col_of_element(e);
    if (i < g.m && j < g.n) writer.store(i, j, sum);
  }
  if (writer.overflow) *p.overflow = 1;
}

}  // namespace kleene::kernels::cuda
