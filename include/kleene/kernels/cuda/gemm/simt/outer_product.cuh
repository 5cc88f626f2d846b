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

// Operands in 16 bytes.
template <class Atom, int Size = sizeof(typename Atom::operand)>
inline constexpr int operand_run = 16 % Size == 0 ? 16 / Size : 1;

// Which elements of a tile are a thread's: (i, j) of its accumulators is (row(i), col(j)) of the tile. Rows come in
// runs of run_m neighbours (one 16-byte load) and one of what is left, the runs are spread over the tile so that a
// warp's loads meet no bank twice; columns likewise.
struct tile_steps {
  unsigned lanes_m, lanes_n, warps_n;
  unsigned full_m;          // rows of a thread in whole runs
  unsigned run_m, run_n;    // neighbours
  unsigned rest_m;          // rows in the last run
  unsigned step_m, step_n;  // from a thread's run to its next

  constexpr tile_steps(const simt_policy& p, int run)
      : lanes_m(p.lanes_m),
        lanes_n(p.lanes_n()),
        warps_n(p.warps_n()),
        full_m(p.tm - p.tm % run),
        run_m(run),
        run_n(run < p.tn ? run : p.tn),
        rest_m(p.tm % run),
        step_m(run * (p.bm / p.tm)),
        step_n(p.bn / (p.tn / (run < p.tn ? run : p.tn))) {}
};
struct tile_place {
  unsigned y, x;
  __device__ __forceinline__ tile_place(const tile_steps& steps, unsigned thread) {
    const unsigned warp = thread / 32, lane = thread % 32;
    y = warp / steps.warps_n * steps.lanes_m + lane / steps.lanes_n;
    x = warp % steps.warps_n * steps.lanes_n + lane % steps.lanes_n;
  }
  __device__ __forceinline__ int row(const tile_steps& steps, unsigned i) const {
    return i / steps.run_m * steps.step_m + y * (i < steps.full_m ? steps.run_m : steps.rest_m) + i % steps.run_m;
  }
  __device__ __forceinline__ int col(const tile_steps& steps, unsigned j) const {
    return j / steps.run_n * steps.step_n + x * steps.run_n + j % steps.run_n;
  }
};

// The same where the policy is known.
template <simt_policy P, class Atom>
struct thread_position {
  static constexpr int run = operand_run<Atom>;
  static constexpr int run_n = tile_steps(P, run).run_n;
  static constexpr int full_m = tile_steps(P, run).full_m, rest_m = tile_steps(P, run).rest_m;
  static_assert(P.tn % run_n == 0, "a tile policy's tn is a multiple of the elements in 16 bytes");

  tile_place at;
  __device__ thread_position() : at(tile_steps(P, run), tile_thread<P>()) {}
  __device__ static int slice() { return P.slices == 1 ? 0 : threadIdx.x / P.tile_threads(); }
  __device__ int row(int i) const { return at.row(tile_steps(P, run), i); }
  __device__ int col(int j) const { return at.col(tile_steps(P, run), j); }
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
    static_assert(share * P.slices == P.bk && share % P.unroll == 0, "unroll divides bk / slices, see fault_of");
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
