// Sorts on the CPU: each thread sorts a stretch, then all threads merge the stretches in pairs, each its share of every
// merge.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/streaming/cpu/radix.hpp"
#include "kleene/streaming/cpu/segment_parts.hpp"
#include "kleene/streaming/cpu/sort_steps.hpp"

namespace kleene {

namespace detail {

// sort(data, other) with data the items as a track and other as much scratch memory. Iterators that are no pointers to
// memory are sorted in a copy.
template <class It, class Sort>
void with_track(const context& ctx, It first, index_t n, const Sort& sort) {
  using K = value_of_iterator<It>;
  static_assert(std::is_trivially_copyable_v<K>, "items that are sorted are moved about as bytes");
  const auto keys = unwrap(first);
  const auto bytes = static_cast<std::size_t>(n) * sizeof(K);
  if constexpr (std::is_pointer_v<std::remove_const_t<decltype(keys)>>) {
    sort(key_track<K>{keys}, key_track<K>{static_cast<K*>(ctx.workspace(bytes))});
  } else {
    const scratch<K> copy(ctx, n);
    std::copy(first, first + n, copy.data());
    sort(key_track<K>{copy.data()}, key_track<K>{static_cast<K*>(ctx.workspace(bytes))});
    std::copy(copy.data(), copy.data() + n, first);
  }
}

// The same of pairs.
template <class It, class Values, class Sort>
void with_pairs(const context& ctx, It first, index_t n, Values values, const Sort& sort) {
  using K = value_of_iterator<It>;
  using V = value_of_iterator<Values>;
  static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>,
                "items that are sorted are moved about as bytes");
  using track = pair_track<K, V>;
  const auto keys = unwrap(first);
  const auto carried = unwrap(values);
  const auto count = static_cast<std::size_t>(n);
  const std::size_t key_bytes = round_up(count * sizeof(K), 64);
  auto* const memory = static_cast<std::byte*>(ctx.workspace(key_bytes + count * sizeof(V)));
  const track other{reinterpret_cast<K*>(memory), reinterpret_cast<V*>(memory + key_bytes)};
  if constexpr (std::is_pointer_v<std::remove_const_t<decltype(keys)>> &&
                std::is_pointer_v<std::remove_const_t<decltype(carried)>>) {
    sort(track{keys, carried}, other);
  } else {
    const scratch<K> key_copy(ctx, n);
    const scratch<V> value_copy(ctx, n);
    std::copy(first, first + n, key_copy.data());
    std::copy(values, values + n, value_copy.data());
    sort(track{key_copy.data(), value_copy.data()}, other);
    std::copy(key_copy.data(), key_copy.data() + n, first);
    std::copy(value_copy.data(), value_copy.data() + n, values);
  }
}

// Segments too large for one thread's share are sorted by all threads, one after the other; each of the others by the
// thread that it begins with.
template <class Track, class Offsets, class Less>
void sort_segments(const context& ctx, Track data, Track other, Offsets offsets, index_t segments, const Less& less) {
  const segment_parts<Offsets> cuts(ctx, offsets, segments);
  const index_t large = std::max(least_part, cuts.items() / cuts.parts());
  const auto begin_of = [&](index_t s) { return static_cast<index_t>(offsets[s]); };
  cuts.for_each([&](int, path_point from, path_point to) {
    for (index_t s = from.a; s < to.a; ++s) {  // the segments that end in this part
      const index_t begin = begin_of(s), n = begin_of(s + 1) - begin;
      if (n <= large) sort_run(data + begin, other + begin, n, false, less);
    }
  });
  if (cuts.parts() == 1 && cuts.items() <= large) return;
  for (index_t s = 0; s < segments; ++s) {
    const index_t begin = begin_of(s), n = begin_of(s + 1) - begin;
    if (n > large) sort_in_parts(ctx, data + begin, other + begin, n, less);
  }
}

}  // namespace detail

namespace detail::cpu {

struct sorts {
  static constexpr const char* header = "streaming/cuda/sort";

  template <class It, class Less>
  static void merge_sort(const context& ctx, It first, It last, const Less& less) {
    const index_t n = detail::length_of(first, last);
    detail::with_track(ctx, first, n, [&](auto data, auto other) { detail::sort_in_parts(ctx, data, other, n, less); });
  }

  template <class It, class Values, class Less>
  static void merge_sort_by_key(const context& ctx, It first, It last, Values values, const Less& less) {
    const index_t n = detail::length_of(first, last);
    detail::with_pairs(ctx, first, n, values,
                       [&](auto data, auto other) { detail::sort_in_parts(ctx, data, other, n, less); });
  }

  template <class It, class Offsets, class Less>
  static void segmented_sort(const context& ctx, It first, It last, Offsets offsets, index_t segments,
                             const Less& less) {
    const index_t n = detail::length_of(first, last);
    if (detail::require_count("segments", segments) == 0) return;
    detail::require_ascending(ctx, detail::unwrap(offsets), segments + 1, n);
    detail::with_track(ctx, first, n, [&](auto data, auto other) {
      detail::sort_segments(ctx, data, other, detail::unwrap(offsets), segments, less);
    });
  }

  template <class It, class Values, class Offsets, class Less>
  static void segmented_sort_by_key(const context& ctx, It first, It last, Values values, Offsets offsets,
                                    index_t segments, const Less& less) {
    const index_t n = detail::length_of(first, last);
    if (detail::require_count("segments", segments) == 0) return;
    detail::require_ascending(ctx, detail::unwrap(offsets), segments + 1, n);
    detail::with_pairs(ctx, first, n, values, [&](auto data, auto other) {
      detail::sort_segments(ctx, data, other, detail::unwrap(offsets), segments, less);
    });
  }
};

struct radix_sorts {
  static constexpr const char* header = "streaming/cuda/radix_sort";

  template <class It>
  static void radix_sort(const context& ctx, It first, It last) {
    const index_t n = detail::length_of(first, last);
    detail::with_track(ctx, first, n, [&](auto data, auto other) { detail::radix_in_parts(ctx, data, other, n); });
  }

  template <class It, class Values>
  static void radix_sort_by_key(const context& ctx, It first, It last, Values values) {
    const index_t n = detail::length_of(first, last);
    detail::with_pairs(ctx, first, n, values,
                       [&](auto data, auto other) { detail::radix_in_parts(ctx, data, other, n); });
  }
};

}  // namespace detail::cpu
}  // namespace kleene
