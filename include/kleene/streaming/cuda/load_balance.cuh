// Load balancing on CUDA devices. Cuts by merge path between the segments' starts and the numbers 0, 1, 2, ... of the
// items, so a block has a tile of both together, however many of each. In the tile every start marks its item, and a
// running maximum spreads the marks. (A walk of each thread over its share took 45 instructions an item, this
// takes 15.)
//
// In a kernel of your own, `counts` being shared memory for up to Threads * Values items:
//
//   clear_counts<Threads>(counts, items);
//   __syncthreads();
//   count_starts<Threads, Values>(counts, items, starts, starts_count, first_item, -1);
//   __syncthreads();  // counts[i]: which of the starts item first_item + i belongs to
//
// starts: ascending, in shared or global memory, none below first_item. All threads call both.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"
#include "kleene/streaming/load_balance.hpp"

namespace kleene {
namespace streaming {

template <int Threads>
__device__ __forceinline__ void clear_counts(int* counts, int items) {
  for (int i = static_cast<int>(threadIdx.x); i < items; i += Threads) counts[i] = 0;
}

// counts[i] = shift + the number of the tile's starts that are not behind item i of the tile. The counts are 0, and
// a barrier has passed.
template <int Threads, int Values, class T>
__device__ __forceinline__ void count_starts(int* counts, int items, const T* starts, int starts_count,
                                             index_t first_item, int shift) {
  using maxima = gpu::block_scan<int, Threads>;
  __shared__ typename maxima::storage shared;
  const int thread = static_cast<int>(threadIdx.x);
  // Of starts at one item the last counts. (No start of a tile lies before its items.)
  for (int s = thread; s < starts_count; s += Threads) {
    const T start = starts[s], at = start - static_cast<T>(first_item);
    if (at < items && (s + 1 == starts_count || starts[s + 1] != start)) counts[at] = s + 1;
  }
  __syncthreads();
  const int start = thread * Values;
  const bool whole = start + Values <= items;
  int last = 0;  // counts are read twice rather than held in registers over the barrier
#pragma unroll
  for (int i = 0; i < Values; ++i) last = max(last, whole || start + i < items ? counts[start + i] : 0);
  int before = maxima::exclusive(shared, last, ops::max{});
  if (thread == 0) before = 0;
#pragma unroll
  for (int i = 0; i < Values; ++i)
    if (whole || start + i < items) {
      before = max(before, counts[start + i]);
      counts[start + i] = before + shift;
    }
}

// Calls the body with each tile and its counts.
template <class Grain, class Offsets, class Body>
__global__ void __launch_bounds__(Grain::threads)
    balance_tiles(two_sequences<Offsets, counting_iterator<index_t>> s, const index_t* cuts, Body body) {
  constexpr int threads = Grain::threads, size = threads * Grain::values;
  using T = std::iter_value_t<Offsets>;
  static_assert(sizeof(T) >= sizeof(int), "offsets of at least 4 bytes");
  __shared__ two_tile_buffer<T, size> buffer;  // starts, then a count for each item
  __shared__ gpu::mbarrier arrived;
  set_up(&arrived, 1);
  gpu::grid_dependency_wait();

  const index_t first = index_t{blockIdx.x} * size;
  cuts = cuts_of_block(s, s.count(), first, size, cuts, ops::less{});
  const tile_of_two<Offsets, counting_iterator<index_t>> tile(s, s.count(), cuts, first, size);
  T* const starts = buffer.first(tile.a);
  int* const counts = reinterpret_cast<int*>(buffer.second(starts, tile.a_count, body.aligned_like(tile.b_first)));
  start_load_tile<threads>(starts, tile.a, tile.a_count, tile.a_first, s.a_count - tile.a_first - tile.a_count,
                           &arrived);
  clear_counts<threads>(counts, tile.b_count);
  finish_load_tile(&arrived);
  count_starts<threads, Grain::values>(counts, tile.b_count, starts, tile.a_count, tile.b_first, body.shift(tile));
  body.template finish<threads>(tile, starts, s.a, counts);
}

// The segment of each item: counts become segments where they stand, and go out in one piece.
template <class Out>
struct write_segments {
  Out out;
  static constexpr bool same_words = std::is_same_v<Out, int*> || std::is_same_v<Out, unsigned*>;

  __device__ auto aligned_like(index_t first) const {
    if constexpr (same_words) return reinterpret_cast<const unsigned char*>(out + first);
    else return counting_iterator<index_t>();
  }
  template <class Tile>
  __device__ int shift(const Tile& tile) const {
    return same_words ? static_cast<int>(tile.a_first) - 1 : 0;
  }
  template <int Threads, class Tile, class T, class Offsets>
  __device__ void finish(const Tile& tile, const T*, Offsets, int* counts) const {
    if constexpr (same_words) {
      store_tile<Threads>(reinterpret_cast<int*>(out + tile.b_first), counts, tile.b_count);
    } else {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < tile.b_count; i += Threads)
        out[tile.b_first + i] = static_cast<std::iter_value_t<Out>>(tile.a_first + counts[i] - 1);
    }
  }
};

// body(item, segment, rank).
template <class Body>
struct call_with_rank {
  Body body;
  __device__ auto aligned_like(index_t) const { return counting_iterator<index_t>(); }
  template <class Tile>
  __device__ int shift(const Tile&) const {
    return 0;
  }
  template <int Threads, class Tile, class T, class Offsets>
  __device__ void finish(const Tile& tile, const T* starts, Offsets offsets, const int* counts) const {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < tile.b_count; i += Threads) {
      const index_t item = tile.b_first + i, segment = tile.a_first + counts[i] - 1;
      const index_t start = static_cast<index_t>(counts[i] > 0 ? starts[counts[i] - 1] : offsets[segment]);
      body(item, segment, item - start);
    }
  }
};

template <class Grain, class Offsets, class Body>
void balance_on_cuda(const context& ctx, index_t count, Offsets offsets, index_t segments, Body body) {
  using G = chosen_grain<Grain, load_balance_grain<sizeof(std::iter_value_t<Offsets>)>>;
  kleene::detail::require_count("segments", segments);
  if (kleene::detail::require_count("items", count) == 0) return;
  const two_sequences<Offsets, counting_iterator<index_t>> s{offsets, segments, counting_iterator<index_t>(0), count};
  constexpr index_t size = G::threads * G::values;
  const index_t tiles = ceil_div(s.count(), size);
  const index_t* const cuts = blocks_cut(ctx, tiles) ? nullptr : cut_on_cuda(ctx, s, s.count(), size, ops::less{});
  launch(ctx, balance_tiles<G, Offsets, Body>, tiles, G::threads, s, cuts, body);
}

// Bodies of the interval operations.
template <class Values, class Out>
struct expand_values {
  Values values;
  Out out;
  __device__ void operator()(index_t item, index_t segment, index_t) const { out[item] = values[segment]; }
};
template <class From, class In, class Out>
struct gather_intervals {
  From from;
  In input;
  Out out;
  __device__ void operator()(index_t item, index_t segment, index_t rank) const {
    out[item] = input[from[segment] + rank];
  }
};
template <class From, class To, class In, class Out>
struct move_intervals {
  From from;
  To to;
  In input;
  Out out;
  __device__ void operator()(index_t, index_t segment, index_t rank) const {
    out[to[segment] + rank] = input[from[segment] + rank];
  }
};

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct load_balancing {
  template <class Offsets, class Out>
  static void load_balancing_search(const context& ctx, index_t count, Offsets offsets, index_t segments, Out out) {
    streaming::balance_on_cuda<Grain>(ctx, count, offsets, segments, streaming::write_segments<Out>{out});
  }

  template <class Offsets, class Body>
  static void transform_lbs(const context& ctx, index_t count, Offsets offsets, index_t segments, Body body) {
    streaming::balance_on_cuda<Grain>(ctx, count, offsets, segments, streaming::call_with_rank<Body>{body});
  }

  template <class Offsets, class Values, class Out>
  static Out interval_expand(const context& ctx, index_t count, Offsets offsets, index_t segments, Values values,
                             Out out) {
    transform_lbs(ctx, count, offsets, segments, streaming::expand_values<Values, Out>{values, out});
    return out + count;
  }

  template <class Offsets, class From, class In, class Out>
  static Out interval_gather(const context& ctx, index_t count, Offsets offsets, index_t segments, From from, In input,
                             Out out) {
    transform_lbs(ctx, count, offsets, segments, streaming::gather_intervals<From, In, Out>{from, input, out});
    return out + count;
  }

  template <class Offsets, class From, class To, class In, class Out>
  static void interval_move(const context& ctx, index_t count, Offsets offsets, index_t segments, From from, To to,
                            In input, Out out) {
    transform_lbs(ctx, count, offsets, segments, streaming::move_intervals<From, To, In, Out>{from, to, input, out});
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::load_balancing, cuda::load_balancing<Grain>> machines_of(family<cpu::load_balancing, Grain>);

}  // namespace detail
}  // namespace kleene
