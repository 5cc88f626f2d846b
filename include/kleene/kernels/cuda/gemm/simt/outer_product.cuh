// The sum over k of one tile of C, in registers: which elements are a thread's, and its loop over a buffer.
#pragma once

#include "kleene/gpu/block/vector.cuh"
#include "kleene/kernels/cuda/gemm/simt/arguments.cuh"

namespace kleene::kernels::cuda {

// A thread's number among those of its slice.
template <simt_policy P>
__device__ unsigned tile_thread() {
  return P.slices == 1 ? threadIdx.x : threadIdx.x % P.tile_threads();
}

// Thread's place in the block's tile: element (i, j) of its accumulators is (row(i), col(j)) of the tile. Rows come in
// runs of `run` neighbours (one 16-byte load) and one of what is left, the runs are spread over the tile so that a
// warp's loads meet no bank twice.
template <simt_policy P, class Atom>
struct thread_position {
  static constexpr int size = sizeof(typename Atom::operand), run = 16 % size == 0 ? 16 / size : 1;
  static constexpr int run_n = run < P.tn ? run : P.tn;
  static_assert(P.tn % run_n == 0, "a tile policy's tn is a multiple of the elements in 16 bytes");
  static constexpr int rest_m = P.tm % run, full_m = P.tm - rest_m;

  int ty, tx;
  __device__ thread_position() {
    const unsigned thread = tile_thread<P>();
    const int warp = thread / 32, lane = thread % 32;
    ty = warp / P.warps_n() * P.lanes_m + lane / P.lanes_n();
    tx = warp % P.warps_n() * P.lanes_n() + lane % P.lanes_n();
  }
  __device__ static int slice() { return P.slices == 1 ? 0 : threadIdx.x / P.tile_threads(); }
  __device__ int row(int i) const {
    return i / run * (run * (P.bm / P.tm)) + ty * (i < full_m ? run : rest_m) + i % run;
  }
  __device__ int col(int j) const { return j / run_n * (P.bn / (P.tn / run_n)) + tx * run_n + j % run_n; }
};

// The sum over k of one tile, in registers.
template <class Atom, simt_policy P>
struct tile_sum {
  using operand = typename Atom::operand;
  using accumulator = typename Atom::accumulator;
  using place = thread_position<P, Atom>;
  static constexpr int depth = Atom::depth;

  accumulator c[P.tm][P.tn];

  __device__ void start() {
#pragma unroll
    for (int i = 0; i < P.tm; ++i)
#pragma unroll
      for (int j = 0; j < P.tn; ++j) c[i][j] = Atom::start();
  }

  // One step: `depth` rows of the tiles of A and B.
  __device__ __forceinline__ void step(const operand* sA, const operand* sB, const place& at) {  // sA: [depth][bm]
    operand a[depth][P.tm], b[depth][P.tn];
#pragma unroll
    for (int d = 0; d < depth; ++d) {
#pragma unroll
      for (int i = 0; i < place::full_m; i += place::run)
        gpu::load_vector<place::run>(&a[d][i], sA + d * P.bm + at.row(i));
      if constexpr (place::rest_m > 0)
        gpu::load_vector<place::rest_m>(&a[d][place::full_m], sA + d * P.bm + at.row(place::full_m));
#pragma unroll
      for (int j = 0; j < P.tn; j += place::run_n) gpu::load_vector<place::run_n>(&b[d][j], sB + d * P.bn + at.col(j));
    }
#pragma unroll
    for (int i = 0; i < P.tm; ++i)
#pragma unroll
      for (int j = 0; j < P.tn; ++j) {
        operand x[depth], y[depth];
#pragma unroll
        for (int d = 0; d < depth; ++d) x[d] = a[d][i], y[d] = b[d][j];
        c[i][j] = Atom::step(c[i][j], x, y);
      }
  }

  // A thread's part of a buffer of `count` steps of k; in the unrolled loop unless the buffer ends in it.
  __device__ __forceinline__ void add(const operand* sA, const operand* sB, const place& at, int count) {
    constexpr int share = P.bk / P.slices;
    static_assert(share * P.slices == P.bk && share % P.unroll == 0);
    if constexpr (P.slices > 1) {
      const int first = at.slice() * share;
      sA += first * P.bm, sB += first * P.bn;
      count = count - first < share ? count - first : share;
    }
    if (count == share) {
#pragma unroll 1
      for (int k = 0; k < share; k += P.unroll)
#pragma unroll
        for (int u = 0; u < P.unroll; u += depth) step(sA + (k + u) * P.bm, sB + (k + u) * P.bn, at);
    } else {
#pragma unroll 1
      for (int k = 0; k < count; k += depth) step(sA + k * P.bm, sB + k * P.bn, at);
    }
  }
};

}  // namespace kleene::kernels::cuda
