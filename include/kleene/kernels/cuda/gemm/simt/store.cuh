// What happens to the accumulators of a tile: partial sums are added, the winner of a witness is found, and
// finished elements go through the writer that all kernels share (alpha, source, mask, epilogue, normalise).
#pragma once

#include "kleene/gpu/block/vector.cuh"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/simt/load.cuh"
#include "kleene/kernels/cuda/gemm/simt/outer_product.cuh"

namespace kleene::kernels::cuda {

// Accumulators and groups of split-K lie as [block][element][thread]: neighbours in a warp are neighbours in memory.
template <simt_policy P>
__device__ index_t partial_offset(index_t block) {
  return block * (P.tm * P.tn * P.tile_threads()) + tile_thread<P>();
}

// Some rows of a thread's accumulators, from `first` on: all of them, or the share of a slice.
template <class Atom, simt_policy P, int Rows>
struct tile_rows {
  const typename Atom::accumulator (&c)[Rows][P.tn];
  int first;
  static constexpr int count = Rows * P.tn;
  __device__ int element(int e) const { return first * P.tn + e; }
};

template <class Atom, simt_policy P, int Rows, class G>
__device__ void save_partial(const simt_arguments<Atom, G>& p, const tile_rows<Atom, P, Rows>& sum) {
  typename Atom::accumulator* to = p.partials + partial_offset<P>(blockIdx.x);
#pragma unroll
  for (int e = 0; e < sum.count; ++e) to[sum.element(e) * P.tile_threads()] = sum.c[e / P.tn][e % P.tn];
}

// The accumulators of a tile in shared memory: [run of elements][thread][element]. A thread accesses only its own
// elements, so no barrier is needed. Runs are of 16 bytes for a witness, which reads all of them again and again, else
// of one element: stores of 16 bytes want neighbouring registers, and the loop over k would have to follow (plus_times
// f32, 8192, on an H100: 127 registers for 114, 46.7 Tops for 50.3).
template <class Atom, simt_policy P, bool Witness>
struct tile_stage {
  using accumulator = typename Atom::accumulator;
  static constexpr int bytes = P.bm * P.bn * static_cast<int>(sizeof(accumulator));
  static constexpr int wide = Witness && 16 % sizeof(accumulator) == 0 ? 16 / sizeof(accumulator) : 1;
  static constexpr int run = P.tm * P.tn % wide == 0 ? wide : 1;
  accumulator* memory;

  __device__ explicit tile_stage(unsigned char* shared)
      : memory(reinterpret_cast<accumulator*>(shared) + tile_thread<P>() * run) {}
  __device__ accumulator& operator[](int element) const {
    return memory[element / run * run * P.tile_threads() + element % run];
  }
  __device__ void load_run(accumulator (&to)[run], int first) const { gpu::load_vector<run>(to, &(*this)[first]); }
  template <int Rows>
  __device__ void save(const tile_rows<Atom, P, Rows>& sum) const {
#pragma unroll
    for (int e = 0; e < sum.count; ++e) (*this)[sum.element(e)] = sum.c[e / P.tn][e % P.tn];
  }
};

// Sliced-K: the slices' sums of a tile are added: each slice gets the sums of its share of the rows,
// in the order of k after its own. They are exchanged through the pipeline's shared memory, which is no longer read.
template <class Atom, simt_policy P>
__device__ void join_slices(const tile_sum<Atom, P>& sum, typename Atom::accumulator (&joined)[P.tm / P.slices][P.tn],
                            unsigned char* shared) {
  using accumulator = typename Atom::accumulator;
  constexpr int rows = P.tm / P.slices, run = thread_position<P, Atom>::run_n, runs = rows * P.tn / run;
  static_assert(rows * P.slices == P.tm && sizeof(accumulator) == sizeof(typename Atom::operand));
  const int slice = thread_position<P, Atom>::slice();
  // [slice that gets it][slice that gives it, itself left out][run][thread]
  const auto place = [&](int to, int from, int r) {
    const int given = to * (P.slices - 1) + from - (from > to ? 1 : 0);
    return reinterpret_cast<accumulator*>(shared) + ((given * runs + r) * P.tile_threads() + tile_thread<P>()) * run;
  };
  __syncthreads();
#pragma unroll
  for (int to = 0; to < P.slices; ++to)
#pragma unroll
    for (int r = 0; r < runs; ++r) {
      const int i = r * run / P.tn, j = r * run % P.tn;
      if (to == slice) {
#pragma unroll
        for (int n = 0; n < run; ++n) joined[i][j + n] = sum.c[to * rows + i][j + n];
      } else {
        gpu::store_vector<run>(place(to, slice, r), &sum.c[to * rows + i][j]);
      }
    }
  __syncthreads();
#pragma unroll
  for (int other = 1; other < P.slices; ++other) {
    const int from = other <= slice ? other - 1 : other;
#pragma unroll
    for (int r = 0; r < runs; ++r) {
      const int i = r * run / P.tn, j = r * run % P.tn;
      accumulator theirs[run];
      gpu::load_vector<run>(theirs, place(slice, from, r));
#pragma unroll
      for (int n = 0; n < run; ++n) joined[i][j + n] = Atom::combine(joined[i][j + n], theirs[n]);
    }
  }
}

// How many buffers of bk steps are one group of a witness: what a group's search reads of an operand is 128 bytes.
template <class Atom>
__device__ constexpr int buffers_of_group(const simt_policy& policy) {
  const int bytes = policy.bk * static_cast<int>(sizeof(typename Atom::operand));
  return bytes < 128 ? 128 / bytes : 1;
}

// Follows which group of steps improved each element last. The accumulators as they were before a group lie in shared
// memory and the groups in the workspace, so that the loop over k keeps its registers; both are touched once a group.
template <class Atom, simt_policy P, bool Witness>
struct tile_witness {
  tile_stage<Atom, P, Witness> before;
  std::int32_t* group = nullptr;  // [element][thread]

  template <class G>
  __device__ tile_witness(unsigned char* shared, const simt_arguments<Atom, G>& p) : before(shared) {
    if constexpr (Witness) {
      group = p.groups + partial_offset<P>(blockIdx.x);
#pragma unroll
      for (int e = 0; e < P.tm * P.tn; ++e) before[e] = Atom::start(), group[e * P.tile_threads()] = -1;
    }
  }
  // After a buffer of steps, the block's last one or not.
  __device__ void note(const tile_sum<Atom, P>& sum, int buffer, bool is_last) {
    if constexpr (Witness) {
      constexpr int buffers = buffers_of_group<Atom>(P), run = tile_stage<Atom, P, Witness>::run;
      if ((buffer + 1) % buffers != 0 && !is_last) return;
#pragma unroll
      for (int first = 0; first < P.tm * P.tn; first += run) {
        typename Atom::accumulator then[run];
        before.load_run(then, first);
#pragma unroll
        for (int r = 0; r < run; ++r) {
          const int e = first + r;
          const typename Atom::accumulator now = sum.c[e / P.tn][e % P.tn];
          if (!(now == then[r])) before[e] = now, group[e * P.tile_threads()] = buffer / buffers;
        }
      }
    }
  }
};

// Operands of a line that are looked through together: 32 bytes, a sector of L2.
template <class Atom>
inline constexpr int witness_chunk = 2 * operand_run<Atom>;

// The smallest k whose term is the element's value; it lies in `group`. -1 if no term improved on zero(). Of packed
// operands it reads the lines: in panels each of the terms of a lane lies in a sector of its own
// (docs/decisions/0006).
template <class Atom, class G>
__device__ __forceinline__ index_t find_witness(const simt_arguments<Atom, G>& p, const simt_policy& policy,
                                                const tile_position& tile, int row, int col,
                                                const typename Atom::accumulator& value, int group) {
  if (group < 0) return -1;
  using S = typename G::algebra;
  const index_t steps = buffers_of_group<Atom>(policy) * policy.bk, k0 = group * steps;
  const index_t last = k0 + steps < p.depth ? k0 + steps : p.depth;
  if (policy.copy == copies::strided) {
    const index_t i = tile.m * policy.bm + row, j = tile.n * policy.bn + col;
    for (index_t k = k0; k < last; ++k) {
      const value_of<S> x[1] = {p.g.a[tile.batch * p.g.sa[0] + i * p.g.sa[1] + k * p.g.sa[2]]};
      const value_of<S> y[1] = {p.g.b[tile.batch * p.g.sb[0] + k * p.g.sb[1] + j * p.g.sb[2]]};
      if (Atom::term(Atom::read(x), Atom::read(y)) == value) return k;
    }
  } else {
    using operand = typename Atom::operand;
    constexpr int run = operand_run<Atom>, chunk = witness_chunk<Atom>;
    const index_t matrix_a = p.a_batch ? tile.batch : 0, matrix_b = p.b_batch ? tile.batch : 0;
    const operand* a = p.lines_a + (matrix_a * p.g.m + tile.m * policy.bm + row) * p.line_depth;
    const operand* b = p.lines_b + (matrix_b * p.g.n + tile.n * policy.bn + col) * p.line_depth;
    // No term before the group is the value, and one in it is: whole chunks need no bounds.
    for (index_t k = k0 - k0 % chunk; k < last; k += chunk) {
      operand x[chunk], y[chunk];
#pragma unroll
      for (int r = 0; r < chunk; r += run)
        gpu::load_vector<run>(x + r, a + k + r), gpu::load_vector<run>(y + r, b + k + r);
      index_t found = -1;
#pragma unroll
      for (int r = chunk - 1; r >= 0; --r)
        if (Atom::term(x[r], y[r]) == value) found = k + r;
      if (found >= 0) return found;
    }
  }
  return -1;
}

// Run neighbours of a plain row, 16 bytes a store: C = A B or C = A B (+) D where C and D have contiguous, aligned
// rows. Whether one of them does not fit.
template <class Atom, int Run, class G>
__device__ __forceinline__ bool store_run(const simt_arguments<Atom, G>& p, index_t batch, index_t row, index_t col,
                                          const typename Atom::accumulator* sums) {
  using S = typename G::algebra;
  bool overflow = false;
  value_of<S> out[Run];
  if (p.g.d) gpu::load_vector<Run>(out, p.g.d + batch * p.g.sd[0] + row * p.g.sd[1] + col);
#pragma unroll
  for (int r = 0; r < Run; ++r) {
    accumulator_of<S> value = Atom::finish(sums[r]);
    if (p.g.d) value = S::add(value, widen<S>(out[r]));
    overflow |= gemm_writer<G>::flags_overflow(value);
    out[r] = normalise<S>(value);
  }
  gpu::store_vector<Run>(p.g.c + batch * p.g.sc[0] + row * p.g.sc[1] + col, out);
  return overflow;
}

template <class Atom, simt_policy P, int Rows, class G>
__device__ void store_runs(const simt_arguments<Atom, G>& p, const tile_position& tile,
                           const thread_position<P, Atom>& at, const tile_rows<Atom, P, Rows>& sum) {
  constexpr int run = thread_position<P, Atom>::run_n;
  bool overflow = false;
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
    const index_t row = tile.m * P.bm + at.row(sum.first + i);
#pragma unroll
    for (int j = 0; j < P.tn; j += run) {
      const index_t col = tile.n * P.bn + at.col(j);
      if (row >= p.g.m || col >= p.g.n) continue;
      overflow |= store_run<Atom, run>(p, tile.batch, p.excluded_rows.nth_kept(row), p.excluded_cols.nth_kept(col),
                                       &sum.c[i][j]);
    }
  }
  if (overflow) *p.overflow = 1;
}

// Everything else, one element at a time, through the writer that all kernels share: element (i, j) of the tile, whose
// place in C is (row, col).
template <class Atom, class G>
__device__ __forceinline__ void store_element(const simt_arguments<Atom, G>& p, const simt_policy& policy,
                                              gemm_writer<G>& writer, const tile_position& tile, int i, int j,
                                              const typename Atom::accumulator& sum, const std::int32_t* group) {
  const G& g = writer.g;
  if (tile.m * policy.bm + i >= g.m || tile.n * policy.bn + j >= g.n) return;
  const index_t row = p.excluded_rows.nth_kept(tile.m * policy.bm + i);
  const index_t col = p.excluded_cols.nth_kept(tile.n * policy.bn + j);
  const bool improves = writer.store(row, col, Atom::finish(sum));
  if constexpr (requires { &Atom::term; })
    if (g.witness)
      writer.store_witness(row, col, improves, improves ? find_witness(p, policy, tile, i, j, sum, *group) : -1);
}

// The arguments of a product as the writer takes them.
template <class Atom, class G>
__device__ __forceinline__ G with_scalars(const simt_arguments<Atom, G>& p) {
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  return g;
}

template <class Atom, simt_policy P, bool Witness, class G>
__device__ void store_elements(const simt_arguments<Atom, G>& p, const tile_position& tile,
                               const thread_position<P, Atom>& at, const tile_stage<Atom, P, Witness>& stage,
                               const std::int32_t* groups, int first, int count) {
  const G g = with_scalars(p);
  gemm_writer<G> writer{g, tile.batch};
#pragma unroll 1
  for (int e = first; e < first + count; ++e)
    store_element(p, P, writer, tile, at.row(e / P.tn), at.col(e % P.tn), stage[e], groups + e * P.tile_threads());
  if (writer.overflow) *p.overflow = 1;
}

template <class Atom, simt_policy P, int Rows, bool Witness, class G>
__device__ void finish_tile(const simt_arguments<Atom, G>& p, const tile_position& tile,
                            const thread_position<P, Atom>& at, const tile_rows<Atom, P, Rows>& sum,
                            const tile_stage<Atom, P, Witness>& stage, const std::int32_t* groups) {
  if constexpr (can_store_runs<G>)
    if (p.store_runs) return store_runs(p, tile, at, sum);
  stage.save(sum);
  store_elements(p, tile, at, stage, groups, sum.element(0), sum.count);
}

}  // namespace kleene::kernels::cuda
