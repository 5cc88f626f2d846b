// Sorts, all stable and in place. Scratch memory: as much as the items (and values) that are sorted.
//
// merge_sort: any order, O(n log n) comparisons. radix_sort: integers, float and double in ascending order, eight bits
// a pass, passes whose digit is the same everywhere left out. Floats: negative NaN, -infinity, ..., the zeros (-0 and
// +0 are equal, so they keep their order), ..., infinity, positive NaN. The _by_key forms move values along with their
// keys, one for each. Items are moved about as bytes, hence trivially copyable. Nothing waits on a CUDA context.
// error(device): a CUDA context without cuda/sort.cuh (cuda/radix_sort.cuh for radix sorts). error(memory): no scratch
// memory.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
// With NaN among floats ops::less is no strict weak order: use radix_sort, or a comparator that places NaN.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/sort.hpp"

namespace kleene {

template <class Grain = tuned, class It, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::sorts, Grain>()))>
void merge_sort(const context& ctx, It first, It last, Less less = {}) {
  return detail::dispatch<On>(ctx, "merge_sort", [&](auto on) { return on.merge_sort(ctx, first, last, less); });
}

template <class Grain = tuned, class It, class Values, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::sorts, Grain>()))>
void merge_sort_by_key(const context& ctx, It first, It last, Values values, Less less = {}) {
  return detail::dispatch<On>(ctx, "merge_sort_by_key",
                              [&](auto on) { return on.merge_sort_by_key(ctx, first, last, values, less); });
}

template <class Grain = tuned, class It,
          class On = decltype(machines_of(detail::family<detail::cpu::radix_sorts, Grain>()))>
void radix_sort(const context& ctx, It first, It last) {
  detail::dispatch<On>(ctx, "radix_sort", [&](auto on) { return on.radix_sort(ctx, first, last); });
}

template <class Grain = tuned, class It, class Values,
          class On = decltype(machines_of(detail::family<detail::cpu::radix_sorts, Grain>()))>
void radix_sort_by_key(const context& ctx, It first, It last, Values values) {
  detail::dispatch<On>(ctx, "radix_sort_by_key",
                       [&](auto on) { return on.radix_sort_by_key(ctx, first, last, values); });
}

// Sorts each segment [offsets[s], offsets[s + 1]) of first. offsets: segments + 1, ascending, within the items; items
// outside of all segments stay as they are. Any integer type, empty segments allowed. On the CPU argument_error where
// they are none; on a device every call ends and stays within the items.
template <class Grain = tuned, class It, class Offsets, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::sorts, Grain>()))>
void segmented_sort(const context& ctx, It first, It last, Offsets offsets, index_t segments, Less less = {}) {
  return detail::dispatch<On>(ctx, "segmented_sort",
                              [&](auto on) { return on.segmented_sort(ctx, first, last, offsets, segments, less); });
}

template <class Grain = tuned, class It, class Values, class Offsets, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::sorts, Grain>()))>
void segmented_sort_by_key(const context& ctx, It first, It last, Values values, Offsets offsets, index_t segments,
                           Less less = {}) {
  return detail::dispatch<On>(ctx, "segmented_sort_by_key", [&](auto on) {
    return on.segmented_sort_by_key(ctx, first, last, values, offsets, segments, less);
  });
}

}  // namespace kleene
