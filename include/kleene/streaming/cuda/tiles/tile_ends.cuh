// Where segments end in a tile of items: which of them do, and a bit for each item.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/streaming/base/partition.hpp"

namespace kleene::streaming {

// The non-empty segments that end in a tile of Size items.
template <int Threads, int Size, class Offsets>
class ends_of_tile {
 public:
  // The tile has `items` items from `first` on, and its ends are of some of the segments [segment, segment_end).
  __device__ __forceinline__ ends_of_tile(Offsets offsets, index_t first, int items, index_t segment,
                                          index_t segment_end)
      : offsets_(offsets), first_(first), items_(items), segment_(segment), segment_end_(segment_end) {
    count_ = static_cast<int>(min(segment_end - segment, index_t{Size + 1}));
    const int k = static_cast<int>(threadIdx.x);
    if (k < count_) {
      from_ = position(segment_ + k);
      to_ = position(segment_ + k + 1);
    }
  }

  // visit(segment, from, to) for each by one thread: where it begins in the tile, -1 if before it, and ends.
  template <class Visit>
  __device__ __forceinline__ void visit_each(const Visit& visit) const {
    if (count_ > Size) {
      visit_among_items(visit);
      return;
    }
    int from = from_, to = to_;
#pragma unroll 1
    for (int k = static_cast<int>(threadIdx.x);;) {
      if (from < to) visit(segment_ + k, from, to);
      if ((k += Threads) >= count_) return;
      from = position(segment_ + k), to = position(segment_ + k + 1);
    }
  }

 private:
  __device__ int position(index_t segment) const {
    using E = std::iter_value_t<Offsets>;
    const E end = offsets_[segment], first = static_cast<E>(first_);
    return end < first ? -1 : static_cast<int>(end - first);
  }

  // More segments than items, nearly all of them empty: each thread looks for the ends among a stretch of items.
  template <class Visit>
  __device__ void visit_among_items(const Visit& visit) const {
    constexpr int each = Size / Threads;
    const int first = static_cast<int>(threadIdx.x) * each, last = min(first + each, items_);
    if (first >= last) return;
    const auto ends_behind = [](index_t item, const auto& end) { return item < static_cast<index_t>(end); };
    const auto ends = offsets_ + 1;
    index_t s = upper_position(ends, segment_, segment_end_, first_ + first, ends_behind);
    while (s < segment_end_ && static_cast<index_t>(ends[s]) <= first_ + last) {
      const int to = position(s + 1);
      visit(s, position(s), to);
      s = upper_position(ends, s + 1, segment_end_, first_ + to, ends_behind);
    }
  }

  Offsets offsets_;
  index_t first_;
  int items_, count_, from_ = 0, to_ = 0;  // of the thread's first segment
  index_t segment_, segment_end_;
};

// One bit for each item of a tile, whether a segment ends with it, and how many do before each word of bits.
template <int Size>
struct end_marks {
  static constexpr int words = Size / 32;
  alignas(16) unsigned word[words];
  int before[words + 1];

  __device__ void set(int item) { atomicOr(&word[item / 32], 1u << item % 32); }
  __device__ unsigned quad(int item) const { return word[item / 32] >> item % 32 & 15; }
  __device__ int count_before(int item) const {
    return before[item / 32] + __popc(word[item / 32] & ((1u << item % 32) - 1));
  }
  __device__ int all() const { return before[words]; }

  // One warp.
  __device__ __forceinline__ void count() {
    constexpr int each = ceil_div(words, gpu::warp_size);
    const int first = gpu::lane_id() * each;
    int mine[each], sum = 0;
#pragma unroll
    for (int w = 0; w < each; ++w) {
      mine[w] = sum;
      sum += first + w < words ? __popc(word[first + w]) : 0;
    }
    const int through = gpu::warp_inclusive_scan(sum, ops::plus{});
#pragma unroll
    for (int w = 0; w < each; ++w)
      if (first + w < words) before[first + w] = through - sum + mine[w];
    if (gpu::lane_id() == gpu::warp_size - 1) before[words] = through;
  }
};

}  // namespace kleene::streaming
