// Segmented reductions of items that cost trips to memory, as the terms of a sparse matrix do: each x that is gathered
// is a request to L2, and how many of those L2 takes a clock is what bounds them. So nothing may hold the loads up, and
// shared memory stays small, as L1 has what it leaves:
//
//   tiles      are stretches of items alone. A tile loads its items before it knows whose they are, and the kernel that
//              looks up in which segment each tile begins runs beside the first of them.
//   quads      of neighbouring items stay in a thread's registers; sums of quads are scanned by warps, and what comes
//              of those by each warp again. Shared memory has one bit for each item, whether a segment ends with it,
//              and the sums of segments, packed.
//
//   results    of empty segments come from the kernel that looks up, of segments that tiles share from a last one.
#pragma once

#include "kleene/streaming/block_scan.cuh"
#include "kleene/streaming/launch.cuh"
#include "kleene/streaming/open_sum.cuh"
#include "kleene/streaming/tile.cuh"
#include "kleene/streaming/tile_ends.cuh"

#include <algorithm>

namespace kleene::streaming {

// first[t]: the segment of item t * Tile, for t = 0 .. tiles - 1; and the results of empty segments.
template <int Tile, int Each, class Offsets, class Out, class T>
__global__ void first_segments(Offsets offsets, index segments, index* first, Out out, T init) {
  constexpr index many = 8;
  // In this order: who starts early may rely on all that came before this kernel.
  kernels::cuda::wait_for_predecessors();
  kernels::cuda::dependents_may_start();
  const index mine = static_cast<index>(blockIdx.x) * blockDim.x * Each + threadIdx.x;
  index from[Each], to[Each];
#pragma unroll
  for (int k = 0; k < Each; ++k) {
    const index s = min(mine + k * static_cast<index>(blockDim.x), segments - 1);
    from[k] = static_cast<index>(offsets[s]);
    to[k] = static_cast<index>(offsets[s + 1]);
  }
  const auto tile_at_or_behind = [](index item) {
    return static_cast<index>(static_cast<std::uint64_t>(item + (Tile - 1)) / Tile);
  };
#pragma unroll
  for (int k = 0; k < Each; ++k) {
    const index s = mine + k * static_cast<index>(blockDim.x);
    if (s < segments && from[k] == to[k]) out[s] = init;
    const index start = tile_at_or_behind(from[k]), end = s < segments ? tile_at_or_behind(to[k]) : start;
    if (end - start <= many)
      for (index t = start; t < end; ++t) first[t] = s;
    for (unsigned lanes = __ballot_sync(all_lanes, end - start > many); lanes != 0; lanes &= lanes - 1) {
      const int lane = __ffs(static_cast<int>(lanes)) - 1;
      const index last = warp_from(end, lane), segment = warp_from(s, lane);
      for (index t = warp_from(start, lane) + lane_id(); t < last; t += warp_size) first[t] = segment;
    }
  }
}

// What lanes hold from the last lane in `restarts` on, this lane's included.
template <class T, class Op>
__device__ __forceinline__ T warp_sum_since(T value, unsigned restarts, const Op& op) {
  const int lane = lane_id();
  const unsigned until_here = restarts & (all_lanes >> (warp_size - 1 - lane));
  const int reach = until_here != 0 ? lane - (31 - __clz(static_cast<int>(until_here))) : lane;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T left = warp_up(value, distance);
    if (distance <= reach) value = op(left, value);
  }
  return value;
}

// Where sums begin anew among 32 neighbours, be they quads or rows of 32 quads: at those with an end, as what goes on
// from them is what follows their last end, and behind those whose last item is an end.
struct restarts {
  unsigned some, last;
  __device__ __forceinline__ restarts(bool has_end, bool last_is_end)
      : some(__ballot_sync(all_lanes, has_end)), last(__ballot_sync(all_lanes, last_is_end)) {}
  __device__ unsigned all() const { return some | last << 1; }
  // Whether something goes on from neighbour n into the next; from whatever is before the first into neighbour n.
  __device__ bool leave(int n) const { return n >= 0 && !(last >> n & 1); }
  __device__ bool reach(int n) const { return (all() & ((2u << n) - 1)) == 0; }
};

// Terms may come in two steps: load() what one is made of, combine() it when it is there; load_quad() four neighbours,
// which may lie well for that. Other items are what they are.
template <class Terms>
concept two_steps = requires(const Terms& terms, index i) {
  terms.combine(terms.load(i));
};
template <class Terms>
__device__ __forceinline__ auto load_one(const Terms& terms, index i) {
  if constexpr (two_steps<Terms>)
    return terms.load(i);
  else
    return static_cast<std::iter_value_t<Terms>>(terms[i]);
}
template <class Terms>
using parts_of = decltype(load_one(std::declval<const Terms&>(), index{}));
template <class Terms>
__device__ __forceinline__ auto combined(const Terms& terms, const parts_of<Terms>& parts) {
  if constexpr (two_steps<Terms>)
    return terms.combine(parts);
  else
    return parts;
}
template <class Terms>
__device__ __forceinline__ bool quads_lie_well(const Terms& terms) {
  if constexpr (two_steps<Terms>)
    return terms.lie_well();
  else
    return false;
}
template <class Terms>
__device__ __forceinline__ void load_quad(parts_of<Terms> (&parts)[4], const Terms& terms, index i, bool well) {
  if constexpr (two_steps<Terms>) {
    if (well) {
      terms.load_quad(parts, i);
      return;
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) parts[k] = load_one(terms, i + k);
}

// What a tile leaves of segments that it shares with others: what it has of the one that ends in it and began `left`
// tiles before (0: none does), and what follows its last end.
template <class T>
struct shared_segments {
  T head, tail;
  index segment;
  index left;
};

template <class Grain, int Blocks, class Terms, class Offsets, class Out, class T, class Op>
__global__ void __launch_bounds__(Grain::threads, Blocks)
    term_tiles(Terms terms, index count, Offsets offsets, index segments, const index* first_segment, Out out, T init,
               shared_segments<T>* shared, Op op) {
  constexpr int threads = Grain::threads, quads = Grain::values / 4, size = threads * Grain::values;
  constexpr int warps = threads / warp_size, rows = warps * quads, room = 2 * threads;
  static_assert(Grain::values % 4 == 0 && rows <= warp_size, "a warp scans the sums of all rows of 32 quads");
  __shared__ end_marks<size> marks;
  __shared__ alignas(16) unsigned char sums_memory[room * sizeof(T)], rows_memory[rows * sizeof(T)];
  static_assert(declared_room<sizeof(marks) + sizeof(sums_memory) + sizeof(rows_memory)>::fits);
  T* const sums = reinterpret_cast<T*>(sums_memory);
  T* const row_sums = reinterpret_cast<T*>(rows_memory);
  const int thread = static_cast<int>(threadIdx.x), lane = lane_id(), warp = thread / warp_size;
  const index tile = blockIdx.x, first = tile * size;
  const int items = static_cast<int>(min(index{size}, count - first));
  const auto item_of = [&](int j) { return 4 * (j * threads + thread); };
  kernels::cuda::dependents_may_start();

  for (int w = thread; w < marks.words; w += threads) marks.word[w] = 0;
  const Terms mine = terms + first;
  using parts = parts_of<Terms>;
  parts part[quads][4];
  if (items == size) {
    const bool well = quads_lie_well(mine);
#pragma unroll
    for (int j = 0; j < quads; ++j) load_quad(part[j], mine, item_of(j), well);
  } else {
#pragma unroll
    for (int j = 0; j < quads; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (item_of(j) + i < items) part[j][i] = load_one(mine, item_of(j) + i);
  }

  kernels::cuda::wait_for_predecessors();
  const index segment = first_segment[tile], segment_end = first + size < count ? first_segment[tile + 1] : segments;
  const ends_of_tile<threads, size, Offsets> ends(offsets, first, items, segment, segment_end);
  __syncthreads();
  ends.visit_each([&](index, int, int to) { marks.set(to - 1); });
  __syncthreads();

  T value[quads][4];
#pragma unroll
  for (int j = 0; j < quads; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) value[j][i] = item_of(j) + i < items ? T(combined(mine, part[j][i])) : init;

  // In each row of 32 quads, what comes before a quad since the last end.
  if (warp == warps - 1) marks.count();
  T left[quads];
#pragma unroll
  for (int j = 0; j < quads; ++j) {
    const unsigned ends_here = marks.quad(item_of(j));
#pragma unroll
    for (int i = 1; i < 4; ++i)
      if (!(ends_here >> (i - 1) & 1)) value[j][i] = op(value[j][i - 1], value[j][i]);
    const restarts quad(ends_here != 0, ends_here >> 3);
    const T through = warp_sum_since(value[j][3], quad.all(), op);
    left[j] = warp_up(through, 1);
    if (lane == warp_size - 1) row_sums[j * warps + warp] = through;
  }
  __syncthreads();

  // And before a row, which each warp finds for itself; with both, the first end of a quad is complete.
  const uint4 row_marks = lane < rows ? reinterpret_cast<const uint4*>(marks.word)[lane] : uint4{};
  const restarts row((row_marks.x | row_marks.y | row_marks.z | row_marks.w) != 0, row_marks.w >> 31);
  const T through = warp_sum_since(lane < rows ? row_sums[lane] : init, row.all(), op);
#pragma unroll
  for (int j = 0; j < quads; ++j) {
    const int row_before = j * warps + warp - 1;
    const T carry = warp_from(through, max(row_before, 0));
    const bool has_carry = row.leave(row_before);
    const unsigned ends_here = marks.quad(item_of(j));
    const restarts quad(ends_here != 0, ends_here >> 3);
    T before = carry;
    if (lane > 0) before = has_carry && quad.reach(lane - 1) ? op(carry, left[j]) : left[j];
    bool lacks = lane > 0 ? quad.leave(lane - 1) : has_carry;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (lacks && (ends_here >> i & 1)) {
        value[j][i] = op(before, value[j][i]);
        lacks = false;
      }
  }
  if (thread == rows - 1) shared[tile].tail = through;
  if (thread == 0 && segment == segment_end) shared[tile].left = 0;

  // Sums go to the threads that have the segments, a room full at a time.
  const int all = marks.all();
  for (int base = 0; base < all; base += room) {
    if (base > 0) __syncthreads();
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      const unsigned ends_here = marks.quad(item_of(j));
      if (ends_here == 0) continue;
      int at = marks.count_before(item_of(j)) - base;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (ends_here >> i & 1) {
          if (at >= 0 && at < room) sums[at] = value[j][i];
          ++at;
        }
    }
    __syncthreads();
    ends.visit_each([&](index s, int from, int to) {
      const int at = marks.count_before(to - 1) - base;
      if (at < 0 || at >= room) return;
      if (from >= 0) out[s] = op(init, sums[at]);
      if (s != segment) return;
      shared[tile].left = tile - static_cast<index>(offsets[s]) / size;
      shared[tile].segment = s;
      shared[tile].head = sums[at];
    });
  }
}

// The results of segments that tiles share.
template <int Threads, class Out, class T, class Op>
__global__ void close_segments(const shared_segments<T>* shared, index tiles, Out out, T init, Op op) {
  constexpr index few = 8;  // tiles that a thread adds up by itself
  using sums = block_scan<open_sum<T>, Threads>;
  __shared__ typename sums::storage room;
  __shared__ unsigned long_ones[Threads / warp_size];
  static_assert(declared_room<sizeof(room) + sizeof(long_ones)>::fits);
  const int thread = static_cast<int>(threadIdx.x);
  kernels::cuda::wait_for_predecessors();

  const index first = static_cast<index>(blockIdx.x) * Threads, tile = first + thread;
  index left = 0;
  if (tile < tiles) {
    const shared_segments<T> here = shared[tile];
    T sum = shared[max(tile - 1, index{0})].tail;  // where most begin
    left = here.left;
    if (left > 0 && left <= few) {
      if (left > 1) sum = shared[tile - left].tail;
      for (index t = tile - left + 1; t < tile; ++t) sum = op(sum, shared[t].tail);
      out[here.segment] = op(init, op(sum, here.head));
    }
  }

  // Longer ones by all threads, one after the other: the tiles of them all are no more than there are.
  const unsigned lanes = __ballot_sync(all_lanes, left > few);
  if (lane_id() == 0) long_ones[thread / warp_size] = lanes;
  __syncthreads();
  for (int warp = 0; warp < Threads / warp_size; ++warp)
    for (unsigned rest = long_ones[warp]; rest != 0; rest &= rest - 1) {
      const index end = first + warp * warp_size + __ffs(static_cast<int>(rest)) - 1;
      const shared_segments<T> here = shared[end];
      const index each = (here.left + Threads - 1) / Threads;
      const index from = min(end - here.left + thread * each, end), to = min(from + each, end);
      open_sum<T> sum{false, from < to, init};
      if (from < to) sum.value = shared[from].tail;
      for (index t = from + 1; t < to; ++t) sum.value = op(sum.value, shared[t].tail);
      sum = sums::fold(room, sum, open_sum_op<Op>{op});
      if (thread == 0) out[here.segment] = op(init, op(sum.value, here.head));
      __syncthreads();
    }
}

// The caller's grain, in whole quads and no more of them than a warp scans.
template <class Grain>
using grain_of_quads =
    grain<Grain::threads, 4 * std::clamp((Grain::values + 3) / 4, 1, warp_size* warp_size / Grain::threads)>;

template <class Grain, class Terms, class Offsets, class Out, class T, class Op>
void segments_of_terms(const context& ctx, Terms terms, index count, Offsets offsets, index segments, Out out, T init,
                       Op op) {
  using G = grain_of_quads<Grain>;
  constexpr int size = G::threads * G::values, each = 8, cutters = 256, closers = 128;
  // With 2,048 threads there are 32 registers; those that are spilled are requests to L2, too.
  constexpr int blocks = std::min((sizeof(T) <= 4 ? 1536 : 1024) / G::threads, 16);
  const index tiles = tiles_of(count, size);
  scratch plan;
  const auto first_at = plan.add<index>(tiles), shared_at = plan.add<shared_segments<T>>(tiles);
  void* const memory = ctx.workspace(plan.bytes());
  index* const first = scratch::at<index>(memory, first_at);
  auto* const shared = scratch::at<shared_segments<T>>(memory, shared_at);
  launch(ctx, first_segments<size, each, Offsets, Out, T>, tiles_of(segments, index{each} * cutters), cutters, offsets,
         segments, first, out, init);
  if (tiles == 0) return;
  launch(ctx, term_tiles<G, blocks, Terms, Offsets, Out, T, Op>, tiles, G::threads, terms, count, offsets, segments,
         first, out, init, shared, op);
  launch(ctx, close_segments<closers, Out, T, Op>, tiles_of(tiles, closers), closers, shared, tiles, out, init, op);
}

}  // namespace kleene::streaming
