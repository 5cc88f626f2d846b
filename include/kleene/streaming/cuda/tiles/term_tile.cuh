// A tile of items that are computed, in a segmented reduction (segment_terms.cuh): loaded, flagged, scanned, and its
// sums scattered to the segments that end in it.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/publish.cuh"
#include "kleene/gpu/block/segmented_scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/streaming/cuda/tiles/tile_ends.cuh"

#include <iterator>
#include <utility>

namespace kleene::streaming {

// The head flags of 32 neighbours, be they quads or rows of 32 quads. A neighbour in which a segment ends is one, as
// what goes on from it is what follows its last end; so is the neighbour behind one whose last item is an end.
struct head_flags {
  unsigned some, last;
  __device__ __forceinline__ head_flags(bool has_end, bool last_is_end)
      : some(__ballot_sync(gpu::all_lanes, has_end)), last(__ballot_sync(gpu::all_lanes, last_is_end)) {}
  __device__ unsigned all() const { return some | last << 1; }
  // Whether a segment goes on from neighbour n into the next.
  __device__ bool goes_on(int n) const { return n >= 0 && !(last >> n & 1); }
  __device__ bool has_no_head_through(int n) const { return (all() & ((2u << n) - 1)) == 0; }
};

// What a tile publishes of segments that it shares with others: what it has of the first that ends in it, and what
// follows its last end, or all it has.
template <class T>
struct shared_sums {
  T lead, tail;
};

template <class Terms, class Offsets, class Out, class T, class Op>
struct segments_problem {
  Terms terms;
  index_t count;
  Offsets offsets;
  index_t segments;
  Out out;
  T init;
  Op op;

  index_t lookups, tiles;                    // blocks of the first two kinds
  gpu::tagged_word *first_segment, *shared;  // of each tile: the segment of its first item; its shared_sums
  std::uint64_t tag;
};

// Terms may come in two steps: load() what one is made of, combine() it when it is there; load_quad() loads four
// neighbours as vectors, where quads_are_aligned(). Other items are what they are.
template <class Terms>
concept two_steps = requires(const Terms& terms, index_t i) { terms.combine(terms.load(i)); };
template <class Terms>
__device__ __forceinline__ auto load_one(const Terms& terms, index_t i) {
  if constexpr (two_steps<Terms>) return terms.load(i);
  else return static_cast<std::iter_value_t<Terms>>(terms[i]);
}
template <class Terms>
using parts_of = decltype(load_one(std::declval<const Terms&>(), index_t{}));
template <class Terms>
__device__ __forceinline__ auto combined(const Terms& terms, const parts_of<Terms>& parts) {
  if constexpr (two_steps<Terms>) return terms.combine(parts);
  else return parts;
}
template <class Terms>
__device__ __forceinline__ bool quads_are_aligned(const Terms& terms) {
  if constexpr (two_steps<Terms>) return terms.quads_are_aligned();
  else return false;
}

// The shared memory of a tile's block.
template <class Grain, class T>
struct tile_arrays {
  static constexpr int threads = Grain::threads, size = threads * Grain::values;
  static constexpr int rows = size / (4 * gpu::warp_size);  // of 32 quads
  static constexpr int sums_at_once = 2 * threads;
  end_marks<size> marks;
  alignas(16) unsigned char sums[sums_at_once * sizeof(T)], row_sums[rows * sizeof(T)];
  index_t segment_of[2];  // the tile's first item, and the next tile's
};

// A block's work on one tile. What a thread has of it are the quads 0, threads, ... behind its own; 32 quads of a warp
// are a row.
template <class Grain, class T, class P>
struct term_tile {
  static constexpr int threads = Grain::threads, quads = Grain::values / 4, size = threads * Grain::values;
  static constexpr int warps = threads / gpu::warp_size;
  using arrays = tile_arrays<Grain, T>;
  static constexpr int rows = arrays::rows, sums_at_once = arrays::sums_at_once;
  static_assert(Grain::values % 4 == 0 && rows <= gpu::warp_size, "a warp scans the sums of all rows of 32 quads");
  using terms = decltype(std::declval<const P&>().terms + index_t{});
  using parts = parts_of<terms>;
  using segment_ends = ends_of_tile<threads, size, decltype(P::offsets)>;

  const P& p;
  arrays& shared;
  index_t tile, first;
  int items, thread, lane, warp;
  terms mine;

  __device__ __forceinline__ term_tile(const P& problem, index_t number, arrays& memory)
      : p(problem),
        shared(memory),
        tile(number),
        first(number * size),
        items(static_cast<int>(min(index_t{size}, problem.count - number * size))),
        thread(static_cast<int>(threadIdx.x)),
        lane(gpu::lane_id()),
        warp(static_cast<int>(threadIdx.x) / gpu::warp_size),
        mine(problem.terms + number * size) {}

  // The first item of the thread's quad j.
  __device__ __forceinline__ int item_of(int j) const { return 4 * (j * threads + thread); }

  // Asks for the thread's items, before anybody knows whose they are.
  __device__ __forceinline__ void load(parts (&part)[quads][4]) const {
    const bool aligned = quads_are_aligned(mine);
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      if constexpr (two_steps<terms>)
        if (aligned && item_of(j) + 4 <= items) {
          mine.load_quad(part[j], item_of(j));
          continue;
        }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (item_of(j) + i < items) part[j][i] = load_one(mine, item_of(j) + i);
    }
  }

  // Which segments end in the tile, once the look-up has published where it begins.
  __device__ __forceinline__ segment_ends find_ends() const {
    if (thread < 2) {
      const bool is_last = thread == 1 && tile + 1 == p.tiles;
      shared.segment_of[thread] = is_last ? p.segments : gpu::await<index_t>(p.first_segment, tile + thread, p.tag);
    }
    __syncthreads();
    return segment_ends(p.offsets, first, items, shared.segment_of[0], shared.segment_of[1]);
  }

  __device__ __forceinline__ void combine(T (&value)[quads][4], const parts (&part)[quads][4]) const {
#pragma unroll
    for (int j = 0; j < quads; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) value[j][i] = item_of(j) + i < items ? T(combined(mine, part[j][i])) : p.init;
  }

  // Sums within quads; left[j]: in quad j's row, what comes before it since the last end.
  __device__ __forceinline__ void scan_rows(T (&value)[quads][4], T (&left)[quads]) const {
    T* const row_sums = reinterpret_cast<T*>(shared.row_sums);
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      const unsigned ends_here = shared.marks.quad(item_of(j));
#pragma unroll
      for (int i = 1; i < 4; ++i)
        if (!(ends_here >> (i - 1) & 1)) value[j][i] = p.op(value[j][i - 1], value[j][i]);
      const head_flags quad(ends_here != 0, ends_here >> 3);
      const T through = gpu::warp_segmented_scan(value[j][3], quad.all(), p.op);
      left[j] = gpu::warp_up(through, 1);
      if (lane == gpu::warp_size - 1) row_sums[j * warps + warp] = through;
    }
  }

  // What comes before each row, too, which each warp finds for itself: the first end of each quad is complete then.
  // Returns what follows the tile's last end.
  __device__ __forceinline__ T scan_across_rows(T (&value)[quads][4], const T (&left)[quads]) const {
    const T* const row_sums = reinterpret_cast<const T*>(shared.row_sums);
    const auto& marks = shared.marks;
    const uint4 row_marks = lane < rows ? reinterpret_cast<const uint4*>(marks.word)[lane] : uint4{};
    const head_flags row((row_marks.x | row_marks.y | row_marks.z | row_marks.w) != 0, row_marks.w >> 31);
    const T through = gpu::warp_segmented_scan(lane < rows ? row_sums[lane] : p.init, row.all(), p.op);
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      const int row_before = j * warps + warp - 1;
      const T carry = gpu::warp_from(through, max(row_before, 0));
      const bool has_carry = row.goes_on(row_before);
      const unsigned ends_here = marks.quad(item_of(j));
      const head_flags quad(ends_here != 0, ends_here >> 3);
      T before = carry;
      if (lane > 0) before = has_carry && quad.has_no_head_through(lane - 1) ? p.op(carry, left[j]) : left[j];
      bool lacks = lane > 0 ? quad.goes_on(lane - 1) : has_carry;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (lacks && (ends_here >> i & 1)) {
          value[j][i] = p.op(before, value[j][i]);
          lacks = false;
        }
    }
    return gpu::warp_from(through, rows - 1);
  }

  // Sums go to the threads that have the segments, as many at a time as the shared memory holds.
  __device__ __forceinline__ void scatter(const T (&value)[quads][4], const segment_ends& ends, const T& tail) const {
    T* const sums = reinterpret_cast<T*>(shared.sums);
    const auto& marks = shared.marks;
    const int all = marks.all();
    for (int base = 0; base < all; base += sums_at_once) {
      if (base > 0) __syncthreads();
#pragma unroll
      for (int j = 0; j < quads; ++j) {
        const unsigned ends_here = marks.quad(item_of(j));
        if (ends_here == 0) continue;
        int at = marks.count_before(item_of(j)) - base;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (ends_here >> i & 1) {
            if (at >= 0 && at < sums_at_once) sums[at] = value[j][i];
            ++at;
          }
      }
      __syncthreads();
      ends.visit_each([&](index_t s, int from, int to) {
        const int at = marks.count_before(to - 1) - base;
        if (from >= 0 && at >= 0 && at < sums_at_once) p.out[s] = p.op(p.init, sums[at]);
      });
      if (base == 0 && thread == 0) gpu::publish(p.shared, tile, shared_sums<T>{sums[0], tail}, p.tag);
    }
    if (all == 0 && thread == 0) gpu::publish(p.shared, tile, shared_sums<T>{tail, tail}, p.tag);
  }
};

template <class Grain, class T, class P>
__device__ __forceinline__ void sum_tile(const P& p, index_t number, tile_arrays<Grain, T>& shared) {
  using tile_of_terms = term_tile<Grain, T, P>;
  auto& marks = shared.marks;
  const int thread = static_cast<int>(threadIdx.x);
  for (int w = thread; w < marks.words; w += Grain::threads) marks.word[w] = 0;

  const tile_of_terms tile(p, number, shared);
  typename tile_of_terms::parts part[tile_of_terms::quads][4];
  tile.load(part);
  const auto ends = tile.find_ends();
  ends.visit_each([&](index_t, int, int to) { marks.set(to - 1); });
  __syncthreads();

  T value[tile_of_terms::quads][4], left[tile_of_terms::quads];
  tile.combine(value, part);
  if (thread / gpu::warp_size == tile_of_terms::warps - 1) marks.count();
  tile.scan_rows(value, left);
  __syncthreads();
  const T tail = tile.scan_across_rows(value, left);
  tile.scatter(value, ends, tail);
}

}  // namespace kleene::streaming
