// Reductions on CUDA devices: one kernel. Blocks reduce stripes of the input (reduce) or stretches of it
// (ordered_reduce) and publish what they have; the last block polls it and finishes. Which items a thread combines,
// and in which order, depends on the number of items and of multiprocessors alone, so results repeat.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/publish.cuh"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/cuda/runs.cuh"
#include "kleene/streaming/cuda/tile.cuh"
#include "kleene/streaming/reduce.hpp"

namespace kleene {
namespace streaming {

// A value or nothing: what a thread without items contributes.
template <class T>
struct maybe {
  bool has;
  T value;
};
template <class Op>
struct maybe_op {
  Op op;
  template <class T>
  __device__ maybe<T> operator()(const maybe<T>& a, const maybe<T>& b) const {
    if (!a.has) return b;
    if (!b.has) return a;
    return {true, op(a.value, b.value)};
  }
};

// Items as 16-byte vectors where the input is an array that lies so, else one by one.
template <class In>
struct vectors {
  using item = std::iter_value_t<In>;
  static constexpr bool possible =
      std::is_pointer_v<In> && std::is_trivially_copyable_v<item> &&
      (sizeof(item) == 1 || sizeof(item) == 2 || sizeof(item) == 4 || sizeof(item) == 8 || sizeof(item) == 16);
  static constexpr int length = possible ? 16 / static_cast<int>(sizeof(item)) : 1;

  static __device__ bool lie_well([[maybe_unused]] In in) {
    if constexpr (possible) return detail::misalignment(in) == 0;
    else return true;
  }
  // Items v * length .. (v + 1) * length - 1.
  template <class T, class Map>
  static __device__ __forceinline__ void load(T (&x)[length], In in, index v, bool well, const Map& map) {
    if constexpr (possible && length > 1) {
      if (well) {
        const uint4 bits = __ldg(reinterpret_cast<const uint4*>(in) + v);
        item raw[length];
        std::memcpy(raw, &bits, 16);
#pragma unroll
        for (int i = 0; i < length; ++i) x[i] = map(raw[i]);
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < length; ++i) x[i] = map(in[v * length + i]);
  }
};

// What a thread of reduce() combines: vectors thread, thread + all threads, ... The first `batch` of them are on their
// way together. Element e of each vector has a sum of its own until the end.
template <int Batch, class In, class T, class Op, class Map>
__device__ __forceinline__ maybe<T> reduce_stripes(In in, index count, const Op& op, const Map& map) {
  using from = vectors<In>;
  constexpr int length = from::length;
  const bool well = from::lie_well(in);
  const index threads = static_cast<index>(gridDim.x) * blockDim.x;
  const index me = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const index all = count / length;
  T sum[length];
  bool has = false;
  index v = me;
  for (; v + (Batch - 1) * threads < all; v += Batch * threads) {
    T x[Batch][length];
#pragma unroll
    for (int j = 0; j < Batch; ++j) from::load(x[j], in, v + j * threads, well, map);
#pragma unroll
    for (int e = 0; e < length; ++e) {
      T fold = x[0][e];
#pragma unroll
      for (int j = 1; j < Batch; ++j) fold = op(fold, x[j][e]);
      sum[e] = has ? op(sum[e], fold) : fold;
    }
    has = true;
  }
  if (v < all) {  // fewer than a batch: still on their way together
    T x[Batch][length];
#pragma unroll
    for (int j = 0; j < Batch; ++j)
      if (v + j * threads < all) from::load(x[j], in, v + j * threads, well, map);
#pragma unroll
    for (int e = 0; e < length; ++e) sum[e] = has ? op(sum[e], x[0][e]) : x[0][e];
#pragma unroll
    for (int j = 1; j < Batch; ++j)
      if (v + j * threads < all)
#pragma unroll
        for (int e = 0; e < length; ++e) sum[e] = op(sum[e], x[j][e]);
    has = true;
  }
  maybe<T> result{has, T{}};
  if (has) {
    result.value = sum[0];
#pragma unroll
    for (int e = 1; e < length; ++e) result.value = op(result.value, sum[e]);
  }
  if (me < count - all * length) {
    const T last = map(in[all * length + me]);
    result = {true, has ? op(result.value, last) : last};
  }
  return result;
}

// What a warp of ordered_reduce() combines, in lane 0: a stretch of rows, a vector a lane; the last warp of all takes
// what is no row, too. A batch of rows is on its way together, and is folded over the lanes together: where fewer rows
// remain, the last one fills the batch. (A stretch of 128 bytes a lane spares the folds over lanes and reaches 2,660
// GB/s: every load touches 16 lines.)
template <int Batch, class In, class T, class Op, class Map>
__device__ __forceinline__ maybe<T> reduce_stretch(In in, index count, const Op& op, const Map& map) {
  using from = vectors<In>;
  constexpr int length = from::length;
  const bool well = from::lie_well(in);
  const index warps = static_cast<index>(gridDim.x) * (blockDim.x / gpu::warp_size);
  const index me = (static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x) / gpu::warp_size;
  const index rows = count / (gpu::warp_size * length), share = ceil_div(rows, warps);
  const index first = min(me * share, rows), last = min(first + share, rows);
  maybe<T> result{false, T{}};
  for (index row = first; row < last; row += Batch) {
    const int here = static_cast<int>(min(last - row, index{Batch}));
    T x[Batch][length];
#pragma unroll
    for (int j = 0; j < Batch; ++j)
      from::load(x[j], in, row * gpu::warp_size + min(j, here - 1) * gpu::warp_size + gpu::lane_id(), well, map);
#pragma unroll
    for (int j = 0; j < Batch; ++j) {
#pragma unroll
      for (int e = 1; e < length; ++e) x[j][0] = op(x[j][0], x[j][e]);
      x[j][0] = gpu::warp_fold(x[j][0], op);
    }
#pragma unroll
    for (int j = 1; j < Batch; ++j)
      if (j < here) x[0][0] = op(x[0][0], x[j][0]);
    result = {true, result.has ? op(result.value, x[0][0]) : x[0][0]};
  }
  const index start = rows * gpu::warp_size * length;
  if (me == warps - 1 && start < count) {
    const maybe_op<Op> either{op};
    maybe<T> rest{false, T{}};
#pragma unroll
    for (int e = 0; e < length; ++e)
      if (const index i = start + gpu::lane_id() * length + e; i < count)
        rest = either(rest, maybe<T>{true, map(in[i])});
    result = either(result, gpu::warp_fold(rest, either));
  }
  return result;
}

// 1 Mi items of i32 take 6.6 us (7.3 where threads fold a value or nothing though all have one, 7.5 where the last
// block also meets the others' parts in no cache), 7.2 in their order.
template <class Grain, bool Ordered, class In, class Out, class T, class Op, class Map>
__global__ void __launch_bounds__(Grain::threads)
    reduce_all(In in, index count, Out out, T init, gpu::tagged_word* parts, std::uint64_t tag, Op op, Map map) {
  constexpr int threads = Grain::threads;
  using sums = gpu::block_scan<maybe<T>, threads>;
  __shared__ typename sums::storage shared;
  __shared__ typename gpu::block_scan<T, threads>::storage values;
  static_assert(declared_room<sizeof(shared) + sizeof(values)>::fits);
  const maybe_op<Op> either{op};
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  if (block == blocks - 1)
    for (int i = thread; i < (blocks - 1) * gpu::words_of<maybe<T>>; i += threads) gpu::prefetch_tagged(parts + i);
  gpu::grid_dependency_wait();

  maybe<T> mine;
  if constexpr (Ordered) {
    mine = sums::fold_warps(shared, reduce_stretch<Grain::values, In, T>(in, count, op, map), either);
  } else {
    mine = reduce_stripes<Grain::values, In, T>(in, count, op, map);
    if (count / vectors<In>::length >= index{blocks} * threads)
      mine = {true, gpu::block_scan<T, threads>::fold(values, mine.value, op)};
    else mine = sums::fold(shared, mine, either);
  }
  if (block < blocks - 1) {
    if (thread == 0) gpu::publish(parts, block, mine, tag);
    return;
  }

  // The last block: a stretch of parts for each thread, its own after them all. Two at a time are looked for.
  const int share = ceil_div(blocks - 1, threads), end = min((thread + 1) * share, blocks - 1);
  maybe<T> sum{false, T{}};
  for (int i = thread * share; i < end; i += 2) {
    maybe<T> part, next;
    while (!(static_cast<int>(gpu::poll(parts, i, part, tag)) &
             static_cast<int>(gpu::poll(parts, min(i + 1, end - 1), next, tag)))) {
    }
    sum = either(sum, part);
    if (i + 1 < end) sum = either(sum, next);
  }
  __syncthreads();
  sum = either(sums::fold(shared, sum, either), mine);
  if (thread == 0) out[0] = sum.has ? op(init, sum.value) : init;
}

template <class Grain, bool Ordered, class In, class Out, class T, class Op, class Map>
void reduce_on_cuda(const context& ctx, In in, index count, Out out, T init, Op op, Map map) {
  using G = chosen_grain<Grain, reduce_grain<sizeof(T)>>;
  constexpr int blocks_each = 1024 / G::threads;  // of a multiprocessor: what it holds at once
  // All that run at once; fewer where there is not a batch for each thread, but the same number for every
  // multiprocessor if possible.
  const index each = ctx.device()->multiprocessors,
              vector_tiles = ceil_div(count, index{G::threads} * vectors<In>::length);
  const index blocks = vector_tiles <= each
                           ? std::max<index>(1, vector_tiles)
                           : each * std::min<index>(blocks_each, ceil_div(vector_tiles, each * G::values));
  const auto room = ctx.tagged(blocks * gpu::words_of<maybe<T>> * sizeof(gpu::tagged_word));
  launch(ctx, reduce_all<G, Ordered, In, Out, T, Op, Map>, blocks, G::threads, in, count, out, init,
         static_cast<gpu::tagged_word*>(room.memory), room.tag, op, map);
}

// The same, brought to the host.
template <class Grain, bool Ordered, class In, class T, class Op, class Map>
T reduced_on_cuda(const context& ctx, In in, index count, T init, Op op, Map map) {
  T* const result = static_cast<T*>(ctx.workspace(sizeof(T)));
  reduce_on_cuda<Grain, Ordered>(ctx, in, count, result, init, op, map);
  return fetch(ctx, result);
}

// Items with their positions, for arg_min and arg_max; position -1: no item.
template <class T>
struct placed {
  T value;
  index at;
};
template <class In>
struct placed_items {
  using value_type = placed<std::iter_value_t<In>>;
  In items;
  __device__ value_type operator[](index i) const { return {items[i], i}; }
};

// The better of two: the one that the order puts first, then the one that stands first.
template <bool Largest, class Less>
struct better_place {
  Less less;
  template <class T>
  __device__ placed<T> operator()(const placed<T>& a, const placed<T>& b) const {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    const bool a_first = Largest ? less(b.value, a.value) : less(a.value, b.value);
    const bool b_first = Largest ? less(a.value, b.value) : less(b.value, a.value);
    return a_first || (!b_first && a.at < b.at) ? a : b;
  }
};

// Writes the position alone.
template <class Out>
struct position_of {
  Out out;
  struct place {
    Out out;
    template <class T>
    __device__ void operator=(const placed<T>& p) const {
      *out = p.at;
    }
  };
  __device__ place operator[](index) const { return {out}; }
};

template <bool Largest, class Grain, class It, class Out, class Less>
void arg_on_cuda(const context& ctx, It first, index count, Out result, Less less) {
  using T = std::iter_value_t<It>;
  // `nothing` stands before all items and loses to each.
  const placed<T> nothing{T{}, -1};
  reduce_on_cuda<Grain, false>(ctx, placed_items<It>{first}, count, position_of<Out>{result}, nothing,
                               better_place<Largest, Less>{less}, ops::identity{});
}

}  // namespace streaming

inline namespace cuda {

template <class Grain = tuned, class It, class T, class Op = ops::plus>
requires any_machine<It>
T reduce(const context& ctx, It first, It last, T init, Op op = {}) {
  if (ctx.kind() == device_kind::cpu) return cpu::reduce(ctx, first, last, init, op);
  return streaming::reduced_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), init, op,
                                                  ops::identity{});
}

template <class Grain = tuned, class It, class T, class Op>
requires any_machine<It>
T ordered_reduce(const context& ctx, It first, It last, T init, Op op) {
  if (ctx.kind() == device_kind::cpu) return cpu::ordered_reduce(ctx, first, last, init, op);
  return streaming::reduced_on_cuda<Grain, true>(ctx, first, detail::length_of(first, last), init, op, ops::identity{});
}

template <class Grain = tuned, class It, class T, class Op, class Map>
requires any_machine<It>
T transform_reduce(const context& ctx, It first, It last, T init, Op op, Map map) {
  if (ctx.kind() == device_kind::cpu) return cpu::transform_reduce(ctx, first, last, init, op, map);
  return streaming::reduced_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), init, op, map);
}

template <class Grain = tuned, class It, class Out, class T, class Op = ops::plus>
requires any_machine<It>
void reduce_to(const context& ctx, It first, It last, Out result, T init, Op op = {}) {
  if (ctx.kind() == device_kind::cpu) *result = cpu::reduce(ctx, first, last, init, op);
  else
    streaming::reduce_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), result, init, op,
                                            ops::identity{});
}

template <class Grain = tuned, class It, class Out, class T, class Op>
requires any_machine<It>
void ordered_reduce_to(const context& ctx, It first, It last, Out result, T init, Op op) {
  if (ctx.kind() == device_kind::cpu) *result = cpu::ordered_reduce(ctx, first, last, init, op);
  else
    streaming::reduce_on_cuda<Grain, true>(ctx, first, detail::length_of(first, last), result, init, op,
                                           ops::identity{});
}

template <class Grain = tuned, class It, class Out, class T, class Op, class Map>
requires any_machine<It>
void transform_reduce_to(const context& ctx, It first, It last, Out result, T init, Op op, Map map) {
  if (ctx.kind() == device_kind::cpu) *result = cpu::transform_reduce(ctx, first, last, init, op, map);
  else streaming::reduce_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), result, init, op, map);
}

template <class Grain = tuned, class It, class Out, class Less = ops::less>
requires any_machine<It>
void arg_min_to(const context& ctx, It first, It last, Out result, Less less = {}) {
  if (ctx.kind() == device_kind::cpu) *result = cpu::arg_min(ctx, first, last, less);
  else streaming::arg_on_cuda<false, Grain>(ctx, first, detail::length_of(first, last), result, less);
}

template <class Grain = tuned, class It, class Out, class Less = ops::less>
requires any_machine<It>
void arg_max_to(const context& ctx, It first, It last, Out result, Less less = {}) {
  if (ctx.kind() == device_kind::cpu) *result = cpu::arg_max(ctx, first, last, less);
  else streaming::arg_on_cuda<true, Grain>(ctx, first, detail::length_of(first, last), result, less);
}

template <class Grain = tuned, class It, class Less = ops::less>
requires any_machine<It>
index arg_min(const context& ctx, It first, It last, Less less = {}) {
  if (ctx.kind() == device_kind::cpu) return cpu::arg_min(ctx, first, last, less);
  index* const result = static_cast<index*>(ctx.workspace(sizeof(index)));
  streaming::arg_on_cuda<false, Grain>(ctx, first, detail::length_of(first, last), result, less);
  return streaming::fetch(ctx, result);
}

template <class Grain = tuned, class It, class Less = ops::less>
requires any_machine<It>
index arg_max(const context& ctx, It first, It last, Less less = {}) {
  if (ctx.kind() == device_kind::cpu) return cpu::arg_max(ctx, first, last, less);
  index* const result = static_cast<index*>(ctx.workspace(sizeof(index)));
  streaming::arg_on_cuda<true, Grain>(ctx, first, detail::length_of(first, last), result, less);
  return streaming::fetch(ctx, result);
}

}  // namespace cuda
}  // namespace kleene
