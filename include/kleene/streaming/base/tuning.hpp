// Grains of the CUDA streaming kernels: threads of a block and items a thread. Items a thread are odd, so that threads
// which walk their own stretch of shared memory do not meet in a bank. A grain may change speed, never a result.
#pragma once

#include "kleene/streaming/base/grain.hpp"

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

// Fewer threads where elements are so large that one each fills a block's shared memory.
constexpr int threads_of_size(std::size_t bytes, int threads) {
  while (threads > 32 && threads * bytes > 12 * 1024) threads /= 2;
  return threads;
}

// Evidence: one H200, 2^27 items of i32 (pairs: two of them), GB/s or 10^9 items a second, with what was tried beside.
// reduce: threads, and 16-byte vectors that a thread has in flight. 4,346 (4 of them 4,271, 8 4,340; 512 x 6 4,342);
// 1 Mi 6.7 us (2 of them 7.3, 4 6.7, 8 6.9, 512 x 4 7.1)
template <std::size_t Bytes>
using reduce_grain = grain<256, Bytes <= 16 ? 6 : 2>;

// 3,600 (256 x 19 3,410, 512 x 21 3,530, 256 x 27 3,510); i64 256 x 13 3,690 (256 x 11 3,560, 512 x 11 3,580)
template <std::size_t Bytes>
using scan_grain = grain<threads_of_size(Bytes, 256), items_of_size(Bytes, Bytes <= 4 ? 23 : 27)>;

// Scans and reductions by key, `Bytes` of a key and a value. Keys and values of i32: scan 3,250, reduction 2,660
template <std::size_t Bytes>
using run_grain = grain<threads_of_size(Bytes, 256), items_of_size(Bytes, 30)>;

// 3,840; pairs 3,955. What was tried beside them walked by other means: 256 x 17 3,815, 256 x 15 3,810, 512 x 17 3,815,
// 512 x 11 3,500; pairs 128 x 15 3,650, 256 x 7 3,520, 256 x 15 3,280.
template <std::size_t Bytes>
using merge_grain = grain<threads_of_size(Bytes, Bytes <= 4 ? 256 : 128), items_of_size(Bytes, Bytes <= 4 ? 17 : 34)>;

// merge_sort's first step; a whole number of tiles of its merges, threads a power of two. Each doubling of the tile
// spares a pass of merges, and costs a level in shared memory. 26.4; pairs 13.7 (1,024 threads: 26.8, 13.5, but at 1 Mi
// 16.4 and 11.0 against 18.7 and 13.3; half the threads, walking by other means, 25.0, 13.1)
template <std::size_t Bytes>
using sort_grain = grain<(Bytes <= 4 ? 2 : 4) * merge_grain<Bytes>::threads, merge_grain<Bytes>::values>;

// 3,450 (256 x 19 with another loop 2,895)
template <std::size_t Bytes>
using search_grain = grain<threads_of_size(Bytes, 256), items_of_size(Bytes, Bytes <= 4 ? 15 : 22)>;

// Union 370, intersection 432 (128 x 19 336, 385; 256 x 19 348, 394; 256 x 23 377, 436; timed without checks: 128 x 27
// 398, 465)
template <std::size_t Bytes>
using set_grain = grain<threads_of_size(Bytes, 128), items_of_size(Bytes, Bytes <= 4 ? 23 : 30)>;

// 3,490 uniform, 3,270 skewed (128 x 23 3,240, 3,050; 256 x 31 3,310, 3,170)
template <std::size_t Bytes>
using load_balance_grain = grain<128, items_of_size(Bytes, 27)>;

// 3,490 (tiles of 19 items a thread lost 15 %)
template <std::size_t Bytes>
using segment_grain = grain<threads_of_size(Bytes, 256), items_of_size(Bytes, 31)>;

// Items that are computed, in quads. Rows of a matrix, 2^24 entries, uniform / R-MAT: plus-times 1,146 / 1,290, min-
// plus 1,144 / 1,287 (2,048 threads a multiprocessor, with spilled registers: 1,108 / 1,221). With three kernels in the
// place of one 1,111 / 1,257 and 1,107 / 1,250 (256 x 8 1,107 / 1,254, 128 x 8 1,107 / 1,246, 256 x 12 1,099 / 1,235).
// What bounds it are requests to L2: 94 slices take one a clock whatever its size, and each x is one. A kernel that
// gathers, reads offsets and writes results, but knows no rows, reaches 1,198 (docs/performance.md). Lost: terms held
// in shared memory, which L1 lacks then (1,110 / 1,222); quads without vectors (1,098 / 1,232); x past L1 (906 /
// 1,004); look-up by the blocks of the first tiles (1,134 / 1,264); hints to keep x in L1 or L2 (no
// difference); tiles of rows and entries together, cut by a kernel before them (1,066 / 1,187); columns and values by
// bulk copies (256 x 9 939 / 1,033); look-back in the place of what closes (1,024 / 1,118), tiles that close themselves
// (1,094 / 1,262); blocks that walk over one stretch each (1,050 / 1,150); warps by themselves (570 / 627); a quarter
// of x in the shared memory of clusters of eight (488 / 549; gathers alone take 184 us with it, 161 without).
template <std::size_t Bytes>
using term_grain = grain<threads_of_size(Bytes, 256), 4>;
using spmv_grain = term_grain<4>;

// Inner 220, full 159 (128 x 15 196, 155; 128 x 31 229, 152; 256 x 23 213, 151; 64 x 23 208, 153; timed without checks:
// 128 x 25 221, 167)
template <std::size_t Bytes>
using join_grain = grain<threads_of_size(Bytes, 128), items_of_size(Bytes, 23)>;

}  // namespace kleene::streaming
