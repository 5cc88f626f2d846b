// Segmented reductions of items that cost trips to memory, as the terms of a sparse matrix do: each x that is gathered
// is a request to L2, and how many of those L2 takes a clock is what bounds them. So nothing may hold the loads up, and
// shared memory stays small, as L1 has the rest:
//
//   look-up    blocks find the segment in which each tile of items begins, and write the results of empty segments.
//   tiles      are stretches of items alone. A block loads the items of its tile before it knows whose they are. Four
//              neighbours each, a quad, stay in a thread's registers; sums of quads are scanned by warps, and what
//              comes of those by each warp again. Shared memory has one bit for each item, whether a segment ends with
//              it, and the sums of segments, packed.
//   closing    blocks write the results of segments that tiles share.
//
// One kernel: blocks start in the order of their numbers, so each may wait for what lower ones publish
// (gpu/block/publish.cuh). It was three, which took 2 to 4 us more. Tiles that wait for their left neighbours
// themselves, at their end, take longer than what closing blocks cost: every trip to a busy L2 is a quarter of a tile's
// time.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/publish.cuh"
#include "kleene/gpu/block/segmented_scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/cuda/tiles/term_tile.cuh"
#include "kleene/streaming/cuda/tiles/tile.cuh"

#include <algorithm>

namespace kleene::streaming {

// Segments that a thread looks up: how many are loaded at once, and in how many rounds. With few blocks tiles start
// beside them. (1 round: 2 us more; 4: 2; 8: 3.) Little code, since nothing can be finished until it is fetched.
constexpr int lookups_at_once = 4, lookup_rounds = 2;

template <int Tile, class P>
__device__ void look_up(const P& p, index_t block) {
  constexpr int each = lookups_at_once;
  using E = std::iter_value_t<decltype(p.offsets)>;
  // Whatever the first and the last offset say, they are taken for 0 and `count`: a tile for which nobody publishes a
  // segment would wait for ever.
  const auto begin = [&](index_t s, E offset) { return s > 0 ? offset : E(0); };
  const auto end = [&](index_t s, E offset) { return s + 1 < p.segments ? offset : static_cast<E>(p.count); };
  const auto tile_at_or_behind = [](E item) {
    return static_cast<index_t>(static_cast<std::uint64_t>(static_cast<index_t>(item) + (Tile - 1)) / Tile);
  };
  const index_t threads = blockDim.x;
#pragma unroll 1
  for (int round = 0; round < lookup_rounds; ++round) {
    const index_t mine = (block * lookup_rounds + round) * threads * each + threadIdx.x;
    E from[each], to[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const index_t s = min(mine + k * threads, p.segments - 1);
      from[k] = p.offsets[s];
      to[k] = p.offsets[s + 1];
    }
    unsigned has_more = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const index_t s = mine + k * threads;
      if (s >= p.segments) break;
      const index_t first = tile_at_or_behind(begin(s, from[k])), last = tile_at_or_behind(end(s, to[k]));
      if (from[k] == to[k]) p.out[s] = p.init;
      if (first < last) gpu::publish(p.first_segment, first, s, p.tag);
      has_more |= (last - first > 1 ? 1u : 0u) << k;
    }

    // Of segments in which several tiles begin, the first tile by their thread, the others by the whole warp.
    if (!__any_sync(gpu::all_lanes, has_more != 0)) continue;
#pragma unroll 1
    for (int k = 0; k < each; ++k)
#pragma unroll 1
      for (unsigned lanes = __ballot_sync(gpu::all_lanes, has_more >> k & 1); lanes != 0; lanes &= lanes - 1) {
        const index_t s = mine + k * threads - gpu::lane_id() + __ffs(static_cast<int>(lanes)) - 1;
        const index_t last = tile_at_or_behind(end(s, p.offsets[s + 1]));
#pragma unroll 1
        for (index_t t = tile_at_or_behind(begin(s, p.offsets[s])) + 1 + gpu::lane_id(); t < last; t += gpu::warp_size)
          gpu::publish(p.first_segment, t, s, p.tag);
      }
  }
}

// What the tiles [from, to) have of one segment that goes on through them: their tails.
template <class T, class P>
__device__ __forceinline__ T sum_of_tails(const P& p, index_t from, index_t to) {
  constexpr int at_once = 4;
  shared_sums<T> of[at_once];
  T sum = p.init;
#pragma unroll 1
  for (index_t t = from; t < to; t += at_once) {
    const int count = static_cast<int>(min(to - t, index_t{at_once}));
    for (bool there = false; !there;) {
      there = true;
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (k < count) there &= gpu::poll(p.shared, t + k, of[k], p.tag);
    }
    sum = t == from ? of[0].tail : p.op(sum, of[0].tail);
#pragma unroll
    for (int k = 1; k < at_once; ++k)
      if (k < count) sum = p.op(sum, of[k].tail);
  }
  return sum;
}

template <int Threads, class T>
struct closing_arrays {
  gpu::block_segmented_scan<Threads, T> scan;
  alignas(16) unsigned char before[(Threads + 1) * sizeof(T)];  // of each thread's tile
  index_t left;  // tiles of other blocks that have a part in what ends here
};

// The results of segments that end in one of these tiles and began in another: a scan over the tiles, a thread each.
// Little code, too: it is fetched when all the rest is done (loops over tiles, unrolled, took 12 us more).
template <int Threads, int Tile, class T, class P>
__device__ __forceinline__ void close_segments(const P& p, index_t block, closing_arrays<Threads, T>& shared) {
  const auto& op = p.op;
  T* const before = reinterpret_cast<T*>(shared.before);
  const int thread = static_cast<int>(threadIdx.x);
  const index_t first = block * Threads, tile = first + thread;

  // Whether the segment of the tile's first item began before, and ends here.
  index_t segment = 0, begin = tile * Tile, end = begin;
  if (tile < p.tiles) {
    segment = gpu::await<index_t>(p.first_segment, tile, p.tag);
    begin = static_cast<index_t>(p.offsets[segment]);
    end = static_cast<index_t>(p.offsets[segment + 1]);
  }
  const bool goes_on = begin < tile * Tile, ends = end <= (tile + 1) * Tile;
  const bool goes_through = goes_on && end > (first + Threads) * Tile;
  if (thread == 0) shared.left = goes_through ? -1 : goes_on ? first - begin / Tile : 0;
  __syncthreads();
  if (shared.left < 0) return;  // nothing ends in these tiles

  // Two scans, one piece of code: first of what other blocks' tiles have of the segment that goes on into these, a
  // stretch a thread; then of these tiles.
  const index_t each = ceil_div(shared.left, Threads);
  const index_t from = min(first - shared.left + thread * each, first), to = min(from + each, first);
  shared_sums<T> mine{p.init, sum_of_tails<T>(p, from, to)};
#pragma unroll 1
  for (int scan = 0; scan < 2; ++scan) {
    const bool own = scan == 1;
    if (own) {
      if (tile < p.tiles) mine = gpu::await<shared_sums<T>>(p.shared, tile, p.tag);
      if (thread == 0 && goes_on && !ends) mine.tail = op(before[0], mine.tail);
    }
    const T sum = shared.scan.inclusive(mine.tail, own && (ends || !goes_on), op);
    if (own || (from < to && to == first)) before[own ? thread + 1 : 0] = sum;
    __syncthreads();
  }
  if (goes_on && ends) p.out[segment] = op(p.init, op(before[thread], mine.lead));
}

template <class Grain, int Blocks, class T, class P>
__global__ void __launch_bounds__(Grain::threads, Blocks) sum_segments(const __grid_constant__ P p) {
  constexpr int size = Grain::threads * Grain::values;
  __shared__ union {
    tile_arrays<Grain, T> tile;
    closing_arrays<Grain::threads, T> closing;
  } shared;
  static_assert(declared_shared<sizeof(shared)>::fits);
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const index_t block = blockIdx.x;
  if (block < p.lookups) look_up<size>(p, block);
  else if (block < p.lookups + p.tiles) sum_tile<Grain, T>(p, block - p.lookups, shared.tile);
  else close_segments<Grain::threads, size, T>(p, block - p.lookups - p.tiles, shared.closing);
}

// The caller's grain, in whole quads and no more of them than a warp scans.
template <class Grain>
using grain_of_quads = grain<Grain::threads, 4 * std::clamp(ceil_div(Grain::values, 4), 1,
                                                            gpu::warp_size* gpu::warp_size / Grain::threads)>;

template <class Grain, class Terms, class Offsets, class Out, class T, class Op>
void segments_of_terms(const context& ctx, Terms terms, index_t count, Offsets offsets, index_t segments, Out out,
                       T init, Op op) {
  using G = grain_of_quads<Grain>;
  using P = segments_problem<Terms, Offsets, Out, T, Op>;
  // With 2,048 threads there are 32 registers; those that are spilled are requests to L2, too.
  constexpr int blocks = std::min((sizeof(T) <= 4 ? 1536 : 1024) / G::threads, 16);
  const index_t tiles = ceil_div(count, G::threads * G::values),
                lookups = ceil_div(segments, index_t{lookups_at_once} * lookup_rounds * G::threads);
  const index_t words = tiles * (1 + gpu::words_of<shared_sums<T>>);
  const kleene::detail::tagged_memory tagged = ctx.tagged(static_cast<std::size_t>(words) * sizeof(gpu::tagged_word));
  auto* const memory = static_cast<gpu::tagged_word*>(tagged.memory);
  launch(ctx, sum_segments<G, blocks, T, P>, lookups + tiles + ceil_div(tiles, G::threads), G::threads,
         P{terms, count, offsets, segments, out, init, op, lookups, tiles, memory, memory + tiles, tagged.tag});
}

}  // namespace kleene::streaming
