// The block's side of merge path (partition.hpp): first one search a tile in global memory, by a kernel of its own,
// then one search a thread in shared memory. After it every thread has the same number of items to walk over, whichever
// of the two sequences they come from, and the walk reads like the sequential algorithm.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/order.hpp"
#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/cuda/tiles/tile.cuh"

namespace kleene::streaming {

// Two sequences to walk along together.
template <class A, class B>
struct two_sequences {
  A a;
  index_t a_count;
  B b;
  index_t b_count;

  __host__ __device__ index_t count() const { return a_count + b_count; }
};

// Where the merge path of two sequences crosses a diagonal, by one warp, every lane looking at a position of its own:
// six trips to memory for 2^27 items where halving makes 27.
template <class A, class B, class Less>
__device__ __forceinline__ index_t warp_merge_path(const two_sequences<A, B>& s, index_t diagonal, const Less& less) {
  index_t first = max(index_t{0}, diagonal - s.b_count), last = min(diagonal, s.a_count);
  while (first < last) {
    const index_t step = ceil_div(last - first, gpu::warp_size), position = first + gpu::lane_id() * step;
    const bool beyond = position >= last || less(s.b[diagonal - 1 - position], s.a[position]);
    const int before = __popc(__ballot_sync(gpu::all_lanes, !beyond));
    if (before < gpu::warp_size) last = min(last, first + before * step);
    if (before > 0) first += (before - 1) * step + 1;
  }
  return first;
}

// The same between two known crossings, by one thread: from where a straight line between the two would cross, in
// growing steps to one side, then by halves. Random keys stray from the line by about the root of the distance.
template <class A, class B, class Less>
__device__ __forceinline__ index_t near_merge_path(const two_sequences<A, B>& s, path_point from, path_point to,
                                                   index_t diagonal, const Less& less) {
  index_t first = max(from.a, diagonal - to.b), last = min(to.a, diagonal - from.b);
  if (first >= last) return first;
  const auto beyond = [&](index_t position) { return less(s.b[diagonal - 1 - position], s.a[position]); };
  const float slope = static_cast<float>(to.a - from.a) / static_cast<float>(to.a + to.b - from.a - from.b);
  const index_t line = from.a + static_cast<index_t>(slope * static_cast<float>(diagonal - from.a - from.b));
  const index_t position = min(max(line, first), last - 1);
  index_t step = static_cast<index_t>(sqrtf(static_cast<float>(last - first))) / 2 + 1;
  if (beyond(position)) {
    for (last = position; last - first > step; step *= 4) {
      if (!beyond(last - step)) {
        first = last - step + 1;
        break;
      }
      last -= step;
    }
  } else {
    for (first = position + 1; last - first > step; step *= 4) {
      if (beyond(first + step)) {
        last = first + step;
        break;
      }
      first += step + 1;
    }
  }
  while (first < last) {
    const index_t middle = first + (last - first) / 2;
    if (beyond(middle)) last = middle;
    else first = middle + 1;
  }
  return first;
}

inline constexpr int cut_threads = 128;

// The merge path's crossing of this thread's diagonal, the block's threads having ascending diagonals: those of the
// first and the last are found by a warp each, the others between them. (2^27 items in tiles of 3,840: each thread by
// itself, by halves, takes 48 us and reads 109 MB, as every step of every thread is a sector of its own.)
template <class A, class B, class Less>
__device__ __forceinline__ index_t block_cuts(const two_sequences<A, B>& s, index_t first_diagonal,
                                              index_t last_diagonal, index_t diagonal, const Less& less) {
  __shared__ path_point ends[2];
  const int warp = static_cast<int>(threadIdx.x) / gpu::warp_size;
  if (warp < 2) {
    const index_t at = warp == 0 ? first_diagonal : last_diagonal;
    const index_t a = warp_merge_path(s, at, less);
    if (gpu::lane_id() == 0) ends[warp] = {a, at - a};
  }
  __syncthreads();
  return near_merge_path(s, ends[0], ends[1], diagonal, less);
}

// cuts[t]: how many of the first t * tile items come from a, for t = 0 .. tiles (items past `limit` belong to nobody).
template <class A, class B, class Less>
__global__ void cut_sequences(two_sequences<A, B> s, index_t limit, index_t tile, index_t tiles, index_t* cuts,
                              Less less) {
  gpu::grid_dependency_wait();
  const index_t first = static_cast<index_t>(blockIdx.x) * cut_threads, t = first + threadIdx.x;
  const index_t at = min(t * tile, limit);
  const index_t cut = block_cuts(s, min(first * tile, limit), min((first + cut_threads - 1) * tile, limit), at, less);
  if (t <= tiles) cuts[t] = cut;
  gpu::launch_dependents();
}

template <class A, class B, class Less>
void cut_on_cuda(const context& ctx, const two_sequences<A, B>& s, index_t limit, index_t tile, index_t* cuts,
                 Less less) {
  const index_t tiles = ceil_div(limit, tile);
  launch(ctx, cut_sequences<A, B, Less>, ceil_div(tiles + 1, cut_threads), cut_threads, s, limit, tile, tiles, cuts,
         less);
}
// The same, cuts in the context's workspace.
template <class A, class B, class Less>
const index_t* cut_on_cuda(const context& ctx, const two_sequences<A, B>& s, index_t limit, index_t tile, Less less) {
  index_t* const cuts = static_cast<index_t*>(ctx.workspace((ceil_div(limit, tile) + 1) * sizeof(index_t)));
  cut_on_cuda(ctx, s, limit, tile, cuts, less);
  return cuts;
}

// Where a tile of `count` items ends in the sequence that its cuts count: at `next`, if that is 0 to `count` items
// after `cut`. A comparator that is no order gives cuts that do not ascend; what comes of it is then not to be used,
// but nothing is read or written outside the sequences, since each cut by itself lies in both. If next < cut, all items
// come from the other sequence, of which diagonal - cut < diagonal - next are taken, no more than it has; if next > cut
// + count, all come from this one, and it has more. (Asking how much is left of both sequences made load balancing 7 %
// slower; taking one count from the other took it 48 registers instead of 31.)
__device__ __forceinline__ index_t end_of_tile(index_t cut, index_t next, index_t count) {
  return min(max(next, cut), cut + count);
}

// The same as a number of items. (In 32 bits and without min and max: the compiler has no 64-bit minimum in uniform
// registers, which a tile's counts and all comparisons with them then leave; joins were 1 to 2 % slower.)
__device__ __forceinline__ int items_of_tile(index_t cut, index_t next, int count) {
  int items = static_cast<int>(next - cut);  // should it wrap, there are more than `count`
  if (next < cut) items = 0;
  if (static_cast<unsigned>(items) > static_cast<unsigned>(count)) items = count;
  return items;
}

// The part of two sequences that a tile covers.
template <class A, class B>
struct tile_of_two {
  A a;
  B b;
  index_t a_first, b_first;
  int a_count, b_count;

  // The stretch of `size` items from item `first` of the merge on; cuts[0] is the one at its beginning.
  __device__ tile_of_two(const two_sequences<A, B>& s, index_t limit, const index_t* cuts, index_t first, int size) {
    const index_t last = min(first + size, limit);
    a_first = cuts[0];
    b_first = first - a_first;
    const index_t a_last = end_of_tile(a_first, last == s.count() ? s.a_count : cuts[1], last - first);
    a_count = static_cast<int>(a_last - a_first);
    b_count = static_cast<int>(last - a_last - b_first);
    a = s.a + a_first;
    b = s.b + b_first;
  }
  __device__ int count() const { return a_count + b_count; }
};

// The cuts at both ends of the block's tile, by two of its warps where nobody has cut (`cuts` is null).
template <class A, class B, class Less>
__device__ __forceinline__ const index_t* cuts_of_block(const two_sequences<A, B>& s, index_t limit, index_t first,
                                                        int size, const index_t* cuts, const Less& less) {
  __shared__ index_t ends[2];
  if (cuts != nullptr) return cuts + blockIdx.x;
  for (int e = static_cast<int>(threadIdx.x) / gpu::warp_size; e < 2;
       e += static_cast<int>(blockDim.x) / gpu::warp_size) {
    const index_t a = warp_merge_path(s, min(first + e * size, limit), less);
    if (gpu::lane_id() == 0) ends[e] = a;
  }
  __syncthreads();
  return ends;
}

// Whether blocks had better look for their ends themselves. (1 Mi items on an H200, us, with a kernel that cuts and the
// few bytes at the ends of stretches by threads, and without both: merge 17.9, 9.6; sorted search 17.7, 9.0. Four is a
// guess.)
inline bool blocks_cut(const context& ctx, index_t tiles) { return tiles <= 4 * ctx.device()->multiprocessors; }

// Shared memory for `Count` items from two sequences, wherever they lie; one item more can be read of either.
// Aligned to 32 bytes, a sector of global memory: TMA takes longer to a destination that sectors straddle. (Pairs on
// an H200 where the values' buffer was 16 bytes off, and so: merge of 128 Mi 551 us, 544; merge sort of 1 Mi 84, 79.)
template <class T, int Count>
struct two_tile_buffer {
  static constexpr int bytes = round_up(Count * static_cast<int>(sizeof(T)), 16) + 64 + 2 * static_cast<int>(sizeof(T));
  alignas(32) unsigned char memory[bytes];

  template <class It>
  __device__ T* first(It from) {
    int offset = 0;
    if constexpr (detail::moves_as_bytes<It, T>) offset = detail::misalignment(from);
    return reinterpret_cast<T*>(memory + offset);
  }
  // Behind `count` items of the first.
  template <class It>
  __device__ T* second(const T* first, int count, It from) {
    int offset = static_cast<int>(reinterpret_cast<const unsigned char*>(first + count) - memory);
    offset = round_up(offset, 16);
    if constexpr (detail::moves_as_bytes<It, T> || std::is_same_v<It, const unsigned char*>)
      offset += detail::misalignment(from);
    return reinterpret_cast<T*>(memory + offset);
  }

  struct tile_pointers {
    T *a, *b;
  };
  // Starts to load both (two stretches on `done`, see start_load_tile); returns where they will be.
  template <int Threads, class A, class B>
  __device__ __forceinline__ tile_pointers start_load(A from_a, int a_count, B from_b, int b_count,
                                                      gpu::mbarrier* done) {
    T* const a = first(from_a);
    T* const b = second(a, a_count, from_b);
    start_load_tile<Threads>(a, from_a, a_count, done);
    start_load_tile<Threads>(b, from_b, b_count, done);
    return {a, b};
  }
  // The tile's share of s.
  template <int Threads, class A, class B>
  __device__ __forceinline__ tile_pointers start_load(const two_sequences<A, B>& s, index_t a_first, int a_count,
                                                      index_t b_first, int b_count, gpu::mbarrier* done) {
    const A from_a = s.a + a_first;
    const B from_b = s.b + b_first;
    T* const a = first(from_a);
    T* const b = second(a, a_count, from_b);
    start_load_tile<Threads>(a, from_a, a_count, a_first, s.a_count - a_first - a_count, done);
    start_load_tile<Threads>(b, from_b, b_count, b_first, s.b_count - b_first - b_count, done);
    return {a, b};
  }
};

// The next Values items of the stable merge of a[a_at ..) and b[b_at ..) in result; where[i] is the item's number,
// counting through a and then b. Reads up to Values items behind the ends; past the end of both, results are not to be
// used.
template <int Values, class T, class Less>
__device__ __forceinline__ void serial_merge(const T* a, int a_count, const T* b, int b_count, int a_at, int b_at,
                                             T (&result)[Values], int (&where)[Values], const Less& less) {
  T next_a = a[a_at], next_b = b[b_at];
#pragma unroll
  for (int i = 0; i < Values; ++i) {
    const bool from_b = a_at >= a_count || (b_at < b_count && less(next_b, next_a));
    result[i] = from_b ? next_b : next_a;
    where[i] = from_b ? a_count + b_at : a_at;
    if (from_b) next_b = b[++b_at];
    else next_a = a[++a_at];
  }
}

namespace detail {

template <class T>
__device__ __forceinline__ T load_shared(unsigned address) {
  return *static_cast<const T*>(__cvta_shared_to_generic(address));
}

// One step further in one of two sequences in shared memory, and the item that comes next in it. One load by all lanes:
// with a load for those that go on in a and another for the others, the first kernel of merge_sort took 1.29 ms for
// 2^27 items, shared memory at 99 % of its rate; so it takes 1.13, with 15 % fewer wavefronts.
template <class T>
__device__ __forceinline__ void step_one(bool in_b, unsigned& a, unsigned& b, T& next_a, T& next_b) {
  constexpr unsigned each = sizeof(T);
  if constexpr (sizeof(T) == 4 && std::is_trivially_copyable_v<T>) {
    std::uint32_t bits_a, bits_b;
    std::memcpy(&bits_a, &next_a, 4);
    std::memcpy(&bits_b, &next_b, 4);
    asm volatile(
        "{ .reg .pred p; .reg .b32 at, n; setp.ne.s32 p, %4, 0; selp.b32 at, %1, %0, p; ld.shared.b32 n, [at + 4];"
        " @p add.s32 %1, %1, 4; @!p add.s32 %0, %0, 4; @p mov.b32 %3, n; @!p mov.b32 %2, n; }"
        : "+r"(a), "+r"(b), "+r"(bits_a), "+r"(bits_b)
        : "r"(static_cast<int>(in_b))
        : "memory");
    std::memcpy(&next_a, &bits_a, 4);
    std::memcpy(&next_b, &bits_b, 4);
  } else {
    const T next = load_shared<T>((in_b ? b : a) + each);
    a += in_b ? 0 : each;
    b += in_b ? each : 0;
    if (in_b) next_b = next;
    else next_a = next;
  }
}

}  // namespace detail

// The same of sequences in shared memory, by addresses there: [a, a_end) and [b, b_end), from `a` and `b` on; where[i]
// is the address of result[i].
template <int Values, class T, class Less>
__device__ __forceinline__ void merge_in_shared(unsigned a, unsigned a_end, unsigned b, unsigned b_end,
                                                T (&result)[Values], unsigned (&where)[Values], const Less& less) {
  T next_a = detail::load_shared<T>(a), next_b = detail::load_shared<T>(b);
#pragma unroll
  for (int i = 0; i < Values; ++i) {
    const bool from_b = b < b_end && (a >= a_end || less(next_b, next_a));
    result[i] = from_b ? next_b : next_a;
    where[i] = from_b ? b : a;
    if (i + 1 < Values) detail::step_one(from_b, a, b, next_a, next_b);
  }
}

// serial_merge of two sequences in one piece of shared memory, b behind a, with addresses instead of indices.
template <int Values, class T, class Less>
__device__ __forceinline__ void merge_in_shared(const T* a, int a_count, const T* b, int b_count, int a_at, int b_at,
                                                T (&result)[Values], unsigned (&where)[Values], const Less& less) {
  constexpr unsigned each = sizeof(T);
  const unsigned first_a = gpu::shared_address(a), first_b = gpu::shared_address(b);
  merge_in_shared(first_a + a_at * each, first_a + a_count * each, first_b + b_at * each, first_b + b_count * each,
                  result, where, less);
}

}  // namespace kleene::streaming
