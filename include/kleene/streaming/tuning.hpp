// Grains of the CUDA streaming kernels: threads of a block and items a thread. Items a thread are odd, so that threads
// which walk their own stretch of shared memory do not meet in a bank. A grain may change speed, never a result.
#pragma once

#include "kleene/streaming/grain.hpp"

#include <cstddef>
#include <type_traits>

namespace kleene::streaming {

// The caller's, or the table's where the caller says `tuned`.
template <class Asked, class Tuned>
using chosen_grain = std::conditional_t<std::is_same_v<Asked, tuned>, Tuned, Asked>;

// Items a thread for elements of that size, when `words` 4-byte items are right; odd, at least 1.
constexpr int items_of_size(std::size_t bytes, int words) {
  const int items = static_cast<int>(bytes <= 4 ? words : 4 * words / bytes);
  return items < 1 ? 1 : items - (items % 2 == 0);
}

// reduce: threads, and 16-byte vectors that a thread has on their way.
template <std::size_t Bytes>
using reduce_grain = grain<256, Bytes <= 16 ? 6 : 2>;

template <std::size_t Bytes>
using scan_grain = grain<256, items_of_size(Bytes, Bytes <= 4 ? 23 : 27)>;

template <std::size_t Bytes>
using merge_grain = grain<Bytes <= 4 ? 256 : 128, items_of_size(Bytes, Bytes <= 4 ? 17 : 30)>;

// merge_sort's first step; a whole number of tiles of its merges.
template <std::size_t Bytes>
using sort_grain = grain<Bytes <= 4 ? 512 : 256, merge_grain<Bytes>::values>;

template <std::size_t Bytes>
using search_grain = grain<256, items_of_size(Bytes, Bytes <= 4 ? 15 : 22)>;

template <std::size_t Bytes>
using set_grain = grain<128, items_of_size(Bytes, Bytes <= 4 ? 23 : 30)>;

template <std::size_t Bytes>
using load_balance_grain = grain<128, items_of_size(Bytes, 23)>;

template <std::size_t Bytes>
using segment_grain = grain<256, items_of_size(Bytes, Bytes <= 4 ? 19 : 22)>;

// join: also the rows of a chunk.
template <std::size_t Bytes>
using join_grain = grain<256, items_of_size(Bytes, 9)>;

}  // namespace kleene::streaming
