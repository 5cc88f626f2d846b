// Segmented reductions and scans on CUDA devices. By offsets: cuts by merge path between the segments' ends and the
// items' numbers, so that a block has a tile of both together, however long the segments are. The tile's ends mark the
// items behind them; each thread runs over its own items and writes, in place, the sum since the last mark; sums that
// cross threads and tiles are scanned (block_scan; over tiles by a small scan after it); a segment's result is what
// stands at its last item. (A walk of each thread along the merge of ends and items reached 1,345 GB/s, as lanes part
// ways at every step.) Items that are not an array of what is summed have tiles of their own (segment_terms.cuh). By
// flags: scans of runs (runs.cuh).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/runs.cuh"
#include "kleene/streaming/cuda/segment_terms.cuh"
#include "kleene/streaming/cuda/tiles/item_marks.cuh"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"
#include "kleene/streaming/cuda/tiles/scan_tiles.cuh"
#include "kleene/streaming/cuda/tiles/segment_carry.cuh"
#include "kleene/streaming/segments.hpp"

#include <algorithm>

namespace kleene {
namespace streaming {

// The carry of a tile: what it holds since its last end, and its first result, if others have a part in it: what
// the tile has of it, and its segment (else -1).
template <class T>
struct tile_carry {
  segment_carry<T> sum, first;
  index_t segment;
};

// Asking in the kernel whether it is to cut takes 5 % longer where one segment is a giant.
template <class Grain, bool Cuts, class Offsets, class Out, class T, class Op>
__global__ void __launch_bounds__(Grain::threads)
    segment_tiles(const T* items, two_sequences<Offsets, counting_iterator<index_t>> s, const index_t* cuts, Out out,
                  T init, tile_carry<T>* open, Op op) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  static_assert(grain < 32, "a thread's marks are one word");
  using E = std::iter_value_t<Offsets>;
  using sums = gpu::block_scan<segment_carry<T>, threads>;
  __shared__ alignas(16) unsigned char memory[size * (sizeof(T) > sizeof(E) ? sizeof(T) : sizeof(E)) + 64];
  __shared__ item_marks<size> marks;
  __shared__ typename sums::storage shared;
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(memory) + sizeof(marks) + sizeof(shared)>::fits);
  set_up(&arrived, 2);
  gpu::grid_dependency_wait();

  const index_t begin = index_t{blockIdx.x} * size;
  if constexpr (Cuts) cuts = cuts_of_block(s, s.count(), begin, size, nullptr, ops::less{});
  else cuts += blockIdx.x;
  const tile_of_two<Offsets, counting_iterator<index_t>> tile(s, s.count(), cuts, begin, size);
  tile_allocator buffers(memory);
  T* const x = buffers.take<T>(items + tile.b_first, tile.b_count);
  E* const ends = buffers.take<E>(tile.a, tile.a_count);
  const int thread = static_cast<int>(threadIdx.x), count = tile.b_count;
  start_load_tile<threads>(ends, tile.a, tile.a_count, tile.a_first, s.a_count - tile.a_first - tile.a_count, &arrived);
  start_load_tile<threads>(x, items + tile.b_first, count, tile.b_first, s.b_count - tile.b_first - count, &arrived);
  for (int w = thread; w < marks.words; w += threads) marks.word[w] = 0;
  finish_load_tile(&arrived);

  const auto end_of = [&](int segment) { return static_cast<int>(ends[segment] - static_cast<E>(tile.b_first)); };
  for (int e = thread; e < tile.a_count; e += threads) marks.set(end_of(e));
  __syncthreads();

  // A mark at an item: a segment ends before it.
  const int first = min(thread * grain, count), mine = min(grain, count - first);
  const unsigned starts = marks.from(first);
  segment_carry<T> sum{mine > 0 && (starts & ((1u << mine) - 1)) != 0, mine > 0, init};
  if (mine > 0) {
    sum.value = x[first];
    const auto run_on = [&](int i) {
      const T value = x[first + i];
      sum.value = starts >> i & 1 ? value : op(sum.value, value);
      x[first + i] = sum.value;
    };
    if (mine == grain) {
#pragma unroll
      for (int i = 1; i < grain; ++i) run_on(i);
    } else {
      for (int i = 1; i < mine; ++i) run_on(i);
    }
  }

  const segment_carry_op<Op> join{op};
  segment_carry<T> before = sums::exclusive(shared, sum, join);
  if (thread == 0) before = {false, false, init};

  // The segment that goes on into this thread's items may end among them, or right behind: there its sum lacks
  // `before`.
  const unsigned behind = marks.from(first + 1) & ((1u << mine) - 1);
  if (before.has && mine > 0 && !(starts & 1) && behind != 0) {
    T& last = x[first + __ffs(static_cast<int>(behind)) - 1];
    last = op(before.value, last);
  }
  __syncthreads();

  // Only the tile's first result can need what is to the left of the tile.
  const auto is_empty = [&](int k) { return (k > 0 ? ends[k - 1] : tile.a[-1]) == ends[k]; };
  for (int k = thread; k < tile.a_count; k += threads) {
    if (k == 0) continue;
    out[tile.a_first + k] = is_empty(k) ? init : op(init, x[end_of(k) - 1]);
  }
  if (thread == 0) {
    tile_carry<T> mine_left{sums::total(shared, join), {false, false, init}, -1};
    if (marks.from(count) & 1) mine_left.sum = {true, false, init};
    if (tile.a_count > 0) {
      const int end = end_of(0);
      if (is_empty(0)) out[tile.a_first] = init;
      else mine_left.segment = tile.a_first;
      if (end > 0) mine_left.first = {false, true, x[end - 1]};
    }
    open[blockIdx.x] = mine_left;
  }
  gpu::launch_dependents();
}

// The scan over tiles: what is open to the left of a tile completes its first result.
template <class T>
struct tile_carries {
  using value_type = segment_carry<T>;
  const tile_carry<T>* open;
  __device__ tile_carries operator+(index_t n) const { return {open + n}; }
  __device__ segment_carry<T> operator[](index_t i) const { return open[i].sum; }
};
template <class Out, class T, class Op>
struct complete_first {
  Out out;
  const tile_carry<T>* open;
  T init;
  Op op;
  index_t at = 0;
  struct reference {
    const complete_first& to;
    index_t tile;
    __device__ void operator=(const segment_carry<T>& left) const {
      const tile_carry<T> here = to.open[tile];
      if (here.segment < 0) return;
      const segment_carry<T> whole = segment_carry_op<Op>{to.op}(left, here.first);
      to.out[here.segment] = whole.has ? to.op(to.init, whole.value) : to.init;
    }
  };
  __host__ __device__ complete_first operator+(index_t n) const { return {out, open, init, op, at + n}; }
  __device__ reference operator[](index_t i) const { return {*this, at + i}; }
};

template <class Grain, class Offsets, class Out, class T, class Op>
void segments_of_array(const context& ctx, const T* items, index_t count, Offsets offsets, index_t segments, Out out,
                       T init, Op op) {
  using G = chosen_grain<Grain, segment_grain<std::max(sizeof(T), sizeof(std::iter_value_t<Offsets>))>>;
  using Numbers = counting_iterator<index_t>;
  const two_sequences<Offsets, Numbers> s{offsets + 1, segments, Numbers(0), count};
  constexpr int size = G::threads * G::values;
  const index_t tiles = ceil_div(s.count(), size);
  gpu::workspace_layout layout;
  const auto cuts_at = layout.add<index_t>(tiles + 1);
  const auto open_at = layout.add<tile_carry<T>>(tiles);
  void* const memory = ctx.workspace(layout.bytes());
  index_t* const cuts = cuts_at.in(memory);
  auto* const open = open_at.in(memory);
  auto* kernel = segment_tiles<G, true, Offsets, Out, T, Op>;
  if (!blocks_cut(ctx, tiles)) {
    cut_on_cuda(ctx, s, s.count(), size, cuts, ops::less{});
    kernel = segment_tiles<G, false, Offsets, Out, T, Op>;
  }
  launch(ctx, kernel, tiles, G::threads, items, s, cuts, out, init, open, op);
  using completing = grain<threads_of_size(sizeof(segment_carry<T>), 256), items_of_size(sizeof(segment_carry<T>), 11)>;
  scan_on_cuda<completing, true>(ctx, tile_carries<T>{open}, tiles, complete_first<Out, T, Op>{out, open, init, op},
                                 segment_carry<T>{false, false, init}, segment_carry_op<Op>{op});
}

template <class Grain, class Items, class Offsets, class Out, class T, class Op>
void segments_on_cuda(const context& ctx, Items items, index_t count, Offsets offsets, index_t segments, Out out,
                      T init, Op op) {
  if (kleene::detail::require_count("segments", segments) == 0) return;
  if constexpr (detail::moves_as_bytes<Items, T>)
    segments_of_array<Grain>(ctx, static_cast<const T*>(items), count, offsets, segments, out, init, op);
  else
    segments_of_terms<chosen_grain<Grain, term_grain<sizeof(T)>>>(ctx, items, count, offsets, segments, out, init, op);
}

// Marks the starts of segments that are not empty.
template <class Offsets>
__global__ void mark_starts(Offsets offsets, index_t segments, unsigned char* head_flags) {
  gpu::grid_dependency_wait();
  const index_t s = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (s < segments && offsets[s] < offsets[s + 1]) head_flags[offsets[s]] = 1;
}

// A byte for each item, in the workspace: whether a segment starts with it.
template <class Offsets>
const unsigned char* head_flags_of_segments(const context& ctx, index_t count, Offsets offsets, index_t segments) {
  constexpr int threads = 256;
  auto* const head_flags = static_cast<unsigned char*>(ctx.workspace(static_cast<std::size_t>(count)));
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::require(cudaMemsetAsync(head_flags, 0, static_cast<std::size_t>(count), stream_of(ctx)),
               "clearing segment heads");
  if (segments > 0)
    launch(ctx, mark_starts<Offsets>, ceil_div(segments, threads), threads, offsets, segments, head_flags);
  return head_flags;
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct segmented {
  template <class Values, class Offsets, class Out, class T, class Op>
  static Out segmented_reduce(const context& ctx, Values first, Values last, Offsets offsets, index_t segments, Out out,
                              T init, Op op) {
    streaming::segments_on_cuda<Grain>(ctx, first, detail::length_of(first, last), offsets, segments, out, init, op);
    return out + segments;
  }

  template <class Values, class Offsets, class Out, class Op>
  static Out segmented_inclusive_scan(const context& ctx, Values first, Values last, Offsets offsets, index_t segments,
                                      Out out, Op op) {
    const index_t count = detail::length_of(first, last);
    detail::require_count("segments", segments);
    if (count == 0) return out;
    const streaming::heads_of_flags<const unsigned char*> is_head{
        streaming::head_flags_of_segments(ctx, count, offsets, segments)};
    return streaming::scan_runs<Grain>(ctx, is_head, first, count, out, op);
  }

  template <class Values, class Offsets, class Out, class T, class Op>
  static Out segmented_exclusive_scan(const context& ctx, Values first, Values last, Offsets offsets, index_t segments,
                                      Out out, T init, Op op) {
    const index_t count = detail::length_of(first, last);
    detail::require_count("segments", segments);
    if (count == 0) return out;
    const streaming::heads_of_flags<const unsigned char*> is_head{
        streaming::head_flags_of_segments(ctx, count, offsets, segments)};
    return streaming::scan_runs_before<Grain>(ctx, is_head, first, count, out, init, op);
  }

  template <class It, class Flags, class Out, class Count, class T, class Op>
  static void segmented_reduce_flags_to(const context& ctx, It first, It last, Flags flags, Out out, Count count,
                                        T init, Op op) {
    const streaming::flagged_results<Out, T, Op> results{out, init, op};
    streaming::reduce_runs<Grain, T>(ctx, streaming::heads_of_flags<Flags>{flags}, first,
                                     detail::length_of(first, last), results, count, op);
  }

  template <class It, class Flags, class Out, class T, class Op>
  static index_t segmented_reduce_flags(const context& ctx, It first, It last, Flags flags, Out out, T init, Op op) {
    index_t* const count = static_cast<index_t*>(ctx.workspace(sizeof(index_t)));
    segmented_reduce_flags_to(ctx, first, last, flags, out, count, init, op);
    return streaming::fetch(ctx, count);
  }

  template <class It, class Flags, class Out, class Op>
  static Out segmented_inclusive_scan_flags(const context& ctx, It first, It last, Flags flags, Out out, Op op) {
    return streaming::scan_runs<Grain>(ctx, streaming::heads_of_flags<Flags>{flags}, first,
                                       detail::length_of(first, last), out, op);
  }

  template <class It, class Flags, class Out, class T, class Op>
  static Out segmented_exclusive_scan_flags(const context& ctx, It first, It last, Flags flags, Out out, T init,
                                            Op op) {
    return streaming::scan_runs_before<Grain>(ctx, streaming::heads_of_flags<Flags>{flags}, first,
                                              detail::length_of(first, last), out, init, op);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::segmented, cuda::segmented<Grain>> machines_of(family<cpu::segmented, Grain>);

}  // namespace detail
}  // namespace kleene
