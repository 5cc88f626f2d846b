// The kernels of joins on CUDA devices: two passes over the same tiles of the merge of both sequences, b before a among
// equals, so that whoever walks along it has passed all matches of an item of a when it comes to it, and they are
// adjacent. The first pass counts rows, and notes for each thread of a tile where it begins and how many rows come
// before it. The second goes the same way without searching: it marks in shared memory where an item's rows begin, and
// each warp spreads the marks over the rows of its threads. (Items looked up one by one, and again in the second pass,
// took 313 instructions an item of the inputs where this takes 117, and three times as long.)
//
// The b's of one key may lie in many tiles. Rows of a's items whose matches begin before the tile come first in it and
// are found by arithmetic; where they are many, a kernel of its own shares them out evenly.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/scan.cuh"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/join_kind.hpp"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"

#include <cstdint>
#include <limits>

namespace kleene::streaming {

// What the tiles before a tile make.
struct join_counts {
  index_t rows;       // that have a left side
  index_t unmatched;  // items of b without a match, where these make rows
  index_t shares;     // of rows that fill_crossing_rows writes

  __host__ __device__ index_t all() const { return rows + unmatched; }
};
struct add_counts {
  __device__ join_counts operator()(const join_counts& x, const join_counts& y) const {
    return {x.rows + y.rows, x.unmatched + y.unmatched, x.shares + y.shares};
  }
};

// How many rows an item of a makes.
struct join_rule {
  int least;                   // with no match
  bool at_most_one, inverted;  // inverted: one without matches, none with them
  bool right_sides;            // rows have them

  static join_rule of(join_kind kind) {
    const bool left = kind == join_kind::left || kind == join_kind::full;
    const bool anti = kind == join_kind::anti, one = anti || kind == join_kind::semi;
    return {left, one, anti, !one};
  }
  template <class I>
  __device__ __forceinline__ I rows(I matches) const {
    return min(max(matches, I{least}), at_most_one ? I{1} : std::numeric_limits<I>::max()) ^ I { inverted };
  }
};
constexpr bool keeps_right(join_kind kind) { return kind == join_kind::right || kind == join_kind::full; }

// Where a tile begins in b, and how many matches of the next item of a come before that.
struct join_cut {
  index_t b, before;
};

template <class A, class B, class Less>
__global__ void cut_join(two_sequences<B, A> s, index_t tile, index_t tiles, join_cut* cuts, Less less) {
  gpu::grid_dependency_wait();
  const index_t first = static_cast<index_t>(blockIdx.x) * cut_threads, t = first + threadIdx.x;
  const index_t at = min(t * tile, s.count());
  const index_t b =
      block_cuts(s, min(first * tile, s.count()), min((first + cut_threads - 1) * tile, s.count()), at, less);
  const index_t a = at - b;
  if (t <= tiles) {
    const bool crosses = b > 0 && a < s.b_count && !less(s.a[b - 1], s.b[a]);
    cuts[t] = {b, crosses ? b - short_run_start(s.a, b, s.b[a], less) : 0};
  }
  gpu::launch_dependents();
}

// The part of both sequences that a tile covers.
template <class A, class B>
struct join_tile {
  A a;
  B b;
  index_t a_first, b_first, before;
  int a_count, b_count, a_known;  // a_known: with the item behind them, if there is one

  __device__ join_tile(const two_sequences<A, B>& s, const join_cut* cuts, index_t tile, int size) {
    const join_cut begin = cuts[tile], end = cuts[tile + 1];
    b_first = begin.b;
    before = begin.before;
    a_first = tile * size - b_first;
    const int all = static_cast<int>(min(index_t{size}, s.count() - tile * size));
    b_count = items_of_tile(begin.b, end.b, all);
    a_count = all - b_count;
    a_known = a_count + (a_first + a_count < s.a_count);
    a = s.a + a_first;
    b = s.b + b_first;
  }
  __device__ int count() const { return a_count + b_count; }
};

// Where a thread's walk begins: how many rows and unmatched items of b its tile has before it, its position in a, and
// how many items of b before it have the key of the last of them.
struct join_start {
  static constexpr int position_bits = 13, row_bits = 64 - 3 * position_bits;  // 8 bytes a thread
  static constexpr int largest_tile = (1 << position_bits) - 1;
  std::uint64_t row : row_bits, unmatched : position_bits, a : position_bits, run : position_bits;
};

// Rows of a tile whose matches begin before it: of so many items, each; the walk, which sees only the tile, makes
// `walked` rows of them.
struct crossing_rows {
  index_t each;
  int items, walked;

  __device__ index_t all() const { return items * each; }
};

// Visits items of a tile in the order of the merge, from a[i] and b[j] on. on_a(i, first, matches): b[first ..) match,
// as far as they lie in the tile. on_b(j, unmatched): unmatched is whether nothing in a equals it.
template <int Steps, class T, class Less, class OnA, class OnB>
__device__ __forceinline__ void walk_join(const T* a, int a_count, int a_known, const T* b, int b_count, int i, int j,
                                          int run, const Less& less, const OnA& on_a, const OnB& on_b) {
  int first = j - run;
  T x = a[i], y = b[j], previous = b[max(j - 1, 0)];
#pragma unroll
  for (int step = 0; step < Steps; ++step) {
    const bool no_a = i >= a_count;
    const bool take_b = j < b_count && (no_a || !less(x, y));
    const bool take_a = !no_a && !take_b;
    const bool b_is_new = less(previous, y), a_is_new = less(previous, x);
    if (take_a) {
      on_a(i, first, a_is_new ? 0 : j - first);
      x = a[++i];
    }
    if (take_b) {
      on_b(j, i >= a_known || less(y, x));
      if (b_is_new) first = j;
      previous = y;
      y = b[++j];
    }
  }
}

// The crossing rows of a tile: of the items of its first key in a, if matches of it lie before the tile.
template <class Tile, class T, class Less>
__device__ __forceinline__ crossing_rows crossing_of(const Tile& tile, const T* a, const T* b, const join_rule& rule,
                                                     const Less& less) {
  crossing_rows crossing{0, 0, 0};
  if (tile.before > 0 && tile.a_count > 0) {
    const T key = a[0];
    const int inside = tile.b_count > 0 && !less(key, b[0]) ? run_end(b, 0, tile.b_count, key, less) : 0;
    crossing.items = run_end(a, 0, tile.a_count, key, less);
    crossing.walked = crossing.items * rule.rows(inside);
    crossing.each = rule.rows(tile.before + inside);
  }
  return crossing;
}

template <class Grain, bool Right, class A, class B, class Less>
__global__ void __launch_bounds__(Grain::threads)
    count_join_tiles(two_sequences<A, B> s, const join_cut* cuts, join_rule rule, join_counts* counts,
                     crossing_rows* crossings, join_start* starts, int share, Less less) {
  constexpr int threads = Grain::threads, size = threads * Grain::values;
  static_assert(size <= join_start::largest_tile, "a position in a tile has 13 bits");
  using T = std::iter_value_t<A>;
  using sums = gpu::block_scan<index_t, threads>;
  __shared__ two_tile_buffer<T, size + 1> buffer;
  __shared__ typename sums::storage shared;
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(buffer) + sizeof(shared)>::fits);
  set_up(&arrived, 2);
  gpu::grid_dependency_wait();

  const join_tile<A, B> tile(s, cuts, blockIdx.x, size);
  const auto [a, b] = buffer.template start_load<threads>(tile.a, tile.a_known, tile.b, tile.b_count, &arrived);
  finish_load_tile(&arrived);

  const int thread = static_cast<int>(threadIdx.x), diagonal = min(thread * Grain::values, tile.count());
  const int j = merge_path(b, tile.b_count, a, tile.a_count, diagonal, less), i = diagonal - j;
  const int run = j > 0 ? j - short_run_start(b, j, b[j - 1], less) : 0;
  int rows = 0, unmatched = 0;
  walk_join<Grain::values>(
      a, tile.a_count, tile.a_known, b, tile.b_count, i, j, run, less,
      [&](int, int, int matches) { rows += rule.rows(matches); },
      [&](int, bool is_unmatched) {
        if constexpr (Right) unmatched += is_unmatched;
      });

  constexpr int half = 32;  // both in one scan
  index_t before = sums::exclusive(shared, rows + (static_cast<index_t>(unmatched) << half), ops::plus{});
  if (thread == 0) before = 0;
  const index_t row = before & ((index_t{1} << half) - 1);
  starts[index_t{blockIdx.x} * threads + thread] = {static_cast<std::uint64_t>(row),
                                                    static_cast<std::uint64_t>(before >> half),
                                                    static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(run)};
  if (thread == 0) {
    const crossing_rows crossing = crossing_of(tile, a, b, rule, less);
    crossings[blockIdx.x] = crossing;
    const index_t total = sums::total(shared, ops::plus{}), all = crossing.all();
    const index_t of_tile = (total & ((index_t{1} << half) - 1)) - crossing.walked;  // negative only without an order
    counts[blockIdx.x] = {all + max(of_tile, index_t{0}), total >> half, all > share ? ceil_div(all, share) : 0};
    if (blockIdx.x == gridDim.x - 1) counts[gridDim.x] = {0, 0, 0};
  }
  gpu::launch_dependents();
}

template <class Left, class Right>
struct join_rows {
  Left left;
  Right right;
  index_t capacity;
  bool right_sides;
  __device__ __forceinline__ void put(index_t row, index_t l, index_t r) const {
    left[row] = static_cast<std::iter_value_t<Left>>(l);
    if (right_sides) right[row] = static_cast<std::iter_value_t<Right>>(r);
  }
  // How many of `count` rows from `row` on are to be written.
  template <class I>
  __device__ I wanted(index_t row, I count) const {
    return static_cast<I>(max(index_t{0}, min(index_t{count}, capacity - row)));
  }
};

// Rows first .. first + count of a tile's crossing rows; `row`: of the first. Threads of a block share them.
template <class Left, class Right>
__device__ __forceinline__ void put_crossing(const join_rows<Left, Right>& out, index_t row, index_t each, index_t l,
                                             index_t r, index_t first, int count, int threads) {
  const index_t item = first / each, match = first - item * each;
  for (int k = static_cast<int>(threadIdx.x); k < count; k += threads) {
    index_t more = 0, at = match + k;  // items behind that one
    if (at >= each) {
      at -= each;
      more = 1;
      if (at >= each) {  // so `each` is smaller than count
        const unsigned further = static_cast<unsigned>(at) / static_cast<unsigned>(each);
        more += further;
        at -= further * each;
      }
    }
    out.put(row + k, l + item + more, r + at);
  }
}

// A mark stands where the rows of an item of a begin: the item, counted from 1, and by how much its first match's
// number is above its first row's; or that it has no match.
constexpr int no_match = -0x8000;
__device__ __forceinline__ unsigned row_mark(int item, int lead) {
  return (static_cast<unsigned>(lead) << 16) + (item + 1);
}

// The thread's share of a tile: marks the items whose rows begin in the warp's piece of them, and lists items of b
// without a match. row, unmatched: how many of either come before the share in the piece and in the tile; at the end,
// before the next.
template <bool Right, int Steps, class Tile, class T, class Less>
__device__ __forceinline__ void mark_rows(const Tile& tile, const T* a, const T* b, int i, int j, int run,
                                          const join_rule& rule, int piece, unsigned* marks,
                                          unsigned short* unmatched_items, int& row, int& unmatched, const Less& less) {
  walk_join<Steps>(
      a, tile.a_count, tile.a_known, b, tile.b_count, i, j, run, less,
      [&](int item, int first, int matches) {
        const int position = max(row, 0), end = row + rule.rows(matches);
        const int lead = matches > 0 ? first - row : no_match;
        if (end > position && position < piece) marks[position] = row_mark(item, lead);
        row = end;
      },
      [&](int item, bool is_unmatched) {
        if (Right && is_unmatched) unmatched_items[unmatched++] = static_cast<unsigned short>(item);
      });
}

// Writes rows [begin, end) of a piece whose first row is `first_row`, by one warp: each from the last mark up to it.
template <class Left, class Right>
__device__ __forceinline__ void put_marked(const join_rows<Left, Right>& out, const unsigned* marks, index_t first_row,
                                           int begin, int end, index_t a_first, index_t b_first) {
  const int lane = gpu::lane_id();
  const unsigned through_me = gpu::all_lanes >> (gpu::warp_size - 1 - lane);
  unsigned mark = 0;
  for (int k = begin - static_cast<int>((first_row + begin) % gpu::warp_size) + lane; k - lane < end;
       k += gpu::warp_size) {
    const bool is_row = k >= begin && k < end;
    const unsigned own = is_row ? marks[k] : 0, nearest = __ballot_sync(gpu::all_lanes, own != 0) & through_me;
    const unsigned left = gpu::warp_from(mark, gpu::warp_size - 1);
    const unsigned near = gpu::warp_from(own, gpu::warp_size - 1 - __clz(static_cast<int>(nearest)));
    mark = nearest != 0 ? near : left;
    const int lead = static_cast<int>(mark) >> 16;
    if (is_row)
      out.put(first_row + k, a_first + static_cast<int>(mark & 0xffff) - 1,
              lead == no_match ? index_t{-1} : b_first + lead + k);
  }
}

template <class Grain, bool Right, class A, class B, class LeftOut, class RightOut, class Less>
__global__ void __launch_bounds__(Grain::threads)
    fill_join_tiles(two_sequences<A, B> s, const join_cut* cuts, join_rule rule, const join_counts* before,
                    index_t tiles, const crossing_rows* crossings, const join_start* starts, int share,
                    join_rows<LeftOut, RightOut> out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain, piece = gpu::warp_size * grain;
  using T = std::iter_value_t<A>;
  __shared__ two_tile_buffer<T, size + 1> buffer;
  __shared__ alignas(16) unsigned all_marks[size];
  __shared__ unsigned short unmatched_items[Right ? size : 1];  // items of b
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(buffer) + sizeof(all_marks) + sizeof(unmatched_items)>::fits);
  set_up(&arrived, 2);
  gpu::grid_dependency_wait();

  const join_counts here = before[blockIdx.x];
  if (here.rows >= out.capacity) return;
  const join_tile<A, B> tile(s, cuts, blockIdx.x, size);
  const auto [a, b] = buffer.template start_load<threads>(tile.a, tile.a_known, tile.b, tile.b_count, &arrived);
  const int thread = static_cast<int>(threadIdx.x), lane = gpu::lane_id();
  const join_start start = starts[index_t{blockIdx.x} * threads + thread];
  const crossing_rows crossing = crossings[blockIdx.x];
  finish_load_tile(&arrived);

  if (crossing.items > 0 && crossing.all() <= share) {
    const index_t first_match = tile.b_first - tile.before;
    const int count = out.wanted(here.rows, static_cast<int>(crossing.all()));
    if (count > 0) put_crossing(out, here.rows, crossing.each, tile.a_first, first_match, 0, count, threads);
  }

  // The rows of a warp's threads, a piece at a time: marked by all, then written by all.
  unsigned* const marks = all_marks + thread / gpu::warp_size * piece;
  const int i = static_cast<int>(start.a);
  const int j = min(thread * grain, tile.count()) - i;
  int base = gpu::warp_from(static_cast<int>(start.row), 0), last, unmatched;
  do {
    for (int k = lane; k < piece / 4; k += gpu::warp_size) reinterpret_cast<uint4*>(marks)[k] = uint4{0, 0, 0, 0};
    __syncwarp();
    int row = static_cast<int>(start.row) - base;
    unmatched = static_cast<int>(start.unmatched);
    mark_rows<Right, grain>(tile, a, b, i, j, static_cast<int>(start.run), rule, piece, marks, unmatched_items, row,
                            unmatched, less);
    last = gpu::warp_from(row, gpu::warp_size - 1) + base;
    __syncwarp();

    const index_t first_row = here.rows + crossing.all() - crossing.walked + base;  // of the piece
    const int begin = max(crossing.walked - base, 0), end = out.wanted(first_row, min(piece, last - base));
    put_marked(out, marks, first_row, begin, end, tile.a_first, tile.b_first);
    __syncwarp();
    base += piece;
  } while (base < last);

  if constexpr (Right) {  // after all rows with a left side
    const int first = gpu::warp_from(static_cast<int>(start.unmatched), 0),
              end = gpu::warp_from(unmatched, gpu::warp_size - 1);
    const index_t row = before[tiles].rows + here.unmatched;
    const int wanted = out.wanted(row, end);
    for (int k = first + lane; k < wanted; k += gpu::warp_size) out.put(row + k, -1, tile.b_first + unmatched_items[k]);
  }
}

struct shares_before {
  const join_counts* before;
  __device__ index_t operator[](index_t tile) const { return before[tile].shares; }
};
// The crossing rows of tiles that have more than a share of them.
template <class A, class B, class LeftOut, class RightOut>
__global__ void fill_crossing_rows(const join_cut* cuts, int size, const join_counts* before, index_t tiles,
                                   const crossing_rows* crossings, int share, join_rows<LeftOut, RightOut> out) {
  gpu::grid_dependency_wait();
  const index_t shares = before[tiles].shares;
  const index_t first_share = shares * blockIdx.x / gridDim.x, last_share = shares * (blockIdx.x + 1) / gridDim.x;
  index_t t = 0;
  for (index_t c = first_share; c < last_share; ++c) {
    if (c == first_share || before[t + 1].shares <= c)
      t = upper_position(shares_before{before}, t, tiles, c, ops::less{}) - 1;
    const crossing_rows crossing = crossings[t];
    const index_t first = (c - before[t].shares) * share, row = before[t].rows + first;
    if (row >= out.capacity) return;
    const int count = out.wanted(row, static_cast<int>(min(index_t{share}, crossing.all() - first)));
    put_crossing(out, row, crossing.each, t * size - cuts[t].b, cuts[t].b - cuts[t].before, first, count, blockDim.x);
  }
}

}  // namespace kleene::streaming
