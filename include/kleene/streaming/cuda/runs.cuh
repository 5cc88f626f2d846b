// Segmented scans and reductions by head flags on CUDA devices: runs of equal keys, segments by flags. One pass, as in
// scan_tiles.cuh; heads are bits in each thread's register, and what goes on from tile to tile is how many there were
// and the sum since the last. (Before, flag and value were one item of that scan, 16 bytes: half the speed.)
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/lookback.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/cuda/tiles/run_tile.cuh"

namespace kleene::streaming {

template <class Grain, bool Exclusive, class Heads, class Values, class Out, class T, class Op>
__global__ void __launch_bounds__(Grain::threads)
    scan_run_tiles(Heads is_head, Values values, index_t count, Out out, T init,
                   gpu::lookback<run_sum<T, index_t>> tiles, Op op) {
  using tile_type = run_tile<Grain, Heads, T>;
  __shared__ typename tile_type::memory shared;
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(shared)>::fits);
  set_up(&arrived, 2);
  gpu::grid_dependency_wait();

  tile_type tile(shared, is_head, count);
  tile.load(is_head, values, &arrived);
  T sum = init;
  if (tile.mine() > 0) {
    sum = tile.values[tile.at(0)];
#pragma unroll
    for (int i = 1; i < tile.grain; ++i) {
      const T value = tile.values[tile.at(i)];
      sum = tile.is_head(i) ? value : op(sum, value);
    }
  }
  const auto prefix = tile.sum_up(sum, tiles, op);

  T x[Grain::values];
  if (tile.mine() > 0) {
    T so_far = tile.is_head(0) ? init : tile.before_first(prefix, op);
#pragma unroll
    for (int i = 0; i < tile.grain; ++i) {
      const T value = tile.values[tile.at(i)];
      if constexpr (Exclusive) x[i] = tile.is_head(i) ? init : op(init, so_far);
      so_far = tile.is_head(i) ? value : op(so_far, value);
      if constexpr (!Exclusive) x[i] = so_far;
    }
  }
  __syncthreads();  // results need not have the alignment of items
  T* const results = tile_in<T>(shared.values, out + tile.first);
  if (tile.mine() > 0)
#pragma unroll
    for (int i = 0; i < tile.grain; ++i) results[tile.start() + i] = x[i];
  store_tile<Grain::threads>(out + tile.first, results, tile.here);
}

template <class Grain, bool Exclusive, class Heads, class Values, class Out, class T, class Op>
Out scan_runs_on_cuda(const context& ctx, Heads is_head, Values values, index_t count, Out out, T init, Op op) {
  using H = std::iter_value_t<decltype(Heads::from)>;
  using G = chosen_grain<Grain, run_grain<sizeof(H) + sizeof(T)>>;
  const index_t blocks = ceil_div(count, G::threads * G::values);
  if (blocks == 0) return out;
  launch(ctx, scan_run_tiles<G, Exclusive, Heads, Values, Out, T, Op>, blocks, G::threads, is_head, values, count, out,
         init, gpu::lookback<run_sum<T, index_t>>::make(ctx, blocks), op);
  return out + count;
}

// Inclusive: each item's run up to it. Exclusive: init, then what its run has before it.
template <class Grain, class Heads, class Values, class Out, class Op>
Out scan_runs(const context& ctx, Heads is_head, Values values, index_t count, Out out, Op op) {
  return scan_runs_on_cuda<Grain, false>(ctx, is_head, values, count, out, std::iter_value_t<Values>{}, op);
}
template <class Grain, class Heads, class Values, class Out, class T, class Op>
Out scan_runs_before(const context& ctx, Heads is_head, Values values, index_t count, Out out, T init, Op op) {
  return scan_runs_on_cuda<Grain, true>(ctx, is_head, values, count, out, init, op);
}

// One result a run: results.start(run, head item) is told of each run's first item, results.end(run, value) what it
// comes to, by the tile that has the next run's head, or by the last.
template <class Grain, class Heads, class Values, class Results, class Count, class T, class Op>
__global__ void __launch_bounds__(Grain::threads)
    reduce_run_tiles(Heads is_head, Values values, index_t count, Results results, Count run_count,
                     gpu::lookback<run_sum<T, index_t>> tiles, Op op) {
  using tile_type = run_tile<Grain, Heads, T>;
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  __shared__ typename tile_type::memory shared;
  __shared__ unsigned short head_at[size];  // the tile's heads, one after the other
  __shared__ gpu::mbarrier arrived;
  static_assert(size <= 65536, "heads are numbered by 16 bits");
  static_assert(declared_shared<sizeof(shared) + sizeof(head_at)>::fits);
  set_up(&arrived, 2);
  gpu::grid_dependency_wait();

  tile_type tile(shared, is_head, count);
  tile.load(is_head, values, &arrived);
  const int thread = static_cast<int>(threadIdx.x), start = tile.start(), mine = tile.mine();
  // Each item is replaced by its run's sum up to it, as far as this thread has the run.
  const auto run_on = [&](T& sum, int i) {
    T& item = tile.values[start + i];
    sum = tile.is_head(i) ? item : op(sum, item);
    item = sum;
  };
  T sum = tile.values[mine > 0 ? start : 0];  // item 0 stays as it is
  if (mine == grain) {
#pragma unroll
    for (int i = 1; i < grain; ++i) run_on(sum, i);
  } else {
    for (int i = 1; i < mine; ++i) run_on(sum, i);
  }
  const auto prefix = tile.sum_up(sum, tiles, op);

  // What the thread's first items lack, if they go on a run; only its last item before a head is looked at, or the
  // tile's last.
  const int first_head = tile.heads != 0 ? __ffsll(static_cast<long long>(tile.heads)) - 1 : mine;
  if (first_head > 0) {
    T& last = tile.values[start + first_head - 1];
    last = op(tile.before_first(prefix, op), last);
  }
  int number = thread > 0 ? prefix.before.heads : 0;
  for (auto left = tile.heads; left != 0; left &= left - 1)
    head_at[number++] = static_cast<unsigned short>(start + __ffsll(static_cast<long long>(left)) - 1);
  const index_t runs_before = tile.first > 0 ? prefix.left.heads : 0;
  const bool has_last = mine > 0 && start + mine == tile.here;
  __shared__ int heads_here;
  if (has_last) heads_here = number;
  __syncthreads();

  const int heads = heads_here;
  for (int h = thread; h < heads; h += threads) {
    const int item = head_at[h];
    const index_t run = runs_before + h;
    results.start(run, tile.head_items[item]);
    if (run > 0) results.end(run - 1, item > 0 ? tile.values[item - 1] : prefix.left.value);
  }
  if (has_last && tile.first + tile.here == count) {
    results.end(runs_before + heads - 1, tile.values[tile.here - 1]);
    *run_count = runs_before + heads;
  }
}

template <class Grain, class T, class Heads, class Values, class Results, class Count, class Op>
void reduce_runs(const context& ctx, Heads is_head, Values values, index_t count, Results results, Count run_count,
                 Op op) {
  if (count == 0) return launch(ctx, write_zero<Count>, 1, 1, run_count);
  using H = std::iter_value_t<decltype(Heads::from)>;
  using G = chosen_grain<Grain, run_grain<sizeof(H) + sizeof(T)>>;
  const index_t blocks = ceil_div(count, G::threads * G::values);
  launch(ctx, reduce_run_tiles<G, Heads, Values, Results, Count, T, Op>, blocks, G::threads, is_head, values, count,
         results, run_count, gpu::lookback<run_sum<T, index_t>>::make(ctx, blocks), op);
}

template <class KeysOut, class ValuesOut>
struct keyed_results {
  KeysOut keys_out;
  ValuesOut values_out;
  template <class K>
  __device__ void start(index_t run, const K& key) const {
    keys_out[run] = key;
  }
  template <class T>
  __device__ void end(index_t run, const T& value) const {
    values_out[run] = value;
  }
};

template <class Out, class T, class Op>
struct flagged_results {
  Out out;
  T init;
  Op op;
  template <class Flag>
  __device__ void start(index_t, const Flag&) const {}
  __device__ void end(index_t segment, const T& value) const { out[segment] = op(init, value); }
};

}  // namespace kleene::streaming
