// Split-K's last step: the partial sums of tiles that several blocks shared are added in the order of k and stored. One
// kernel serves all tile policies and all classes of signs: atoms of a class differ in their steps alone.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/simt/store.cuh"

#include <cstddef>
#include <numeric>

namespace kleene::kernels::cuda {

constexpr unsigned combine_threads = 128;

// Neighbours in a row of C that a thread of gemm_combine takes: 16 bytes of partial sums where that is how they lie.
template <class Atom>
inline constexpr unsigned combine_width = operand_run<Atom> < 4 ? operand_run<Atom> : 4;

// How many threads share the ranges of k of the same elements, at most.
template <class Atom>
inline constexpr unsigned most_combine_parts =
    sizeof(typename Atom::accumulator) * combine_width<Atom> <= 64 ? 8 : 1;  // what fits in shared memory

// What is the same for all elements of a tile. The policy is a value here: as a template argument it made this kernel
// once more for each policy, atom and witness.
struct combine_shape {
  simt_policy policy;
  tile_steps steps;
  unsigned elements, threads_of_tile;  // of a thread of the product; of a tile
  // A block's threads: lanes side by side in a tile, with parts of the ranges of k each, for `runs` of their elements.
  unsigned lanes, parts = 1, runs;

  combine_shape(const simt_policy& p, int run, int splits, unsigned most_parts)
      : policy(p), steps(p, run), elements(p.tm * p.tn), threads_of_tile(p.tile_threads()) {
    while (parts < most_parts && splits >= 8 * int(parts)) parts *= 2;  // each adds four ranges at least
    lanes = std::gcd(combine_threads / parts, threads_of_tile);
    runs = combine_threads / (lanes * parts);
  }
  dim3 threads() const { return {lanes, parts, runs}; }
  dim3 blocks(unsigned tiles, unsigned width) const {
    return {tiles, ceil_div(elements, width * runs), threads_of_tile / lanes};
  }
};

// The sums of up to Width elements over some of the ranges of k, and the groups of steps that gave them their values.
template <class Atom, unsigned Width, bool Witness>
struct combined {
  typename Atom::accumulator sums[Width];
  std::int32_t groups[Witness ? Width : 1];

  // Takes the sum of the ranges that follow those it has.
  __device__ void add(unsigned e, const typename Atom::accumulator& next, const std::int32_t* group) {
    const typename Atom::accumulator sum = Atom::combine(sums[e], next);
    if constexpr (Witness)
      if (!(sum == sums[e])) groups[e] = *group;
    sums[e] = sum;
  }
};

// Such tiles are few, and their ranges of k many: a thread takes four elements, so that four times four loads are on
// their way at a time, and of many ranges every thread an eighth. A whole product, min-plus f32, H200, us, and in
// brackets with a row of a thread's elements in order of k: 32 x 32 x 65536 52 (100), 33 x 47 x 100000 77 (127),
// 64 x 64 x 262144 170 (246), 256 x 256 x 4096 34 (39), 512 x 512 x 512 29.8 (29.4), 777 x 777 x 777 86.9 (86.7),
// 1024 x 1024 x 1024 94.0 (94.0). Lost: two elements a thread 48, but 89 for 777; ranges not shared 72; both, and
// threads of 16 bytes of C each, 159; 256 threads a block, alike, but 87.6 for 777.
template <class Atom, bool Witness, class G>
__global__ void __launch_bounds__(combine_threads)
    gemm_combine(const __grid_constant__ simt_arguments<Atom, G> p, const combine_shape shape) {
  using S = typename G::algebra;
  using accumulator = typename Atom::accumulator;
  constexpr unsigned width = combine_width<Atom>, room = most_combine_parts<Atom> > 1 ? combine_threads * width : 1;
  const simt_policy& policy = shape.policy;
  const unsigned threads = shape.threads_of_tile, thread = blockIdx.z * shape.lanes + threadIdx.x;
  const unsigned element = (blockIdx.y * shape.runs + threadIdx.z) * width;
  const unsigned left = element < shape.elements ? shape.elements - element : 0, count = left < width ? left : width;
  const index_t size = index_t(shape.elements) * threads;  // a tile's partial sums are [element][thread]
  const index_t first = index_t(blockIdx.x) * p.splits * size + element * threads + thread;
  const int begin = threadIdx.y * p.splits / shape.parts, end = (threadIdx.y + 1) * p.splits / shape.parts;
  // Where they go, worked out while the last blocks of the product run.
  const tile_position tile = position_of(p, blockIdx.x * p.splits, policy.group);
  const tile_place at(shape.steps, thread);
  int rows[width], cols[width];
#pragma unroll
  for (unsigned e = 0; e < width; ++e) {
    rows[e] = at.row(shape.steps, (element + e) / policy.tn);
    cols[e] = at.col(shape.steps, (element + e) % policy.tn);
  }
  gpu::launch_dependents();
  gpu::grid_dependency_wait();
  if (!values_are_valid<S>(p.checks)) return;

  combined<Atom, width, Witness> sum;
#pragma unroll
  for (unsigned e = 0; e < width; ++e)
    if (e < count) {
      sum.sums[e] = p.partials[first + begin * size + e * threads];
      if constexpr (Witness) sum.groups[e] = p.groups[first + begin * size + e * threads];
    }
#pragma unroll 4
  for (int s = begin + 1; s < end; ++s)
#pragma unroll
    for (unsigned e = 0; e < width; ++e)
      if (e < count) {
        const index_t at = first + s * size + e * threads;
        sum.add(e, p.partials[at], p.groups + at);
      }

  if (shape.parts > 1) {
    __shared__ __align__(16) std::byte sums_of_parts[room * sizeof(accumulator)];  // [run][part][element][lane]
    __shared__ std::int32_t groups_of_parts[Witness ? room : 1];
    const auto place = [&](unsigned part, unsigned e) {
      return ((threadIdx.z * shape.parts + part) * width + e) * shape.lanes + threadIdx.x;
    };
    accumulator* const stage = reinterpret_cast<accumulator*>(sums_of_parts);
#pragma unroll
    for (unsigned e = 0; e < width; ++e)
      if (e < count) {
        stage[place(threadIdx.y, e)] = sum.sums[e];
        if constexpr (Witness) groups_of_parts[place(threadIdx.y, e)] = sum.groups[e];
      }
    __syncthreads();
    if (threadIdx.y > 0) return;
    for (unsigned part = 1; part < shape.parts; ++part)
#pragma unroll
      for (unsigned e = 0; e < width; ++e)
        if (e < count) sum.add(e, stage[place(part, e)], groups_of_parts + place(part, e));
  }

  if constexpr (can_store_runs<G>)
    if (p.store_runs && policy.tn % width == 0) {
      const index_t row = tile.m * policy.bm + rows[0], col = tile.n * policy.bn + cols[0];
      if (count == 0 || row >= p.g.m || col >= p.g.n) return;
      if (store_run<Atom, width>(p, tile.batch, p.excluded_rows.nth_kept(row), p.excluded_cols.nth_kept(col), sum.sums))
        *p.overflow = 1;
      return;
    }
  const G g = with_scalars(p);
  gemm_writer<G> writer{g, tile.batch};
#pragma unroll
  for (unsigned e = 0; e < width; ++e)
    if (e < count) store_element(p, policy, writer, tile, rows[e], cols[e], sum.sums[e], &sum.groups[Witness ? e : 0]);
  if (writer.overflow) *p.overflow = 1;
}

}  // namespace kleene::kernels::cuda
