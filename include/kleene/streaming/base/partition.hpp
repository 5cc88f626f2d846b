// Where to cut two sorted sequences, so that the pieces can be worked on independently and each worker gets its exact
// share however the keys fall. Host and device.
//
// Methods: merge path (Odeh, Green, Mwassi, Shmueli, Birk, "Merge Path - Parallel Merging Made Simple", 2012); balanced
// path (Baxter, Modern GPU, 2013).
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"

#include <type_traits>

namespace kleene {

// Positions in a and b: everything before them lies on one side of a cut.
template <class I>
struct point_of_path {
  I a = 0;
  I b = 0;
};
using path_point = point_of_path<index_t>;

// First position in [first, last) whose item is not below key; items sorted by less. ceil(log2(n + 1)) comparisons.
template <class It, class I, class T, class Less>
KLEENE_FUNCTION constexpr I lower_position(It items, std::type_identity_t<I> first, I last, const T& key,
                                           const Less& less) {
  while (first < last) {
    const I middle = first + (last - first) / 2;
    if (less(items[middle], key)) first = middle + 1;
    else last = middle;
  }
  return first;
}

// First position in [first, last) whose item is above key.
template <class It, class I, class T, class Less>
KLEENE_FUNCTION constexpr I upper_position(It items, std::type_identity_t<I> first, I last, const T& key,
                                           const Less& less) {
  while (first < last) {
    const I middle = first + (last - first) / 2;
    if (less(key, items[middle])) last = middle;
    else first = middle + 1;
  }
  return first;
}

// lower_position of a key that items[last - 1], if it is not below it, is equivalent to: found from `last` downwards in
// steps that double, so short runs cost little.
template <class It, class I, class T, class Less>
KLEENE_FUNCTION constexpr I run_start(It items, I last, const T& key, const Less& less) {
  I step = 1, high = last;
  while (step < last && !less(items[last - step], key)) {
    high = last - step;
    step *= 2;
  }
  return lower_position(items, step < last ? last - step : I{0}, high, key, less);
}

// upper_position of a key in items[first ..), where key is equivalent to items[first]: found upwards in steps that
// double.
template <class It, class I, class T, class Less>
KLEENE_FUNCTION constexpr I run_end(It items, std::type_identity_t<I> first, I last, const T& key, const Less& less) {
  I step = 1, low = first;
  while (first + step < last && !less(key, items[first + step])) {
    low = first + step;
    step *= 2;
  }
  return upper_position(items, low, first + step < last ? first + step : last, key, less);
}

// run_start and run_end where runs are short as a rule: the nearest few items one by one, which is half the work of
// steps that double and halve.
inline constexpr int short_run = 8;
template <class It, class I, class T, class Less>
KLEENE_FUNCTION constexpr I short_run_start(It items, I last, const T& key, const Less& less) {
  I first = last;
  while (first > 0 && !less(items[first - 1], key))
    if (last - --first == short_run) return run_start(items, first, key, less);
  return first;
}
template <class It, class I, class T, class Less>
KLEENE_FUNCTION constexpr I short_run_end(It items, std::type_identity_t<I> first, I last, const T& key,
                                          const Less& less) {
  I end = first;
  while (end < last && !less(key, items[end]))
    if (++end - first == short_run) return run_end(items, end - 1, last, key, less);
  return end;
}

// How many of the first `diagonal` items of the stable merge of a and b (a before b among equals) come from a; the
// other diagonal - result come from b. a and b sorted by less, 0 <= diagonal <= a_count + b_count. Only less(b item, a
// item) is asked, about log2(min(a_count, b_count, diagonal)) times.
template <class A, class B, class I, class Less>
KLEENE_FUNCTION constexpr I merge_path(A a, I a_count, B b, std::type_identity_t<I> b_count,
                                       std::type_identity_t<I> diagonal, const Less& less) {
  I first = diagonal > b_count ? diagonal - b_count : I{0};
  I last = diagonal < a_count ? diagonal : a_count;
  while (first < last) {
    const I middle = first + (last - first) / 2;
    if (less(b[diagonal - 1 - middle], a[middle])) last = middle;
    else first = middle + 1;
  }
  return first;
}

// A cut for operations that match the r-th copy of a key in a with its r-th copy in b (the set operations): like the
// merge path's, but never between the two items of such a pair. result.a + result.b is diagonal, or diagonal + 1 where
// the diagonal would part a pair. Cuts of ascending diagonals ascend in both a and b. merge_cut: the merge path's.
template <class A, class B, class I, class Less>
KLEENE_FUNCTION constexpr point_of_path<I> balanced_path_from(A a, I a_count, B b, std::type_identity_t<I> b_count,
                                                              std::type_identity_t<I> diagonal,
                                                              std::type_identity_t<I> merge_cut, const Less& less) {
  point_of_path<I> cut;
  cut.a = merge_cut;
  cut.b = diagonal - cut.a;
  // Only a run of the next b's key can be cut inside a pair: where b is used up, or a's next is smaller, no b is to
  // come.
  if (cut.b >= b_count || (cut.a < a_count && less(a[cut.a], b[cut.b]))) return cut;
  const auto& key = b[cut.b];
  const I a_start = short_run_start(a, cut.a, key, less);
  const I b_start = short_run_start(b, cut.b, key, less);
  const I before = (cut.a - a_start) + (cut.b - b_start);  // items equal to key before the diagonal
  if (before == 0) return cut;
  const I b_end = b_start + before + 1 < b_count ? b_start + before + 1 : b_count;  // longer runs make no difference
  const I b_run = short_run_end(b, cut.b, b_end, key, less) - b_start;

  // Pairs first, one of a and one of b by turns, then what the longer run has left. Of a no more than the merge took:
  // it took all of the run, or nothing but a's.
  I a_taken = (before + 1) / 2;
  if (a_taken < before - b_run) a_taken = before - b_run;
  if (a_taken > cut.a - a_start) a_taken = cut.a - a_start;
  I b_taken = before - a_taken;
  if (b_taken < a_taken && b_taken < b_run) ++b_taken;
  return {a_start + a_taken, b_start + b_taken};
}

template <class A, class B, class I, class Less>
KLEENE_FUNCTION constexpr point_of_path<I> balanced_path(A a, I a_count, B b, std::type_identity_t<I> b_count,
                                                         std::type_identity_t<I> diagonal, const Less& less) {
  return balanced_path_from(a, a_count, b, b_count, diagonal, merge_path(a, a_count, b, b_count, diagonal, less), less);
}

}  // namespace kleene
