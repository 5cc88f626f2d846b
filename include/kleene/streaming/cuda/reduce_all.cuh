// The kernel of all reductions on CUDA devices. Blocks reduce stripes of the input (reduce) or stretches of it
// (ordered_reduce) and publish what they have; the last block polls it and finishes. Which items a thread combines,
// and in which order, depends on the number of items and of multiprocessors alone, so results repeat.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/publish.cuh"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/cuda/tiles/tile.cuh"

#include <cstring>

namespace kleene::streaming {

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

// Items as 16-byte vectors where the input is an aligned array, else one by one.
template <class In>
struct vectors {
  using item = std::iter_value_t<In>;
  static constexpr bool possible =
      std::is_pointer_v<In> && std::is_trivially_copyable_v<item> &&
      (sizeof(item) == 1 || sizeof(item) == 2 || sizeof(item) == 4 || sizeof(item) == 8 || sizeof(item) == 16);
  static constexpr int length = possible ? 16 / static_cast<int>(sizeof(item)) : 1;

  static __device__ bool are_aligned([[maybe_unused]] In in) {
    if constexpr (possible) return detail::misalignment(in) == 0;
    else return true;
  }
  // Items v * length .. (v + 1) * length - 1.
  template <class T, class Map>
  static __device__ __forceinline__ void load(T (&x)[length], In in, index_t v, bool aligned, const Map& map) {
    if constexpr (possible && length > 1) {
      if (aligned) {
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

// sum[e] op= element e of the vectors v, v + stride, ... before vector `end`: at least one, fewer than a batch, all in
// flight together.
template <int Batch, class In, class T, int Length, class Op, class Map>
__device__ __forceinline__ void add_partial_batch(T (&sum)[Length], bool has, In in, index_t v, index_t end,
                                                  index_t stride, bool aligned, const Op& op, const Map& map) {
  T x[Batch][Length];
#pragma unroll
  for (int j = 0; j < Batch; ++j)
    if (v + j * stride < end) vectors<In>::load(x[j], in, v + j * stride, aligned, map);
#pragma unroll
  for (int e = 0; e < Length; ++e) sum[e] = has ? op(sum[e], x[0][e]) : x[0][e];
#pragma unroll
  for (int j = 1; j < Batch; ++j)
    if (v + j * stride < end)
#pragma unroll
      for (int e = 0; e < Length; ++e) sum[e] = op(sum[e], x[j][e]);
}

// What a thread of reduce() combines: vectors thread, thread + all threads, ..., a batch in flight together. Element e
// of each vector has a sum of its own until the end. (A whole batch in a function of its own took 8 to 12 registers
// more.)
template <int Batch, class In, class T, class Op, class Map>
__device__ __forceinline__ maybe<T> reduce_stripes(In in, index_t count, const Op& op, const Map& map) {
  constexpr int length = vectors<In>::length;
  const bool aligned = vectors<In>::are_aligned(in);
  const index_t threads = static_cast<index_t>(gridDim.x) * blockDim.x;
  const index_t me = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const index_t all = count / length;
  T sum[length];
  bool has = false;
  index_t v = me;
  for (; v + (Batch - 1) * threads < all; v += Batch * threads) {
    T x[Batch][length];
#pragma unroll
    for (int j = 0; j < Batch; ++j) vectors<In>::load(x[j], in, v + j * threads, aligned, map);
#pragma unroll
    for (int e = 0; e < length; ++e) {
      T fold = x[0][e];
#pragma unroll
      for (int j = 1; j < Batch; ++j) fold = op(fold, x[j][e]);
      sum[e] = has ? op(sum[e], fold) : fold;
    }
    has = true;
  }
  if (v < all) {
    add_partial_batch<Batch>(sum, has, in, v, all, threads, aligned, op, map);
    has = true;
  }
  maybe<T> result{has, T{}};
  if (has) {
    result.value = sum[0];
#pragma unroll
    for (int e = 1; e < length; ++e) result.value = op(result.value, sum[e]);
  }
  if (me < count - all * length) {  // items behind the last vector
    const T last = map(in[all * length + me]);
    result = {true, has ? op(result.value, last) : last};
  }
  return result;
}

// The sum of `rows` <= Batch rows from `row` on, in lane 0. They are in flight together, and are folded over the lanes
// together: where there are fewer, the last one fills the batch.
template <class T, int Batch, class In, class Op, class Map>
__device__ __forceinline__ T fold_rows(In in, index_t row, int rows, bool aligned, const Op& op, const Map& map) {
  constexpr int length = vectors<In>::length;
  T x[Batch][length];
#pragma unroll
  for (int j = 0; j < Batch; ++j)
    vectors<In>::load(x[j], in, row * gpu::warp_size + min(j, rows - 1) * gpu::warp_size + gpu::lane_id(), aligned,
                      map);
#pragma unroll
  for (int j = 0; j < Batch; ++j) {
#pragma unroll
    for (int e = 1; e < length; ++e) x[j][0] = op(x[j][0], x[j][e]);
    x[j][0] = gpu::warp_fold(x[j][0], op);
  }
#pragma unroll
  for (int j = 1; j < Batch; ++j)
    if (j < rows) x[0][0] = op(x[0][0], x[j][0]);
  return x[0][0];
}

// The sum, in lane 0, of items [start, count), fewer than a row.
template <class T, class In, class Op, class Map>
__device__ __forceinline__ maybe<T> fold_rest(In in, index_t start, index_t count, const maybe_op<Op>& either,
                                              const Map& map) {
  constexpr int length = vectors<In>::length;
  maybe<T> rest{false, T{}};
#pragma unroll
  for (int e = 0; e < length; ++e)
    if (const index_t i = start + gpu::lane_id() * length + e; i < count)
      rest = either(rest, maybe<T>{true, map(in[i])});
  return gpu::warp_fold(rest, either);
}

// What a warp of ordered_reduce() combines, in lane 0: a stretch of rows, a vector a lane; the last warp of all takes
// what is no row, too. (A stretch of 128 bytes a lane spares the folds over lanes and reaches 2,660 GB/s: every load
// touches 16 lines.)
template <int Batch, class In, class T, class Op, class Map>
__device__ __forceinline__ maybe<T> reduce_stretch(In in, index_t count, const Op& op, const Map& map) {
  constexpr int length = vectors<In>::length;
  const bool aligned = vectors<In>::are_aligned(in);
  const index_t warps = static_cast<index_t>(gridDim.x) * (blockDim.x / gpu::warp_size);
  const index_t me = (static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x) / gpu::warp_size;
  const index_t rows = count / (gpu::warp_size * length), share = ceil_div(rows, warps);
  const index_t first = min(me * share, rows), last = min(first + share, rows);
  maybe<T> result{false, T{}};
  for (index_t row = first; row < last; row += Batch) {
    const int here = static_cast<int>(min(last - row, index_t{Batch}));
    const T sum = fold_rows<T, Batch>(in, row, here, aligned, op, map);
    result = {true, result.has ? op(result.value, sum) : sum};
  }
  const index_t start = rows * gpu::warp_size * length;
  if (me == warps - 1 && start < count) {
    const maybe_op<Op> either{op};
    result = either(result, fold_rest<T>(in, start, count, either, map));
  }
  return result;
}

// What a thread of the last block combines of `count` parts that the other blocks publish: a stretch of them. Two at a
// time are polled.
template <int Threads, class T, class Op>
__device__ __forceinline__ maybe<T> sum_of_parts(const gpu::tagged_word* parts, int count, std::uint64_t tag,
                                                 const maybe_op<Op>& either) {
  const int thread = static_cast<int>(threadIdx.x);
  const int share = ceil_div(count, Threads), end = min((thread + 1) * share, count);
  maybe<T> sum{false, T{}};
  for (int i = thread * share; i < end; i += 2) {
    maybe<T> part, next;
    while (!(static_cast<int>(gpu::poll(parts, i, part, tag)) &
             static_cast<int>(gpu::poll(parts, min(i + 1, end - 1), next, tag)))) {
    }
    sum = either(sum, part);
    if (i + 1 < end) sum = either(sum, next);
  }
  return sum;
}

// 1 Mi items of i32 take 6.6 us (7.3 where threads fold a value or nothing though all have one, 7.5 where the last
// block also meets the others' parts in no cache), 7.2 in their order.
template <class Grain, bool Ordered, class In, class Out, class T, class Op, class Map>
__global__ void __launch_bounds__(Grain::threads)
    reduce_all(In in, index_t count, Out out, T init, gpu::tagged_word* parts, std::uint64_t tag, Op op, Map map) {
  constexpr int threads = Grain::threads;
  using sums = gpu::block_scan<maybe<T>, threads>;
  __shared__ typename sums::storage shared;
  __shared__ typename gpu::block_scan<T, threads>::storage values;
  static_assert(declared_shared<sizeof(shared) + sizeof(values)>::fits);
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
    if (count / vectors<In>::length >= index_t{blocks} * threads)
      mine = {true, gpu::block_scan<T, threads>::fold(values, mine.value, op)};
    else mine = sums::fold(shared, mine, either);
  }
  if (block < blocks - 1) {
    if (thread == 0) gpu::publish(parts, block, mine, tag);
    return;
  }

  // The last block: its own sum after all others.
  maybe<T> sum = sum_of_parts<threads, T>(parts, blocks - 1, tag, either);
  __syncthreads();
  sum = either(sums::fold(shared, sum, either), mine);
  if (thread == 0) out[0] = sum.has ? op(init, sum.value) : init;
}

}  // namespace kleene::streaming
