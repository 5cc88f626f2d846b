// One thread's merge sort, of keys or of keys that carry values. Blocks of eight are sorted by counting for each item
// how many come before it: 28 comparisons and no branch, where insertion guesses wrong twice an item. Then merges.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/streaming/cpu/merge_steps.hpp"

#include <atomic>
#include <bit>

namespace kleene::detail {

// What is sorted: pointers to keys, and to values if there are any.
template <class K>
struct key_track {
  using key = K;
  K* keys;

  key_track operator+(index_t n) const { return {keys + n}; }
  void copy_item(index_t to, const key_track& from, index_t i) const { keys[to] = from.keys[i]; }
  void copy_range(const key_track& from, index_t begin, index_t end) const {
    std::copy(from.keys + begin, from.keys + end, keys + begin);
  }
  // What merges a and b to here.
  auto mover(const key_track& a, const key_track& b) const { return move_item<K*, K*, K*>{a.keys, b.keys, keys}; }
};

template <class K, class V>
struct pair_track {
  using key = K;
  K* keys;
  V* values;

  pair_track operator+(index_t n) const { return {keys + n, values + n}; }
  void copy_item(index_t to, const pair_track& from, index_t i) const {
    keys[to] = from.keys[i];
    values[to] = from.values[i];
  }
  void copy_range(const pair_track& from, index_t begin, index_t end) const {
    std::copy(from.keys + begin, from.keys + end, keys + begin);
    std::copy(from.values + begin, from.values + end, values + begin);
  }
  auto mover(const pair_track& a, const pair_track& b) const {
    return move_pair{move_item<K*, K*, K*>{a.keys, b.keys, keys}, move_item<V*, V*, V*>{a.values, b.values, values}};
  }
};

inline constexpr index_t sort_block = 8;

// Whether `less` is known to be a strict weak order of such keys: then places need no check (4 % of a sort of i32).
template <class K, class Less>
inline constexpr bool are_ordered =
    std::is_integral_v<K> && (std::is_same_v<Less, ops::less> || std::is_same_v<Less, ops::greater>);

// to = the items of from by insertion: each once, whatever `less` says.
template <class Track, class Less>
void insert_in_turn(Track from, Track to, index_t n, const Less& less) {
  for (index_t i = 0; i < n; ++i) {
    index_t at = i;
    for (; at > 0 && less(from.keys[i], to.keys[at - 1]); --at) to.copy_item(at, to, at - 1);
    to.copy_item(at, from, i);
  }
}

// to = the n <= 8 items of from, sorted. If `less` is no strict weak order, two items may get the same place: then they
// are inserted in turn.
template <class Track, class Less>
void sort_block_to(Track from, Track to, index_t n, const Less& less) {
  int place[sort_block] = {0, 1, 2, 3, 4, 5, 6, 7};
  if (n == sort_block) {
    for (int i = 1; i < sort_block; ++i)
      for (int j = 0; j < i; ++j) {
        const bool overtakes = less(from.keys[i], from.keys[j]);
        place[i] -= overtakes;
        place[j] += overtakes;
      }
  } else {
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < i; ++j)
        if (less(from.keys[i], from.keys[j])) --place[i], ++place[j];
  }
  if constexpr (!are_ordered<typename Track::key, Less>) {
    unsigned taken = 0;
    for (int i = 0; i < n; ++i) taken |= 1U << place[i];
    if (taken + 1 != 1U << n) return insert_in_turn(from, to, n, less);
  }
  for (int i = 0; i < n; ++i) to.copy_item(place[i], from, i);
}

// Sorts the n items of data; other has room for as many. The result is in `other` if asked for, else in data.
template <class Track, class Less>
void sort_run(Track data, Track other, index_t n, bool to_other, const Less& less) {
  if (n <= sort_block) {
    sort_block_to(data, other, n, less);
    if (!to_other) data.copy_range(other, 0, n);
    return;
  }
  // The left half a power of two, so that almost all merges are of runs of one length.
  const index_t half = static_cast<index_t>(std::bit_ceil(static_cast<std::size_t>(n)) / 2);
  sort_run(data, other, half, !to_other, less);
  sort_run(data + half, other + half, n - half, !to_other, less);
  const Track from = to_other ? data : other, to = to_other ? other : data;
  merge_piece({0, 0}, {half, n - half}, less, to.mover(from, from + half));
}

// Merges neighbouring pairs of runs; the runs begin at begin_of(0), begin_of(1), ..., begin_of(runs) ends the last.
// Each part takes its share of the output, whichever runs that falls in. If `less` is no strict weak order, the cut at
// the end of a share may lie before the one at its beginning in one of the runs. Then all pairs are merged again, each
// by one thread.
template <class Track, class Begin, class Less>
void merge_runs(Track from, Track to, int runs, const Begin& begin_of, int parts, const Less& less) {
  const index_t n = begin_of(runs);
  std::atomic<bool> have_met{true};
  for_each_part(parts, [&](int p) {
    for (int r = 0; r < runs; r += 2) {
      const index_t left = begin_of(r), middle = begin_of(r + 1), right = begin_of(std::min(r + 2, runs));
      const index_t begin = std::clamp(part_begin(n, parts, p), left, right) - left;
      const index_t end = std::clamp(part_begin(n, parts, p + 1), left, right) - left;
      if (begin == end) continue;
      const auto a = from.keys + left, b = from.keys + middle;
      const auto cut = [&](index_t diagonal) {
        const index_t i = merge_path(a, middle - left, b, right - middle, diagonal, less);
        return path_point{i, diagonal - i};
      };
      const path_point first = cut(begin), next = cut(end);
      if (next.a < first.a || next.b < first.b) have_met = false;
      else merge_piece(first, next, less, (to + left).mover(from + left, from + middle));
    }
  });
  if (have_met) return;
  for_each_part(ceil_div(runs, 2), [&](int pair) {
    const index_t left = begin_of(2 * pair), middle = begin_of(2 * pair + 1),
                  right = begin_of(std::min(2 * pair + 2, runs));
    merge_plainly({0, 0}, {middle - left, right - middle}, less, (to + left).mover(from + left, from + middle));
  });
}

// Sorts data with all threads; other has room for n items.
template <class Track, class Less>
void sort_in_parts(const context& ctx, Track data, Track other, index_t n, const Less& less) {
  const int parts = parts_for(ctx, n);
  const int rounds = std::bit_width(static_cast<unsigned>(parts - 1));
  const bool to_other = rounds % 2 == 1;  // so that the last round ends in data
  for_each_part(parts, [&](int p) {
    const index_t begin = part_begin(n, parts, p);
    sort_run(data + begin, other + begin, part_begin(n, parts, p + 1) - begin, to_other, less);
  });
  Track from = to_other ? other : data, to = to_other ? data : other;
  for (int width = 1; width < parts; width *= 2) {
    const int runs = ceil_div(parts, width);
    merge_runs(from, to, runs, [&](int r) { return part_begin(n, parts, std::min(r * width, parts)); }, parts, less);
    std::swap(from, to);
  }
}

}  // namespace kleene::detail
