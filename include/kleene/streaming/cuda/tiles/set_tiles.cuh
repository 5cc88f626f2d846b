// The kernels of set operations on CUDA devices. Cuts of tiles and of threads are balanced paths, so every thread has
// whole pairs of equal items and works like the sequential algorithm; it notes which steps keep an item, and the item.
//
// A tile's position in the output is the number of items that all tiles before it keep. Blocks do not wait for it: they
// take tile after tile, in order, keep a tile's items in shared memory, and write them when they have walked along the
// next one; meanwhile the first block adds up the counts (tile_scan.cuh). With look-back, waiting took 43 % of the
// warps' time: union of 2^27 items 287 G a second where this has 370. So two blocks at least have to run at the same
// time, the first and another: where a kernel of somebody else's leaves room for one alone, this one waits until that
// has ended.
#pragma once

#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/streaming/base/set_kind.hpp"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"
#include "kleene/streaming/cuda/tiles/tile_scan.cuh"

namespace kleene::streaming {

// Also sets up the count of tiles that are taken.
template <class A, class B, class Less>
__global__ void balanced_cuts(two_sequences<A, B> s, index_t tile, index_t tiles, path_point* cuts,
                              unsigned long long* taken, Less less) {
  gpu::grid_dependency_wait();
  const index_t first = static_cast<index_t>(blockIdx.x) * cut_threads, t = first + threadIdx.x;
  const index_t at = min(t * tile, s.count());
  const index_t cut =
      block_cuts(s, min(first * tile, s.count()), min((first + cut_threads - 1) * tile, s.count()), at, less);
  if (t <= tiles) cuts[t] = balanced_path_from(s.a, s.a_count, s.b, s.b_count, at, cut, less);
  if (t == 0) *taken = 0;
  gpu::launch_dependents();
}

// What the steps of a walk keep: which of them an item, that item, and, where its value is wanted too, its address.
template <class T, int Steps, bool Addresses>
struct kept_items {
  static_assert(Steps <= 32, "one bit a step");
  unsigned steps = 0;
  T item[Steps];
  unsigned address[Addresses ? Steps : 1];
};

// Walks from `at` to `end`, addresses in shared memory: one register each for the positions in a and b, where pointers
// and item numbers would take three.
template <set_kind Kind, int Steps, bool Addresses, class T, class Less>
__device__ __forceinline__ kept_items<T, Steps, Addresses> walk_sets(point_of_path<unsigned> at,
                                                                     point_of_path<unsigned> end, const Less& less) {
  constexpr unsigned size = sizeof(T);
  const auto item = [](unsigned address) { return *reinterpret_cast<const T*>(__cvta_shared_to_generic(address)); };
  T x = item(at.a), y = item(at.b);
  kept_items<T, Steps, Addresses> kept;
#pragma unroll
  for (int step = 0; step < Steps; ++step) {
    const bool no_a = at.a >= end.a, no_b = at.b >= end.b;
    const bool take_a = !no_a && (no_b || !less(y, x)), take_b = !no_b && (no_a || !less(x, y));
    bool stays;
    if constexpr (Kind == set_kind::intersection) stays = take_a && take_b;
    else if constexpr (Kind == set_kind::union_) stays = take_a || take_b;
    else if constexpr (Kind == set_kind::difference) stays = take_a && !take_b;
    else stays = take_a != take_b;
    if (stays) kept.steps |= 1u << step;
    const bool from_a = Kind == set_kind::intersection || Kind == set_kind::difference || take_a;
    kept.item[step] = from_a ? x : y;
    if constexpr (Addresses) kept.address[step] = from_a ? at.a : at.b;
    if (take_a) x = item(at.a += size);
    if (take_b) y = item(at.b += size);
  }
  return kept;
}

// Where a set operation writes its items: keys alone, keys with values, or nothing but their number.
struct no_items {};
template <class Out>
struct keys_out {
  Out out;
};
template <class AV, class BV, class Out, class OutV>
struct pairs_out {
  Out out;
  AV a_values;
  BV b_values;
  OutV values_out;
};

// The size that the caller's output has. More is found only where the comparator is no order.
template <set_kind Kind>
__device__ constexpr index_t most_items(index_t a_count, index_t b_count) {
  if constexpr (Kind == set_kind::intersection) return a_count < b_count ? a_count : b_count;
  else if constexpr (Kind == set_kind::difference) return a_count;
  else return a_count + b_count;
}

// The shared memory of a block. kept: the items of the tile before, with where each lay if its value is wanted, too:
// below 64 KiB, as all of a block's own.
template <class Grain, class T, bool Writes, bool Carries>
struct set_arrays {
  static constexpr int threads = Grain::threads, size = threads * Grain::values;
  two_tile_buffer<T, size + 1> buffer;
  alignas(16) unsigned char kept[Writes ? (size + 1) * sizeof(T) : 1];
  unsigned short sources[Carries ? size + 1 : 1];
  int thread_cuts[threads + 1][2];
  typename gpu::block_scan<int, threads>::storage sums;
  index_t next, next_a, next_b;  // the tile to come, and where it begins
  int next_a_count, next_b_count;
  index_t left;  // how many items all tiles before the kept one have
  gpu::mbarrier arrived;
};

// A block's work: tile after tile, each in the steps of set_tiles().
template <class Grain, set_kind Kind, class A, class B, class To, class Less>
struct set_worker {
  static constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain, steps = grain + 1;
  static constexpr bool writes = !std::is_same_v<To, no_items>, carries = requires(To to) { to.values_out; };
  using T = std::iter_value_t<A>;
  using sums = gpu::block_scan<int, threads>;
  using arrays = set_arrays<Grain, T, writes, carries>;
  using kept_of_thread = kept_items<T, steps, carries>;
  static constexpr unsigned item_size = sizeof(T);

  // A tile that has been walked along: its items and where they were.
  struct walked_tile {
    index_t tile = -1;
    int total = 0;
    path_point first;
    unsigned a_at = 0, b_at = 0;
  };

  const two_sequences<A, B>& s;
  const path_point* cuts;
  index_t tiles;
  unsigned long long* taken;
  const To& to;
  const Less& less;
  arrays& shared;
  int thread = static_cast<int>(threadIdx.x);

  // The tile at hand, in the buffer.
  index_t tile = 0;
  path_point first{};
  int a_count = 0, b_count = 0;
  const T *a = nullptr, *b = nullptr;

  // The first thread takes tiles; it does so early, and looks at the results late.
  __device__ __forceinline__ index_t take() const { return static_cast<index_t>(atomicAdd(taken, 1ull)); }
  __device__ __forceinline__ void announce(index_t next) const {
    shared.next = next;
    if (next >= tiles) return;
    // Without an order cuts need not ascend (see end_of_tile): both counts are held to what a tile can have.
    const path_point cut = cuts[next], end = cuts[next + 1];
    shared.next_a = cut.a, shared.next_b = cut.b;
    shared.next_a_count = items_of_tile(cut.a, end.a, size + 1);
    shared.next_b_count = items_of_tile(cut.b, end.b, size + 1 - shared.next_a_count);
  }

  __device__ __forceinline__ void start_next() {
    tile = shared.next;
    if (tile >= tiles) return;
    first = {shared.next_a, shared.next_b};
    a_count = shared.next_a_count, b_count = shared.next_b_count;
    const auto inputs =
        shared.buffer.template start_load<threads>(s.a + first.a, a_count, s.b + first.b, b_count, &shared.arrived);
    a = inputs.a;
    b = inputs.b;
  }

  // Cuts the tile for the threads, and walks along this one's share.
  __device__ __forceinline__ kept_of_thread walk(walked_tile& walked) const {
    const int all = a_count + b_count;
    const point_of_path<int> at = thread * grain < all ? balanced_path(a, a_count, b, b_count, thread * grain, less)
                                                       : point_of_path<int>{a_count, b_count};
    shared.thread_cuts[thread][0] = at.a;
    shared.thread_cuts[thread][1] = at.b;
    if (thread == 0) {
      shared.thread_cuts[threads][0] = a_count;
      shared.thread_cuts[threads][1] = b_count;
    }
    __syncthreads();
    const point_of_path<int> end{shared.thread_cuts[thread + 1][0], shared.thread_cuts[thread + 1][1]};
    const unsigned a_at = static_cast<unsigned>(__cvta_generic_to_shared(a));
    const unsigned b_at = static_cast<unsigned>(__cvta_generic_to_shared(b));
    walked = {tile, 0, first, a_at, b_at};
    return walk_sets<Kind, steps, carries, T>({a_at + at.a * item_size, b_at + at.b * item_size},
                                              {a_at + end.a * item_size, b_at + end.b * item_size}, less);
  }

  // Puts the thread's items where the tile's wait to be written, the first of them at `position`.
  __device__ __forceinline__ void keep(const kept_of_thread& kept, int position) const {
    T* to_item = reinterpret_cast<T*>(shared.kept) + position;
    [[maybe_unused]] unsigned short* to_source = shared.sources + position;
#pragma unroll
    for (int step = 0; step < steps; ++step)
      if (kept.steps >> step & 1) {
        *to_item++ = kept.item[step];
        if constexpr (carries) *to_source++ = static_cast<unsigned short>(kept.address[step]);
      }
  }

  // Writes a tile's items, shared.left being known.
  __device__ __forceinline__ void write(const walked_tile& waiting, index_t most) const {
    const T* const here = reinterpret_cast<const T*>(shared.kept);
    const index_t at = shared.left;
    const int wanted = static_cast<int>(min(index_t{waiting.total}, most - at));
#pragma unroll 4
    for (int k = thread; k < wanted; k += threads) {
      to.out[at + k] = here[k];
      if constexpr (carries) {
        const unsigned from = shared.sources[k];
        if (from < waiting.b_at)
          to.values_out[at + k] = to.a_values[waiting.first.a + (from - waiting.a_at) / item_size];
        else to.values_out[at + k] = to.b_values[waiting.first.b + (from - waiting.b_at) / item_size];
      }
    }
  }
};

template <class Grain, set_kind Kind, class A, class B, class To, class Count, class Less>
__global__ void __launch_bounds__(Grain::threads)
    set_tiles(two_sequences<A, B> s, const path_point* cuts, index_t tiles, unsigned long long* taken, To to,
              Count count, tile_scan counts, Less less) {
  using worker = set_worker<Grain, Kind, A, B, To, Less>;
  using sums = typename worker::sums;
  constexpr bool writes = worker::writes;
  __shared__ typename worker::arrays shared;
  static_assert(declared_shared<sizeof(shared.buffer) + sizeof(shared.kept) + sizeof(shared.sources) +
                                sizeof(shared.thread_cuts)>::fits);
  set_up(&shared.arrived, 2);
  gpu::grid_dependency_wait();

  const int thread = static_cast<int>(threadIdx.x);
  const index_t most = most_items<Kind>(s.a_count, s.b_count);
  if (blockIdx.x == 0) {
    const index_t all = counts.template scan<Grain::threads>(tiles);
    if (thread == 0) *count = min(all, most);
    return;
  }

  worker block{s, cuts, tiles, taken, to, less, shared};
  typename worker::walked_tile waiting;  // the one before, of which only what stays is kept
  if (thread == 0) block.announce(block.take());
  __syncthreads();
  block.start_next();
  for (int parity = 0; block.tile < tiles; parity ^= 1) {
    finish_load_tile(&shared.arrived, parity);
    const index_t after = thread == 0 ? block.take() : 0;
    typename worker::walked_tile walked;
    auto kept = block.walk(walked);

    int position = sums::exclusive(shared.sums, __popc(kept.steps), ops::plus{});
    walked.total = sums::total(shared.sums, ops::plus{});
    if (walked.total > block.a_count + block.b_count)  // threads' cuts do not ascend: there is no order, and no result
      walked.total = 0, kept.steps = 0;
    if (thread == 0) {
      position = 0;
      counts.publish(walked.tile, walked.total);
      block.announce(after);
      if (writes && waiting.tile >= 0) shared.left = counts.before_tile(waiting.tile);
    }
    gpu::tma_store_fence();
    __syncthreads();
    block.start_next();
    if constexpr (writes) {
      if (waiting.tile >= 0) {
        block.write(waiting, most);
        __syncthreads();
      }
      block.keep(kept, position);
      waiting = walked;
    }
  }
  if constexpr (writes) {
    if (waiting.tile < 0) return;
    if (thread == 0) shared.left = counts.before_tile(waiting.tile);
    __syncthreads();
    block.write(waiting, most);
  }
}

}  // namespace kleene::streaming
