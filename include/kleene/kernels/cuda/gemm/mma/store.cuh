// What happens to the accumulators of a warp: plain results are stored from the registers in pairs,
// everything else through shared memory and the writer that all kernels share.
#pragma once

#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/gpu/ptx/mma.cuh"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/finished.cuh"
#include "kleene/kernels/cuda/gemm/mma/load.cuh"
#include "kleene/kernels/cuda/gemm/mma/policy.hpp"

namespace kleene::kernels::cuda {

// What a launch needs beside the product itself.
template <class G>
struct mma_arguments {
  using T = value_of<typename G::algebra>;
  using factor = std::remove_cv_t<std::remove_pointer_t<decltype(G::alpha)>>;

  mma_operand<T> a, b;
  G g;  // alpha and beta point nowhere here: their values are below
  factor alpha{}, beta{};
  bool has_alpha = false, has_beta = false;
  bool in_pairs = false;  // elements are converted and stored, two at a time
  unsigned tiles_m = 0, tiles_n = 0;
  int steps = 0;
  unsigned* overflow = nullptr;  // set to 1 by a finite result that does not fit
};

// The accumulators of a thread: of tile (m, n) of 16 x 8, as mma_op has them.
template <class T, mma_policy P>
using mma_sums = typename gpu::mma_op<T>::accumulator[P.warp_m() / 16][P.warp_n() / 8][4];

// The first of a warp's elements of C.
struct mma_corner {
  index_t batch, row, col;
};

// Whether elements of C can be stored in pairs: numbers of 2 bytes and more, made from the accumulator by conversion
// (and an epilogue).
template <class G, class Out = std::remove_pointer_t<decltype(G::c)>>
inline constexpr bool has_pairs = std::numeric_limits<Out>::is_specialized && sizeof(Out) >= 2;

template <class Out, class A>
__device__ __forceinline__ void store_pair(Out* to, A first, A second, bool both) {
  struct alignas(2 * sizeof(Out)) pair {
    Out first, second;
  };
  if (both) *reinterpret_cast<pair*>(to) = {static_cast<Out>(first), static_cast<Out>(second)};
  else *to = static_cast<Out>(first);
}

// Four neighbouring lanes store the neighbouring pairs of a row.
template <mma_policy P, class G, class T>
__device__ __forceinline__ void store_pairs(const mma_arguments<G>& p, const mma_corner& at,
                                            const mma_sums<T, P>& sum) {
  const G& g = p.g;
  const index_t i0 = at.row + threadIdx.x % 32 / 4, j0 = at.col + threadIdx.x % 4 * 2;
#pragma unroll
  for (int m = 0; m < P.warp_m() / 8; ++m) {
    const index_t i = i0 + m * 8;
    if (i >= g.m) break;
    auto* line = g.c + at.batch * g.sc[0] + i * g.sc[1];
#pragma unroll
    for (int n = 0; n < P.warp_n() / 8; ++n) {
      const index_t j = j0 + n * 8;
      const auto& d = sum[m / 2][n];
      if (j >= g.n) continue;
      using Out = std::remove_pointer_t<decltype(g.c)>;
      const auto value = [&](int e) { return finished<Out>(g.epilogue, d[m % 2 * 2 + e], i, j + e); };
      const auto first = value(0);
      const bool both = j + 1 < g.n;
      store_pair(line + j, first, both ? value(1) : first, both);
    }
  }
}

// The writer's code is there once: the warp's elements go to shared memory, where it has room for them all, and
// neighbouring lanes take neighbours of C.
template <mma_policy P, class G, class T>
__device__ __forceinline__ void store_elements(const mma_arguments<G>& p, const mma_corner& at,
                                               const typename gpu::mma_op<T>::accumulator* stage) {
  constexpr int rows = P.warp_m(), cols = P.warp_n();
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  gemm_writer<G> writer{g, at.batch};
  const bool by_rows = g.sc[2] == 1 || g.sc[1] != 1;
#pragma unroll 1
  for (int n = threadIdx.x % 32; n < rows * cols; n += 32) {
    const int row = by_rows ? n / cols : n % rows, col = by_rows ? n % cols : n / rows;
    const index_t i = at.row + row, j = at.col + col;
    if (i < g.m && j < g.n) writer.store(i, j, stage[row * cols + (col ^ row % 16 * 2)]);
  }
  if (writer.overflow) *p.overflow = 1;
}

template <mma_policy P, class G, class T = value_of<typename G::algebra>>
__device__ __forceinline__ void store_tile(const mma_arguments<G>& p, const mma_corner& at, const mma_sums<T, P>& sum,
                                           void* shared) {
  if constexpr (has_pairs<G>)
    if (p.in_pairs) return store_pairs<P, G, T>(p, at, sum);
  using A = typename gpu::mma_op<T>::accumulator;
  static_assert(P.warp_n() >= 32);
  A* stage = static_cast<A*>(shared) + threadIdx.x / 32 * (P.warp_m() * P.warp_n());
  gpu::cp_async_wait<0>();
  __syncthreads();  // nobody reads operands there any more
#pragma unroll
  for (int m = 0; m < P.warp_m() / 16; ++m)
#pragma unroll
    for (int n = 0; n < P.warp_n() / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = m * 16 + e / 2 * 8 + threadIdx.x % 32 / 4, col = n * 8 + threadIdx.x % 4 * 2 + e % 2;
        stage[row * P.warp_n() + (col ^ row % 16 * 2)] = sum[m][n][e];
      }
  __syncwarp();
  store_elements<P, G, T>(p, at, stage);
}

}  // namespace kleene::kernels::cuda
