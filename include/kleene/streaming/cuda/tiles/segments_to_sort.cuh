// The segments of a tile that a block sorts: where they start, and one step of a merge sort that keeps them apart. Each
// thread has its own items sorted; then neighbouring runs are merged, in which only the segment that lies across the
// border between the two moves, so that most threads have nothing to do in most steps.
#pragma once

#include "kleene/gpu/block/scan.cuh"
#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/cuda/tiles/item_marks.cuh"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"

namespace kleene::streaming {

// The border in front of a tile of `size` items, item t * size: the first of the offsets that are not before it, and
// the segment that lies across (none: start == end).
struct segment_border {
  index_t first, start, end;

  // Whether the segment is one for the passes: in three tiles, or too long for a block.
  __device__ bool is_long(index_t item, index_t size) const {
    return end - start > size || start < item - size || end > item + size;
  }
};

// Which of the tile's items are heads: of segments, and all that lie outside of all segments or behind the last item.
template <int Threads, int Size, class Offsets>
__device__ __forceinline__ void mark_heads(item_marks<Size>& marks, Offsets offsets, index_t segments,
                                           const segment_border* borders, index_t first_item, int here) {
  const int thread = static_cast<int>(threadIdx.x);
  const auto in_tile = [&](index_t item) {
    return static_cast<int>(min(max(item - first_item, index_t{0}), index_t{here}));
  };
  const int low = in_tile(offsets[0]), high = in_tile(offsets[segments]);
  const auto below = [](int item, int word) {  // bits of the items below
    const int bits = item - 32 * word;
    return bits <= 0 ? 0u : bits >= 32 ? ~0u : (1u << bits) - 1;
  };
  for (int w = thread; w < marks.words; w += Threads) marks.word[w] = below(low, w) | ~below(high, w);
  __syncthreads();
  const index_t last = borders[1].first;
  for (index_t s = borders[0].first + thread; s < last; s += Threads) {
    const index_t item = static_cast<index_t>(offsets[s]) - first_item;
    if (item >= 0 && item < here) marks.set(static_cast<int>(item));
  }
  __syncthreads();
}

// For each thread's first item, where the segment that lies across the border in front of it starts and ends in the
// tile; `end` is the item itself where none does.
template <int Threads>
struct borders_of_threads {
  using scan = gpu::block_scan<int, Threads>;
  int start[Threads], end[Threads];
  typename scan::storage shared;

  struct later {
    __device__ int operator()(int a, int b) const { return max(a, b); }
  };
  struct earlier {
    __device__ int operator()(int a, int b) const { return min(a, b); }
  };
  // `heads`: those among the thread's items, which begin with item `first`. All threads call it.
  __device__ __forceinline__ void find(unsigned heads, int first, int size) {
    const int thread = static_cast<int>(threadIdx.x), opposite = Threads - 1 - thread;
    end[opposite] = heads != 0 ? first + __ffs(static_cast<int>(heads)) - 1 : size;
    const int last = heads != 0 ? first + 31 - __clz(static_cast<int>(heads)) : 0;
    const int before = scan::exclusive(shared, last, later{});
    start[thread] = thread > 0 ? before : 0;
    __syncthreads();
    const int mine = end[thread], behind = scan::exclusive(shared, mine, earlier{});
    end[opposite] = thread > 0 ? min(mine, behind) : mine;
    __syncthreads();
  }
};

// The next Values items of the sequences [a, a_end) and b, of which one segment is merged, a from a_from on and b up to
// b_to: what is in front of it in a comes before it, what is behind it in b after it. Addresses in shared memory, b
// behind a; where[i] is that of result[i]. Reads one item behind both.
template <int Values, class T, class Less>
__device__ __forceinline__ void merge_segment_in_shared(unsigned a, unsigned a_from, unsigned a_end, unsigned b,
                                                        unsigned b_to, T (&result)[Values], unsigned (&where)[Values],
                                                        const Less& less) {
  T next_a = detail::load_shared<T>(a), next_b = detail::load_shared<T>(b);
#pragma unroll
  for (int i = 0; i < Values; ++i) {
    const bool from_b = a >= a_end || (b < b_to && a >= a_from && less(next_b, next_a));
    result[i] = from_b ? next_b : next_a;
    where[i] = from_b ? b : a;
    if (i + 1 < Values) detail::step_one(from_b, a, b, next_a, next_b);
  }
}

// One step of the tile's merge sort, from runs of Values << level items to runs of twice that, which lie at shared
// address `base`: the thread's items of it, and whether it has any but those it had.
template <int Values, int Threads, class T, class Less>
__device__ __forceinline__ bool merge_segment_of_runs(unsigned base, int level,
                                                      const borders_of_threads<Threads>& borders, T (&key)[Values],
                                                      unsigned (&where)[Values], const Less& less) {
  constexpr int each = sizeof(T);
  const int thread = static_cast<int>(threadIdx.x), pair = thread >> (level + 1) << (level + 1);
  const int width = Values << level, begin = pair * Values, middle = begin + width, at = thread * Values;
  const int right = min(begin + 2 * width, borders.end[pair + (1 << level)]);
  const int left = max(begin, borders.start[pair + (1 << level)]);
  if (right <= middle || at >= right || at + Values <= left) return false;
  int a = at, b = middle;
  if (at > left) {
    const T* const items = static_cast<const T*>(__cvta_shared_to_generic(base));
    a = left + merge_path(items + left, middle - left, items + middle, right - middle, at - left, less);
    b = middle + at - a;
  }
  merge_segment_in_shared(base + a * each, base + left * each, base + middle * each, base + b * each,
                          base + right * each, key, where, less);
  return true;
}

}  // namespace kleene::streaming
