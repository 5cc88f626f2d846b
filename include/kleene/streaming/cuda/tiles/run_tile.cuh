// A tile of a sequence that is divided into runs: which of its items are heads, and what the runs have come to where
// each thread's items begin.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/lookback.cuh"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/streaming/cuda/tiles/tile.cuh"

#include <iterator>
#include <type_traits>

namespace kleene::streaming {

// Heads of runs of equal keys: an item is one where its key differs from that in front of it.
template <class Keys, class Equal>
struct heads_of_keys {
  Keys from;
  Equal equal;
  template <class K>
  __device__ bool operator()(const K& in_front, const K& mine) const {
    return !equal(in_front, mine);
  }
};
// Heads by flags.
template <class Flags>
struct heads_of_flags {
  Flags from;
  template <class F>
  __device__ bool operator()(const F&, const F& mine) const {
    return static_cast<bool>(mine);
  }
};

// A stretch of items: how many of them are heads, and the sum of the items from the last of those on.
template <class T, class Count>
struct run_sum {
  Count heads;
  T value;
};
template <class Op>
struct run_sum_op {
  Op op;
  template <class T, class Count>
  __device__ run_sum<T, Count> operator()(const run_sum<T, Count>& a, const run_sum<T, Count>& b) const {
    return {a.heads + b.heads, b.heads > 0 ? b.value : op(a.value, b.value)};
  }
};

// Item 0 of the sequence is always a head. Called by all threads of a block, in the order in which the functions stand.
template <class Grain, class Heads, class T>
struct run_tile {
  static constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  static_assert(grain <= 64, "a thread's heads are one word");
  using word = std::conditional_t<grain <= 32, unsigned, unsigned long long>;
  using H = std::iter_value_t<decltype(Heads::from)>;
  using in_tile = run_sum<T, int>;
  using in_all = run_sum<T, index_t>;
  using scan = gpu::block_scan<in_tile, threads>;

  struct memory {
    tile_buffer<H, size> heads;
    tile_buffer<T, size> values;
    typename scan::storage sums;
    alignas(16) unsigned char left[sizeof(in_all)];
  };

  memory& shared;
  index_t first;  // item
  int here;       // items
  H* head_items;
  T* values;
  word heads = 0;  // bit i: of the thread's item i

  __device__ run_tile(memory& room, const Heads& is_head, index_t count)
      : shared(room),
        first(index_t{blockIdx.x} * size),
        here(static_cast<int>(min(index_t{size}, count - first))),
        head_items(tile_in<H>(room.heads, is_head.from + first)) {}

  static __device__ int start() { return static_cast<int>(threadIdx.x) * grain; }
  // Of the tile's items, those of this thread: fewer in the last tile.
  __device__ int mine() const { return min(grain, max(here - start(), 0)); }

  template <class Values>
  __device__ __forceinline__ void load(const Heads& is_head, Values from, gpu::mbarrier* arrived) {
    values = tile_in<T>(shared.values, from + first);
    start_load_tile<threads>(head_items, is_head.from + first, here, arrived);
    start_load_tile<threads>(values, from + first, here, arrived);
    bool first_is_head = first == 0;
    if (threadIdx.x == 0 && first > 0) first_is_head = is_head(is_head.from[first - 1], is_head.from[first]);
    finish_load_tile(arrived);
    if (start() < here) {
      H in_front = head_items[max(start() - 1, 0)];
#pragma unroll
      for (int i = 0; i < grain; ++i) {
        const H item = head_items[at(i)];
        if (is_head(in_front, item)) heads |= word{1} << i;
        in_front = item;
      }
      if (threadIdx.x == 0) heads = (heads & ~word{1}) | word{first_is_head};
      if (mine() < grain) heads &= (word{1} << mine()) - 1;
    }
  }

  // The thread's item i; behind the last one that again.
  __device__ __forceinline__ int at(int i) const { return here == size ? start() + i : min(start() + i, here - 1); }
  __device__ __forceinline__ bool is_head(int i) const { return heads >> i & 1; }
  __device__ __forceinline__ static int heads_in(word bits) {
    if constexpr (sizeof(word) == 4) return __popc(bits);
    else return __popcll(bits);
  }

  struct prefix {
    in_tile before;  // what the tile has in front of the thread's items; not for thread 0
    in_all left;     // what there is in front of the tile; not for tile 0
  };

  // `sum`: of the thread's items since its last head. (Threads without items come last, and nothing looks behind them.)
  template <class Op>
  __device__ __forceinline__ prefix sum_up(const T& sum, const gpu::lookback<in_all>& tiles, const Op& op) {
    const run_sum_op<Op> join{op};
    const in_tile before = scan::exclusive(shared.sums, in_tile{heads_in(heads), sum}, join);
    in_all& left = *reinterpret_cast<in_all*>(shared.left);
    if (threadIdx.x < gpu::warp_size) {
      const in_tile all = scan::total(shared.sums, join);
      const in_all in_front = tiles.exclusive_prefix(blockIdx.x, in_all{all.heads, all.value}, join);
      if (threadIdx.x == 0) left = in_front;
    }
    __syncthreads();
    return {before, left};
  }

  // What the thread's first item adds to, if it is no head.
  template <class Op>
  __device__ __forceinline__ T before_first(const prefix& p, const Op& op) const {
    if (threadIdx.x == 0) return p.left.value;
    return first == 0 || p.before.heads > 0 ? p.before.value : op(p.left.value, p.before.value);
  }
};

}  // namespace kleene::streaming
