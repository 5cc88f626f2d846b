// Sorting on CUDA devices. merge_sort: each block sorts a tile (each thread its own items in registers, then merges in
// shared memory), then passes of pairwise merges by the kernel of merge.cuh, from one array to another and back.
// Stable, any order. segmented_sort is in segmented_sort.cuh, radix_sort in radix_sort.cuh.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/segmented_sort.cuh"
#include "kleene/streaming/cuda/tiles/sort_tile.cuh"
#include "kleene/streaming/sort.hpp"

namespace kleene {
namespace streaming {

// The last of the items in their order (of equals, any).
template <class Less>
struct last_of {
  Less less;
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    return less(a, b) ? b : a;
  }
};

// A tile that is not whole is filled up with its last item: a stable sort leaves those behind all others.
template <int Threads, class T, class Less>
__device__ __forceinline__ void fill_up(T* items, int here, int size, const Less& less) {
  using last = gpu::block_scan<T, Threads>;
  __shared__ typename last::storage shared;
  const int thread = static_cast<int>(threadIdx.x);
  T mine = items[min(thread, here - 1)];
  for (int i = thread + Threads; i < here; i += Threads) mine = last_of<Less>{less}(mine, items[i]);
  mine = last::fold(shared, mine, last_of<Less>{less});
  for (int i = here + thread; i < size; i += Threads) items[i] = mine;
  __syncthreads();
}

// The thread's items of neighbouring runs that are merged: `log_runs` doublings make runs of Values items the ones
// that are there. All lie at shared address `base`. where[i]: the address of key[i].
template <int Values, class T, class Less>
__device__ __forceinline__ void merge_neighbours(unsigned base, int log_runs, T (&key)[Values],
                                                 unsigned (&where)[Values], const Less& less) {
  constexpr int each = sizeof(T);
  const int thread = static_cast<int>(threadIdx.x), pair = thread >> (log_runs + 1) << (log_runs + 1);
  const int width = Values << log_runs, diagonal = (thread - pair) * Values;
  const unsigned a = base + pair * Values * each, b = a + width * each;
  int first = max(0, diagonal - width), last = min(diagonal, width);
  const unsigned b_last = b + (diagonal - 1) * each;
  while (first < last) {
    const int middle = static_cast<int>(static_cast<unsigned>(first + last) / 2);
    if (less(detail::load_shared<T>(b_last - middle * each), detail::load_shared<T>(a + middle * each))) last = middle;
    else first = middle + 1;
  }
  merge_in_shared(a + first * each, b, b + (diagonal - first) * each, b + width * each, key, where, less);
}

template <class Grain, class It, class Values, class Out, class OutV, class Less>
__global__ void __launch_bounds__(Grain::threads)
    sort_tiles(It in, Values values, index_t count, Out out, OutV values_out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  static_assert((threads & (threads - 1)) == 0, "runs double until they are the tile");
  constexpr bool keyed = !std::is_same_v<Values, no_values>;
  using T = std::iter_value_t<It>;
  extern __shared__ uint4 shared[];
  auto& [buffer, numbers] = *reinterpret_cast<sort_buffers<T, threads, size, keyed>*>(shared);
  __shared__ gpu::mbarrier arrived;
  set_up(&arrived, 1);
  gpu::grid_dependency_wait();

  const index_t first = static_cast<index_t>(blockIdx.x) * size;
  const int here = static_cast<int>(min(index_t{size}, count - first));
  const int thread = static_cast<int>(threadIdx.x), start = thread * grain;
  T* items = tile_in<T>(buffer, in + first);
  start_load_tile<threads>(items, in + first, here, &arrived);
  finish_load_tile(&arrived);
  if (here < size) fill_up<threads>(items, here, size, less);

  T key[grain];
  int number[grain];
#pragma unroll
  for (int i = 0; i < grain; ++i) {
    key[i] = items[start + i];
    number[i] = start + i;
  }
  sort_in_registers<keyed>(key, number, 0, less);
  __syncthreads();
  items = tile_in<T>(buffer, out + first);
  const unsigned base = gpu::shared_address(items);
  // A merge reads one item behind its runs, which is not used. While warps go on by themselves, theirs lie an item
  // apart, so that none reads what the next one writes.
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
    merge_neighbours(runs, level, key, where, less);
    if constexpr (keyed)
#pragma unroll
      for (int i = 0; i < grain; ++i) number[i] = numbers[(where[i] - runs) / sizeof(T)];
    next_in_warp ? __syncwarp() : __syncthreads();
    if (!next_in_warp) shift = 0;
    store_runs();
  }
  store_tile<threads>(out + first, items, here);
  // All are read before any is written: values may be values_out. (What a tile was filled up with comes last; where the
  // comparator is no order it may not.)
  if constexpr (keyed) {
    std::iter_value_t<Values> value[grain];
#pragma unroll
    for (int i = 0; i < grain; ++i)
      if (thread + i * threads < here) value[i] = values[first + min(numbers[thread + i * threads], here - 1)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < grain; ++i)
      if (thread + i * threads < here) values_out[first + thread + i * threads] = value[i];
  }
}

// One pass: sorted runs of `length` items become runs of twice that.
template <class Keys, class Values>
struct merge_of_runs {
  struct sequences {
    Keys a;
  } keys;
  Values values;
  index_t count, length;

  __device__ index_t begin_at(index_t first) const { return first / (2 * length) * (2 * length); }
  __device__ index_t limit_at(index_t first) const { return min(2 * length, count - begin_at(first)); }
  template <class It>
  __device__ two_sequences<It, It> split(It from, index_t first) const {
    const index_t begin = begin_at(first), all = limit_at(first), a_count = min(length, all);
    return {from + begin, a_count, from + begin + a_count, all - a_count};
  }
  __device__ two_sequences<Keys, Keys> keys_at(index_t first) const { return split(keys.a, first); }
  __device__ two_sequences<Values, Values> values_at(index_t first) const { return split(values, first); }
};

template <class Work, class Less>
__global__ void cut_runs(Work work, index_t tile, index_t tiles, index_t* cuts, Less less) {
  gpu::grid_dependency_wait();
  const index_t block = static_cast<index_t>(blockIdx.x) * cut_threads, t = block + threadIdx.x;
  const index_t begin = work.begin_at(min(block * tile, work.count - 1));
  if (2 * work.length >= cut_threads * tile) {  // all of the block's tiles are in one pair of runs
    const auto s = work.keys_at(begin);
    const auto diagonal = [&](index_t tile_number) { return min(tile_number * tile - begin, s.count()); };
    const index_t cut = block_cuts(s, diagonal(block), diagonal(block + cut_threads - 1), diagonal(t), less);
    if (t < tiles) cuts[t] = cut;
  } else if (t < tiles) {
    const auto s = work.keys_at(t * tile);
    cuts[t] = merge_path(s.a, s.a_count, s.b, s.b_count, t * tile - work.begin_at(t * tile), less);
  }
  gpu::launch_dependents();
}

template <class Grain, class Keys, class Values, class Out, class OutV, class Less>
void merge_runs(const context& ctx, Keys from, Values values_from, Out to, OutV values_to, index_t count,
                index_t length, index_t* cuts, Less less) {
  constexpr int size = Grain::threads * Grain::values;
  const index_t tiles = ceil_div(count, size);
  using work = merge_of_runs<Keys, Values>;
  const work pass{{from}, values_from, count, length};
  if (blocks_cut(ctx, tiles)) cuts = nullptr;
  if (cuts != nullptr)
    launch(ctx, cut_runs<work, Less>, ceil_div(tiles, cut_threads), cut_threads, pass, index_t{size}, tiles, cuts,
           less);
  launch(ctx, merge_tiles<Grain, work, Out, OutV, Less>, tiles, Grain::threads, pass, cuts, to, values_to, less);
}

// Keys and, if there are any, values: sorted in place, through spare arrays of the same size.
template <class Grain, class It, class Values, class Less>
void sort_on_cuda(const context& ctx, It keys, Values values, index_t count, Less less) {
  if (count < 2) return;
  constexpr bool keyed = !std::is_same_v<Values, no_values>;
  using T = std::iter_value_t<It>;
  using V = typename value_of<Values>::type;
  using spare_values = std::conditional_t<keyed, V*, no_values>;
  constexpr std::size_t bytes = sizeof(T) + value_bytes<Values>;
  using merging = doubling<chosen_grain<Grain, merge_grain<bytes>>>;
  using sorting = doubling<chosen_grain<Grain, sort_grain<bytes>>>;
  constexpr index_t merge_tile = merging::threads * merging::values, sort_tile = sorting::threads * sorting::values;
  static_assert(sort_tile % merge_tile == 0, "runs are whole tiles of the merge");

  gpu::workspace_layout layout;
  const auto keys_at = layout.add<T>(count);
  const auto values_at = layout.add<V>(keyed ? count : 0);
  const auto cuts_at = layout.add<index_t>(ceil_div(count, merge_tile) + 1);
  void* const memory = ctx.workspace(layout.bytes());
  T* const spare = keys_at.in(memory);
  index_t* const cuts = cuts_at.in(memory);
  spare_values values_spare{};
  if constexpr (keyed) values_spare = values_at.in(memory);

  int passes = 0;
  while (sort_tile << passes < count) ++passes;
  const index_t blocks = ceil_div(count, sort_tile);
  constexpr int shared_bytes = sizeof(sort_buffers<T, sorting::threads, static_cast<int>(sort_tile), keyed>);
  if (passes % 2 == 0)
    launch_with_shared_bytes(ctx, sort_tiles<sorting, It, Values, It, Values, Less>, blocks, sorting::threads,
                             shared_bytes, keys, values, count, keys, values, less);
  else
    launch_with_shared_bytes(ctx, sort_tiles<sorting, It, Values, T*, spare_values, Less>, blocks, sorting::threads,
                             shared_bytes, keys, values, count, spare, values_spare, less);
  for (int left = passes; left > 0; --left) {
    const index_t length = sort_tile << (passes - left);
    if (left % 2 == 0) merge_runs<merging>(ctx, keys, values, spare, values_spare, count, length, cuts, less);
    else merge_runs<merging>(ctx, spare, values_spare, keys, values, count, length, cuts, less);
  }
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct sorts {
  template <class It, class Less>
  static void merge_sort(const context& ctx, It first, It last, Less less) {
    streaming::sort_on_cuda<Grain>(ctx, first, streaming::no_values{}, detail::length_of(first, last), less);
  }

  template <class It, class Values, class Less>
  static void merge_sort_by_key(const context& ctx, It first, It last, Values values, Less less) {
    streaming::sort_on_cuda<Grain>(ctx, first, values, detail::length_of(first, last), less);
  }

  template <class It, class Offsets, class Less>
  static void segmented_sort(const context& ctx, It first, It last, Offsets offsets, index_t segments, Less less) {
    streaming::segmented_sort_on_cuda<Grain>(ctx, first, streaming::no_values{}, detail::length_of(first, last),
                                             offsets, segments, less);
  }

  template <class It, class Values, class Offsets, class Less>
  static void segmented_sort_by_key(const context& ctx, It first, It last, Values values, Offsets offsets,
                                    index_t segments, Less less) {
    streaming::segmented_sort_on_cuda<Grain>(ctx, first, values, detail::length_of(first, last), offsets, segments,
                                             less);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::sorts, cuda::sorts<Grain>> machines_of(family<cpu::sorts, Grain>);

}  // namespace detail
}  // namespace kleene
