// Segmented sort on CUDA devices: a merge sort in which nothing crosses from one segment to the next. Stable, any
// order.
//
// Each block sorts the segments of a tile (tiles/segments_to_sort.cuh). A segment in two tiles that fits a block is
// merged by a block of its own. Long segments alone go through the passes of the merge sort, which leave alone what is
// no part of one, tile by tile.
//
// (Before, keys were sorted by a merge sort of pairs of segment and key: 4.5 G items/s whatever the segments.)
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/tiles/item_marks.cuh"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"
#include "kleene/streaming/cuda/tiles/segments_to_sort.cuh"
#include "kleene/streaming/cuda/tiles/sort_tile.cuh"

#include <algorithm>

namespace kleene::streaming {

// borders[t] for t = 0 .. tiles; the last one is that of the end.
template <class Offsets>
__global__ void find_borders(Offsets offsets, index_t segments, index_t count, index_t size, index_t tiles,
                             segment_border* borders) {
  gpu::grid_dependency_wait();
  const index_t t = index_t{blockIdx.x} * blockDim.x + threadIdx.x, item = min(t * size, count);
  if (t <= tiles) {
    const index_t first = lower_position(offsets, 0, segments + 1, item, ops::less{});
    segment_border border{first, item, item};
    if (first > 0 && first <= segments) {
      const index_t start = max(static_cast<index_t>(offsets[first - 1]), index_t{0});
      const index_t end = min(static_cast<index_t>(offsets[first]), count);
      if (start < item && item < end) border.start = start, border.end = end;
    }
    borders[t] = border;
  }
  gpu::launch_dependents();
}

// Sorts the parts of segments that are in a tile, in place.
template <class Grain, class It, class Values, class Offsets, class Less>
__global__ void __launch_bounds__(Grain::threads)
    sort_segments_of_tiles(It keys, Values values, index_t count, Offsets offsets, index_t segments,
                           const segment_border* borders, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  static_assert((threads & (threads - 1)) == 0, "runs double until they are the tile");
  static_assert(grain < 32, "a thread's heads are one word");
  constexpr bool keyed = !std::is_same_v<Values, no_values>;
  using T = std::iter_value_t<It>;
  extern __shared__ uint4 shared[];
  auto& [buffer, numbers] = *reinterpret_cast<sort_buffers<T, threads, size, keyed>*>(shared);
  __shared__ item_marks<size> marks;
  __shared__ borders_of_threads<threads> own_borders;
  __shared__ gpu::mbarrier arrived;
  set_up(&arrived, 1);
  gpu::grid_dependency_wait();

  const index_t first = index_t{blockIdx.x} * size;
  const int here = static_cast<int>(min(index_t{size}, count - first));
  const int thread = static_cast<int>(threadIdx.x), start = thread * grain;
  T* const items = tile_in<T>(buffer, keys + first);
  start_load_tile<threads>(items, keys + first, here, &arrived);
  mark_heads<threads>(marks, offsets, segments, borders + blockIdx.x, first, here);
  const unsigned heads = marks.from(start) & ((1u << grain) - 1);
  own_borders.find(heads, start, size);
  finish_load_tile(&arrived);

  T key[grain];
  int number[grain];
#pragma unroll
  for (int i = 0; i < grain; ++i) {
    key[i] = items[start + i];
    number[i] = start + i;
  }
  sort_in_registers<keyed>(key, number, heads, less);
  __syncthreads();
  const unsigned base = gpu::shared_address(items);
  // As in sort_tiles: while warps go on by themselves, theirs lie an item apart.
  int shift = thread / gpu::warp_size;
  const auto store_runs = [&] {
#pragma unroll
    for (int i = 0; i < grain; ++i) {
      items[start + shift + i] = key[i];
      if constexpr (keyed) numbers[start + i] = number[i];
    }
  };
  store_runs();
#pragma unroll 1
  for (int level = 0; grain << level < size; ++level) {
    const bool in_warp = 2 << level <= gpu::warp_size;  // what this level merges is its warp's
    const bool next_in_warp = 4 << level <= gpu::warp_size;
    const unsigned runs = base + shift * static_cast<int>(sizeof(T));
    unsigned where[grain];
    in_warp ? __syncwarp() : __syncthreads();
    const bool merged = merge_segment_of_runs(runs, level, own_borders, key, where, less);
    if constexpr (keyed)
      if (merged)
#pragma unroll
        for (int i = 0; i < grain; ++i) number[i] = numbers[(where[i] - runs) / sizeof(T)];
    next_in_warp ? __syncwarp() : __syncthreads();
    if (!next_in_warp) shift = 0;
    if (merged || (in_warp && !next_in_warp)) store_runs();
  }
  store_tile<threads>(keys + first, items, here);
  if constexpr (keyed) {  // all are read before any is written
    std::iter_value_t<Values> value[grain];
#pragma unroll
    for (int i = 0; i < grain; ++i)
      if (thread + i * threads < here) value[i] = values[first + min(numbers[thread + i * threads], here - 1)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < grain; ++i)
      if (thread + i * threads < here) values[first + thread + i * threads] = value[i];
  }
  gpu::launch_dependents();
}

// Merges the two parts of the segment across each border between tiles, in place, if it is not long.
template <class Grain, class It, class Values, class Less>
__global__ void __launch_bounds__(Grain::threads)
    merge_across_borders(It keys, Values values, const segment_border* borders, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  constexpr bool keyed = !std::is_same_v<Values, no_values>;
  using T = std::iter_value_t<It>;
  extern __shared__ uint4 shared[];
  auto& buffer = *reinterpret_cast<tile_buffer<T, size + 1>*>(shared);
  __shared__ gpu::mbarrier arrived;
  set_up(&arrived, 1);
  gpu::grid_dependency_wait();

  const index_t tile = index_t{blockIdx.x} + 1, item = tile * size;
  const segment_border border = borders[tile];
  if (border.start == border.end || border.is_long(item, size)) return;
  const int here = static_cast<int>(border.end - border.start), middle = static_cast<int>(item - border.start);
  T* const items = tile_in<T>(buffer, keys + border.start);
  start_load_tile<threads>(items, keys + border.start, here, &arrived);
  finish_load_tile(&arrived);

  const int at = static_cast<int>(threadIdx.x) * grain;
  const T* const second = items + middle;
  T key[grain];
  unsigned where[grain];
  [[maybe_unused]] typename value_of<Values>::type value[grain];
  if (at < here) {
    const int a = merge_path(items, middle, second, here - middle, at, less);
    merge_in_shared(items, middle, second, here - middle, a, at - a, key, where, less);
    if constexpr (keyed) gather_values(value, where, at, here, items, second, values + border.start, values + item);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < grain; ++i)
    if (at + i < here) {
      items[at + i] = key[i];
      if constexpr (keyed) values[border.start + at + i] = value[i];
    }
  store_tile<threads>(keys + border.start, items, here);
}

// One pass over the tiles that have a part of a long segment: sorted runs of `length` items become runs of twice that,
// in which only the segment across the border between the two moves.
template <class Keys, class Values>
struct pass_over_segments {
  Keys keys;
  Values values;
  index_t count, length;
  const segment_border* borders;
  index_t size;  // of the tiles that have the borders

  __device__ bool is_part_of(index_t first) const {
    const index_t t = first / size;
    return borders[t].is_long(t * size, size) || borders[t + 1].is_long((t + 1) * size, size);
  }

  // The two runs that the item is in, and the segment that is merged: from `left` to `right`.
  struct runs {
    index_t begin, middle, end, left, right;

    // How many items in front of `item` come from the first run.
    __device__ index_t diagonal(index_t item) const { return min(max(item - left, index_t{0}), right - left); }
    __device__ index_t cut(index_t item, index_t of_segment) const { return min(item, left) - begin + of_segment; }
  };
  __device__ runs at(index_t item) const {
    runs r{item / (2 * length) * (2 * length)};
    r.middle = r.left = r.right = min(r.begin + length, count);
    r.end = min(r.begin + 2 * length, count);
    if (r.middle < count) {
      const segment_border border = borders[r.middle / size];
      if (border.is_long(r.middle, size)) r.left = max(r.begin, border.start), r.right = min(r.end, border.end);
    }
    return r;
  }
  template <class It>
  __device__ static two_sequences<It, It> whole(It from, const runs& r) {
    return {from + r.begin, r.middle - r.begin, from + r.middle, r.end - r.middle};
  }
  __device__ two_sequences<Keys, Keys> segment(const runs& r) const {
    return {keys + r.left, r.middle - r.left, keys + r.middle, r.right - r.middle};
  }
};

// cuts[t]: how many items of the merge that tile t is in come from the first run before it.
template <class Pass, class Less>
__global__ void cut_segments(Pass pass, index_t tile, index_t tiles, index_t* cuts, Less less) {
  gpu::grid_dependency_wait();
  const index_t block = index_t{blockIdx.x} * cut_threads, t = block + threadIdx.x;
  const auto item_of = [&](index_t number) { return min(number * tile, pass.count - 1); };
  if (2 * pass.length >= cut_threads * tile) {  // all of the block's tiles are in one pair of runs
    const auto r = pass.at(item_of(block));
    const auto diagonal = [&](index_t number) { return r.diagonal(item_of(number)); };
    const index_t cut =
        block_cuts(pass.segment(r), diagonal(block), diagonal(block + cut_threads - 1), diagonal(t), less);
    if (t < tiles) cuts[t] = r.cut(item_of(t), cut);
  } else if (t < tiles) {
    const auto r = pass.at(item_of(t));
    const auto s = pass.segment(r);
    cuts[t] = r.cut(item_of(t), merge_path(s.a, s.a_count, s.b, s.b_count, r.diagonal(item_of(t)), less));
  }
  gpu::launch_dependents();
}

// The block's tiles, one after the other: most inputs have few that are part of a long segment, and a block for each
// takes 10 us a pass to find that out.
template <class Grain, class Pass, class Out, class OutV, class Less>
__global__ void __launch_bounds__(Grain::threads)
    merge_long_segments(Pass pass, const index_t* cuts, index_t tiles, Out out, OutV values_out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  constexpr bool has_values = !std::is_same_v<OutV, no_values>;
  using T = std::iter_value_t<decltype(pass.keys)>;
  using V = typename value_of<OutV>::type;
  __shared__ two_tile_buffer<T, size> buffer;
  __shared__ two_tile_buffer<V, has_values ? size : 0> value_buffer;
  __shared__ gpu::mbarrier arrived;
  __shared__ index_t ends[2];
  static_assert(declared_shared<sizeof(buffer) + (has_values ? sizeof(value_buffer) : 0)>::fits);
  set_up(&arrived, has_values ? 4 : 2);
  gpu::grid_dependency_wait();

  const int thread = static_cast<int>(threadIdx.x);
  int parity = 0;
#pragma unroll 1
  for (index_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const index_t first = number * size;
    if (!pass.is_part_of(first)) continue;
    const auto r = pass.at(first);
    const index_t* tile_cuts = cuts + number;
    if (cuts == nullptr) {
      for (int e = thread / gpu::warp_size; e < 2; e += threads / gpu::warp_size) {
        const index_t item = min(first + e * size, r.end), a = warp_merge_path(pass.segment(r), r.diagonal(item), less);
        if (gpu::lane_id() == 0) ends[e] = r.cut(item, a);
      }
      __syncthreads();
      tile_cuts = ends;
    }
    const auto keys = pass.whole(pass.keys, r);
    const tile_of_two tile(keys, keys.count(), tile_cuts, first - r.begin, size);
    const auto [a, b] =
        buffer.template start_load<threads>(keys, tile.a_first, tile.a_count, tile.b_first, tile.b_count, &arrived);
    [[maybe_unused]] typename decltype(value_buffer)::tile_pointers values{};
    if constexpr (has_values)
      values = value_buffer.template start_load<threads>(pass.whole(pass.values, r), tile.a_first, tile.a_count,
                                                         tile.b_first, tile.b_count, &arrived);
    finish_load_tile(&arrived, parity);
    parity ^= 1;

    // The segment in the tile: a from a_from on, b up to b_to.
    const int a_from = static_cast<int>(min(max(r.left - r.begin - tile.a_first, index_t{0}), index_t{tile.a_count}));
    const int b_to = static_cast<int>(min(max(r.right - r.middle - tile.b_first, index_t{0}), index_t{tile.b_count}));
    const int diagonal = min(thread * grain, tile.count());
    const int of_segment = min(max(diagonal - a_from, 0), tile.a_count - a_from + b_to);
    const int a_at = min(diagonal, a_from) + merge_path(a + a_from, tile.a_count - a_from, b, b_to, of_segment, less);
    const unsigned in_a = gpu::shared_address(a), in_b = gpu::shared_address(b);
    constexpr int each = sizeof(T);
    T key[grain];
    unsigned where[grain];
    merge_segment_in_shared(in_a + a_at * each, in_a + a_from * each, in_a + tile.a_count * each,
                            in_b + (diagonal - a_at) * each, in_b + b_to * each, key, where, less);
    [[maybe_unused]] V value[grain];
    if constexpr (has_values) gather_values(value, where, diagonal, tile.count(), a, b, values.a, values.b);

    __syncthreads();  // results go to the inputs' buffer
    T* const merged = buffer.first(out + first);
    [[maybe_unused]] V* const merged_values = value_buffer.first(values_out + first);
#pragma unroll
    for (int i = 0; i < grain; ++i)
      if (diagonal + i < tile.count()) {
        merged[diagonal + i] = key[i];
        if constexpr (has_values) merged_values[diagonal + i] = value[i];
      }
    store_tile<threads>(out + first, merged, tile.count());
    if constexpr (has_values) store_tile<threads>(values_out + first, merged_values, tile.count());
    __syncthreads();
  }
  gpu::launch_dependents();
}

template <class Grain, class Keys, class Values, class Out, class OutV, class Less>
void merge_long_segments_on_cuda(const context& ctx, const pass_over_segments<Keys, Values>& pass, Out to,
                                 OutV values_to, index_t* cuts, Less less) {
  using work = pass_over_segments<Keys, Values>;
  constexpr int size = Grain::threads * Grain::values;
  const index_t tiles = ceil_div(pass.count, size);
  if (blocks_cut(ctx, tiles)) cuts = nullptr;
  if (cuts != nullptr)
    launch(ctx, cut_segments<work, Less>, ceil_div(tiles, cut_threads), cut_threads, pass, index_t{size}, tiles, cuts,
           less);
  const index_t blocks = std::min(tiles, index_t{32} * ctx.device()->multiprocessors);
  launch(ctx, merge_long_segments<Grain, work, Out, OutV, Less>, blocks, Grain::threads, pass, cuts, tiles, to,
         values_to, less);
}

template <class Grain, class It, class Values, class Offsets, class Less>
void segmented_sort_on_cuda(const context& ctx, It keys, Values values, index_t count, Offsets offsets,
                            index_t segments, Less less) {
  if (kleene::detail::require_count("segments", segments) == 0 || count < 2) return;
  constexpr bool keyed = !std::is_same_v<Values, no_values>;
  using T = std::iter_value_t<It>;
  using V = typename value_of<Values>::type;
  using spare_values = std::conditional_t<keyed, V*, no_values>;
  constexpr std::size_t bytes = sizeof(T) + value_bytes<Values>;
  using merging = doubling<chosen_grain<Grain, merge_grain<bytes>>>;
  using sorting = doubling<chosen_grain<Grain, sort_grain<bytes>>>;
  constexpr index_t merge_tile = merging::threads * merging::values, size = sorting::threads * sorting::values;
  static_assert(size % merge_tile == 0, "borders are between tiles of the merges");
  const index_t tiles = ceil_div(count, size);

  gpu::workspace_layout layout;
  const auto borders_at = layout.add<segment_border>(tiles + 1);
  const auto keys_at = layout.add<T>(tiles > 1 ? count : 0);
  const auto values_at = layout.add<V>(keyed && tiles > 1 ? count : 0);
  const auto cuts_at = layout.add<index_t>(ceil_div(count, merge_tile) + 1);
  void* const memory = ctx.workspace(layout.bytes());
  segment_border* const borders = borders_at.in(memory);
  T* const spare = keys_at.in(memory);
  index_t* const cuts = cuts_at.in(memory);
  spare_values values_spare{};
  if constexpr (keyed) values_spare = values_at.in(memory);

  constexpr int threads = 128;
  launch(ctx, find_borders<Offsets>, ceil_div(tiles + 1, threads), threads, offsets, segments, count, size, tiles,
         borders);
  launch_with_shared_bytes(ctx, sort_segments_of_tiles<sorting, It, Values, Offsets, Less>, tiles, sorting::threads,
                           sizeof(sort_buffers<T, sorting::threads, static_cast<int>(size), keyed>), keys, values,
                           count, offsets, segments, borders, less);
  if (tiles == 1) return;
  launch_with_shared_bytes(ctx, merge_across_borders<sorting, It, Values, Less>, tiles - 1, sorting::threads,
                           sizeof(tile_buffer<T, static_cast<int>(size) + 1>), keys, values, borders, less);
  // Two passes at a time, one there and one back: what no pass touches stays where it is.
  for (index_t length = size; length < count; length *= 4) {
    merge_long_segments_on_cuda<merging>(ctx,
                                         pass_over_segments<It, Values>{keys, values, count, length, borders, size},
                                         spare, values_spare, cuts, less);
    merge_long_segments_on_cuda<merging>(
        ctx, pass_over_segments<T*, spare_values>{spare, values_spare, count, 2 * length, borders, size}, keys, values,
        cuts, less);
  }
}

}  // namespace kleene::streaming
