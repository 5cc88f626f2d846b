// The ring of buffers in shared memory through which tiles of A and B reach the registers. One struct per way of
// copying; each offers steps, first_step, start() (panels are read from here on), begin(step) (its buffer is full on
// return), tile_a, tile_b, count(step) and end(step).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/pipeline.cuh"
#include "kleene/gpu/block/vector.cuh"
#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/kernels/cuda/gemm/simt/arguments.cuh"

namespace kleene::kernels::cuda {

// What all of them share: where the buffers are, and which range of k is this block's.
template <class Atom, simt_policy P, class G>
struct ring_base {
  using operand = typename Atom::operand;
  using arguments = simt_arguments<Atom, G>;

  operand* memory;  // [stages][bk * bm of A, then bk * bn of B]
  index_t depth;    // operands along k that are this block's
  int first_step, steps;

  __device__ ring_base(unsigned char* shared, const arguments& p, const tile_position& at)
      : memory(reinterpret_cast<operand*>(shared)) {
    const index_t from = at.split * p.split_depth;
    depth = p.depth - from < p.split_depth ? p.depth - from : p.split_depth;
    first_step = static_cast<int>(from / P.bk);
    steps = static_cast<int>(ceil_div(depth, P.bk));
  }
  using pipeline = gpu::pipeline_cursor<P.stages>;
  __device__ operand* tile_a(int step) const { return memory + pipeline::stage_of(step) * (P.bk * (P.bm + P.bn)); }
  __device__ operand* tile_b(int step) const { return tile_a(step) + P.bk * P.bm; }
  __device__ int count(int step) const {
    const index_t left = depth - index_t(step) * P.bk;
    return left < P.bk ? static_cast<int>(left) : P.bk;
  }
};

// Where this block's part of its panels begins.
template <class Atom, simt_policy P, class G>
__device__ const typename Atom::operand* panel_a(const simt_arguments<Atom, G>& p, const tile_position& at) {
  return p.a + at.batch * p.a_batch + (at.m * p.depth + at.split * p.split_depth) * P.bm;
}
template <class Atom, simt_policy P, class G>
__device__ const typename Atom::operand* panel_b(const simt_arguments<Atom, G>& p, const tile_position& at) {
  return p.b + at.batch * p.b_batch + (at.n * p.depth + at.split * p.split_depth) * P.bn;
}

template <class Atom, simt_policy P, class G, copies Copy = P.copy>
struct tile_ring;

// Bulk copies: one thread asks, barriers tell when a buffer is full and when all warps are done with it.
template <class Atom, simt_policy P, class G>
struct tile_ring<Atom, P, G, copies::bulk> : ring_base<Atom, P, G> {
  using base = ring_base<Atom, P, G>;
  using operand = typename base::operand;
  using base::count, base::steps, base::tile_a, base::tile_b;
  static constexpr int buffers = P.stages * P.stage_bytes(sizeof(operand));
  static constexpr int bytes = buffers + round_up(P.stages * 2 * static_cast<int>(sizeof(gpu::mbarrier)), 16);

  const operand* a;
  const operand* b;
  gpu::mbarrier* full;
  gpu::mbarrier* empty;

  __device__ tile_ring(unsigned char* shared, const typename base::arguments& p, const tile_position& at)
      : base(shared, p, at),
        a(panel_a<Atom, P>(p, at)),
        b(panel_b<Atom, P>(p, at)),
        full(reinterpret_cast<gpu::mbarrier*>(shared + buffers)),
        empty(full + P.stages) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < P.stages; ++s) gpu::mbarrier_init(full + s, 1), gpu::mbarrier_init(empty + s, P.threads());
      gpu::mbarrier_init_fence();
    }
  }
  __device__ void start() const {
    __syncthreads();
    if (threadIdx.x == 0)
      for (int s = 0; s < P.stages && s < steps; ++s) fetch(s);
  }
  __device__ void fetch(int step) const {
    const int rows = count(step), size = sizeof(operand);
    gpu::mbarrier* done = full + base::pipeline::stage_of(step);
    gpu::mbarrier_arrive_expect_tx(done, rows * (P.bm + P.bn) * size);
    gpu::tma_load(tile_a(step), a + index_t(step) * P.bk * P.bm, rows * P.bm * size, done);
    gpu::tma_load(tile_b(step), b + index_t(step) * P.bk * P.bn, rows * P.bn * size, done);
  }
  // The previous step's buffer is refilled here rather than in end(), where warp 0 would wait for the slowest warp.
  __device__ void begin(int step) const {
    const int next = step - 1 + P.stages;
    if (threadIdx.x == 0 && step > 0 && next < steps) {
      gpu::mbarrier_wait(empty + base::pipeline::stage_of(step - 1), base::pipeline::phase_of(step - 1));
      fetch(next);
    }
    __syncwarp();
    gpu::mbarrier_wait(full + base::pipeline::stage_of(step), base::pipeline::phase_of(step));
  }
  // Every thread says so for itself: one lane for its warp would do, but costs the same and looks like a race to tools.
  __device__ void end(int step) const { gpu::mbarrier_arrive(empty + base::pipeline::stage_of(step)); }
};

// Copies by all threads, 16 bytes each; the block synchronises once a step.
template <class Atom, simt_policy P, class G>
struct tile_ring<Atom, P, G, copies::async> : ring_base<Atom, P, G> {
  using base = ring_base<Atom, P, G>;
  using operand = typename base::operand;
  using base::count, base::steps, base::tile_a, base::tile_b;
  static constexpr int bytes = P.stages * P.stage_bytes(sizeof(operand));

  const operand* a;
  const operand* b;

  __device__ tile_ring(unsigned char* shared, const typename base::arguments& p, const tile_position& at)
      : base(shared, p, at), a(panel_a<Atom, P>(p, at)), b(panel_b<Atom, P>(p, at)) {}
  __device__ void start() const {
    for (int s = 0; s < P.stages - 1; ++s) fetch(s);
  }
  __device__ void fetch(int step) const {  // one group a step, an empty one beyond the last
    if (step < steps) {
      constexpr int chunk = 16;
      const int rows = count(step), size = sizeof(operand);
      copy_rows(tile_a(step), a + index_t(step) * P.bk * P.bm, rows * P.bm * size / chunk);
      copy_rows(tile_b(step), b + index_t(step) * P.bk * P.bn, rows * P.bn * size / chunk);
    }
    gpu::cp_async_commit();
  }
  __device__ static void copy_rows(operand* to, const operand* from, int chunks) {
    for (int n = threadIdx.x; n < chunks; n += P.threads())
      gpu::cp_async(reinterpret_cast<char*>(to) + 16 * n, reinterpret_cast<const char*>(from) + 16 * n);
  }
  __device__ void begin(int step) const {
    gpu::cp_async_wait<P.stages - 2>();
    __syncthreads();
    fetch(step + P.stages - 1);
  }
  __device__ void end(int) const {}
};

// One tile of one operand, from the caller's matrix through registers, any strides. Rows and steps of k
// beyond the extents become zero() and affect only elements that are not stored.
template <class Atom, simt_policy P, int Width, class S>
struct strided_tile {
  using T = value_of<S>;
  static constexpr int run = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
  static constexpr int count = P.bk * Width / P.threads(), runs = count / run;
  static_assert(count * P.threads() == P.bk * Width && runs * run == count && P.bk % run == 0 && Width % run == 0);
  T values[count];

  // Where a thread's n-th run (vectors) or element begins: (row, step of k). Runs along k are dealt row by row, which
  // keeps the stores to shared memory free of conflicts; everything else along whichever index is contiguous.
  __device__ static int2 place(int n, bool along_k, bool vectors) {
    n = n * P.threads() + threadIdx.x;
    if (!vectors) return along_k ? int2{n / P.bk, n % P.bk} : int2{n % Width, n / Width};
    return along_k ? int2{n % Width, n / Width * run} : int2{n % (Width / run) * run, n / (Width / run)};
  }
  __device__ void load(const T* data, index_t rows, index_t depth, index_t across, index_t along, bool vectors) {
    const T zero = S::zero();
    if (vectors) {
#pragma unroll
      for (int r = 0; r < runs; ++r) {
        const int2 at = place(r, along == 1, true);
        if (at.x < rows && at.y < depth) {
          gpu::load_vector<run>(values + r * run, data + at.x * across + at.y * along);
        } else {
#pragma unroll
          for (int v = 0; v < run; ++v) values[r * run + v] = zero;
        }
      }
    } else {
#pragma unroll
      for (int e = 0; e < count; ++e) {
        const int2 at = place(e, along == 1, false);
        values[e] = at.x < rows && at.y < depth ? data[at.x * across + at.y * along] : zero;
      }
    }
  }
  __device__ void store(typename Atom::operand* tile, index_t along, bool vectors) const {
    if (vectors) {
#pragma unroll
      for (int e = 0; e < count; ++e) {
        const int2 at = place(e / run, along == 1, true);
        const int i = at.x + (along == 1 ? 0 : e % run), k = at.y + (along == 1 ? e % run : 0);
        const T value[1] = {values[e]};
        tile[k * Width + i] = Atom::read(value);
      }
    } else {
#pragma unroll
      for (int e = 0; e < count; ++e) {
        const int2 at = place(e, along == 1, false);
        const T value[1] = {values[e]};
        tile[at.y * Width + at.x] = Atom::read(value);
      }
    }
  }
};

// Straight from the caller's matrices into one buffer: for products too small to be worth packing.
template <class Atom, simt_policy P, class G>
struct tile_ring<Atom, P, G, copies::strided> : ring_base<Atom, P, G> {
  static_assert(Atom::lanes == 1 && P.stages == 1, "strided tiles are read one element at a time, into one buffer");
  using base = ring_base<Atom, P, G>;
  using operand = typename base::operand;
  using S = typename G::algebra;
  static constexpr int bytes = P.stage_bytes(sizeof(operand));

  const typename base::arguments& p;
  const tile_position& at;

  __device__ tile_ring(unsigned char* shared, const typename base::arguments& p_, const tile_position& at_)
      : base(shared, p_, at_), p(p_), at(at_) {}
  __device__ void start() const {}

  __device__ void begin(int step) const {
    const index_t k0 = at.split * p.split_depth + index_t(step) * P.bk, i0 = at.m * P.bm, j0 = at.n * P.bn;
    const auto& [a_batch, a_row, a_k] = p.g.sa;
    const auto& [b_batch, b_k, b_col] = p.g.sb;
    strided_tile<Atom, P, P.bm, S> a;
    strided_tile<Atom, P, P.bn, S> b;
    a.load(p.g.a + at.batch * a_batch + i0 * a_row + k0 * a_k, p.g.m - i0, p.g.k - k0, a_row, a_k, p.vectors_a);
    b.load(p.g.b + at.batch * b_batch + j0 * b_col + k0 * b_k, p.g.n - j0, p.g.k - k0, b_col, b_k, p.vectors_b);
    __syncthreads();
    a.store(this->tile_a(step), a_k, p.vectors_a);
    b.store(this->tile_b(step), b_k, p.vectors_b);
    __syncthreads();
  }
  __device__ void end(int) const {}
};

}  // namespace kleene::kernels::cuda
