// Checks of the sorts, wherever they run.
#pragma once

#include "kleene/streaming/sort.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

namespace kleene {

// Of the types that the checks below sort, so that devices need no kernels of their own for it.
template <class Place>
void check_sort_by_hand(Place& place) {
  auto x = place.put(std::vector<std::int32_t>{3, -1, 4, 1, -5, 9});
  merge_sort(place.ctx, x.data(), x.data() + 6);
  EXPECT_TRUE(holds(x, std::vector{-5, -1, 1, 3, 4, 9}));
  auto y = place.put(std::vector<double>{3, -1, 4, 1, -5, 9});
  merge_sort(place.ctx, y.data(), y.data() + 6, ops::greater{});
  EXPECT_TRUE(holds(y, std::vector<double>{9, 4, 3, 1, -1, -5}));
  auto z = place.put(std::vector<std::int32_t>{3, -1, 4, 1, -5, 9});
  radix_sort(place.ctx, z.data(), z.data() + 6);
  EXPECT_TRUE(holds(z, std::vector{-5, -1, 1, 3, 4, 9}));

  auto keys = place.put(std::vector<float>{2, 1, 2, 0});
  auto values = place.put(std::vector<std::int32_t>{10, 11, 12, 13});
  merge_sort_by_key(place.ctx, keys.data(), keys.data() + 4, values.data());
  EXPECT_TRUE(holds(values, std::vector{13, 11, 10, 12}));
  auto radix_keys = place.put(std::vector<float>{2, 1, 2, 0});
  auto radix_values = place.put(std::vector<std::int32_t>{10, 11, 12, 13});
  radix_sort_by_key(place.ctx, radix_keys.data(), radix_keys.data() + 4, radix_values.data());
  EXPECT_TRUE(holds(radix_keys, std::vector<float>{0, 1, 2, 2}));
  EXPECT_TRUE(holds(radix_values, std::vector{13, 11, 10, 12}));

  auto parts = place.put(std::vector<std::int32_t>{5, 2, 1, 9, 8, 7, 0});
  auto at = place.put(std::vector<std::int64_t>{1, 3, 3, 6});
  segmented_sort(place.ctx, parts.data(), parts.data() + 7, at.data(), 3);
  EXPECT_TRUE(holds(parts, std::vector{5, 1, 2, 7, 8, 9, 0}));
}

// The order that a stable sort puts n items in. (One sort for all types: each costs a compiler half a second.)
inline std::vector<std::int32_t> stable_order(index_t n, const std::function<bool(std::int32_t, std::int32_t)>& less) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

// Keys and the order they came in, sorted.
template <class T, class Less = ops::less>
std::pair<std::vector<T>, std::vector<std::int32_t>> sorted_with_places(const std::vector<T>& keys,
                                                                        const Less& less = {}) {
  const T* const key = keys.data();
  const auto order = stable_order(static_cast<index_t>(keys.size()),
                                  [=](std::int32_t i, std::int32_t j) { return less(key[i], key[j]); });
  std::vector<T> sorted;
  for (std::int32_t i : order) sorted.push_back(key[i]);
  return {sorted, order};
}

template <class T, class Less, class Place>
void check_merge_sort_of(Place& place, const std::vector<T>& items, const Less& less) {
  auto x = place.put(items);
  merge_sort(place.ctx, x.data(), x.data() + items.size(), less);
  EXPECT_TRUE(holds(x, sorted_with_places(items, less).first));
}

template <class Place>
void check_merge_sort(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto ints = sequences::keys<std::int32_t>(s, n);
      check_merge_sort_of(place, ints, ops::less{});
      check_merge_sort_of(place, sequences::keys<double>(s, n), ops::greater{});
      check_merge_sort_of(place, sequences::records(ints), sequences::by_major{});
    }
}

// 0, 1, 2, ..., modulo what V counts.
template <class V = std::int32_t>
std::vector<V> places(index_t n) {
  std::vector<V> at(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<V>(i);
  return at;
}

template <class T, class Less, class Place>
void check_merge_sort_by_key_of(Place& place, const std::vector<T>& keys, const Less& less) {
  const index_t n = static_cast<index_t>(keys.size());
  const auto [expected_keys, expected_places] = sorted_with_places(keys, less);
  auto k = place.put(keys);
  auto v = place.put(places(n));
  merge_sort_by_key(place.ctx, k.data(), k.data() + n, v.data(), less);
  EXPECT_TRUE(holds(k, expected_keys));
  EXPECT_TRUE(holds(v, expected_places));
}

template <class Place>
void check_merge_sort_by_key(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto keys = sequences::keys<float>(s, n);
      check_merge_sort_by_key_of(place, keys, ops::less{});
      check_merge_sort_by_key_of(place, sequences::records(keys), sequences::by_major{});
    }
}

template <class T, class Place>
void check_radix_sort_of(Place& place, const std::vector<index_t>& sizes) {
  for (index_t n : sizes)
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto keys = sequences::keys<T>(s, n);
      auto x = place.put(keys);
      radix_sort(place.ctx, x.data(), x.data() + n);
      EXPECT_TRUE(holds(x, sorted_with_places(keys).first));
    }
}

// With values of type V.
template <class T, class V, class Place>
void check_radix_sort_by_key_of(Place& place, const std::vector<index_t>& sizes) {
  for (index_t n : sizes)
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto keys = sequences::keys<T>(s, n);
      const auto [expected_keys, expected_places] = sorted_with_places(keys);
      auto k = place.put(keys);
      auto v = place.put(places<V>(n));
      radix_sort_by_key(place.ctx, k.data(), k.data() + n, v.data());
      EXPECT_TRUE(holds(k, expected_keys));
      EXPECT_TRUE(holds(v, std::vector<V>(expected_places.begin(), expected_places.end())));
    }
}

// Every kind of key once, alone or with values: each is a radix sort of its own on devices, with kernels of its own.
template <class Place>
void check_radix_sort(Place& place) {
  check_radix_sort_of<std::int32_t>(place, sequences::sizes());
  check_radix_sort_by_key_of<float, std::int32_t>(place, sequences::sizes());
  const std::vector<index_t> few = {0, 1, 2, 1000, 50000};
  check_radix_sort_of<std::uint16_t>(place, few);
  check_radix_sort_of<std::int64_t>(place, few);
  check_radix_sort_of<double>(place, few);
  check_radix_sort_by_key_of<std::uint8_t, std::uint8_t>(place, few);
  check_radix_sort_by_key_of<std::int16_t, std::int32_t>(place, few);
  check_radix_sort_by_key_of<std::uint32_t, std::int32_t>(place, few);
  check_radix_sort_by_key_of<std::uint64_t, std::int32_t>(place, few);
}

// Extremes and both NaNs, by their bits; the zeros are equal and keep the order that they come in. With values of type
// V, if it is said.
template <class T, class V = void, class Place>
void check_radix_extremes(Place& place) {
  using limits = std::numeric_limits<T>;
  std::vector<T> sorted;
  if constexpr (std::is_floating_point_v<T>) {
    const T nan = limits::quiet_NaN(), inf = limits::infinity();
    sorted = {-nan, -inf, limits::lowest(), -1, -limits::denorm_min(), T(-0.0), T(0.0), limits::min(), 1, limits::max(),
              inf,  nan};
  } else {
    sorted = {limits::lowest(), T(limits::lowest() + 1), 2, 3, 100, T(limits::max() - 1), limits::max()};
  }
  const index_t n = static_cast<index_t>(sorted.size());
  auto x = place.put(std::vector<T>(sorted.rbegin(), sorted.rend()));
  if constexpr (std::is_floating_point_v<T>) std::swap(sorted[5], sorted[6]);
  if constexpr (std::is_void_v<V>) {
    radix_sort(place.ctx, x.data(), x.data() + n);
  } else {
    auto values = place.put(places<V>(n));
    radix_sort_by_key(place.ctx, x.data(), x.data() + n, values.data());
  }
  const auto got = x.take();
  EXPECT_EQ(std::memcmp(got.data(), sorted.data(), sorted.size() * sizeof(T)), 0);
}

// Keys alone, then records by one member with values.
template <class Place>
void check_segmented_sort_of(Place& place, const sequences::segment_case& c, sequences::segmentation s) {
  SCOPED_TRACE(testing::Message() << c.segments << " " << c.count << " " << sequences::to_string(s));
  const auto at = sequences::offsets<std::int32_t>(s, c.segments, c.count);
  auto keys = sequences::keys<std::int32_t>(sequences::shape::random, c.count);
  auto x = place.put(keys);
  auto long_offsets = place.put(std::vector<std::int64_t>(at.begin(), at.end()));
  segmented_sort(place.ctx, x.data(), x.data() + c.count, long_offsets.data(), c.segments);
  for (std::size_t q = 0; q + 1 < at.size(); ++q) std::sort(keys.begin() + at[q], keys.begin() + at[q + 1]);
  EXPECT_TRUE(holds(x, keys));

  const auto records = sequences::records(sequences::keys<std::int32_t>(sequences::shape::duplicates, c.count));
  std::vector<sequences::record> expected_records;
  std::vector<std::int32_t> expected_places;
  for (std::size_t q = 0; q + 1 < at.size(); ++q) {
    const auto [k, v] =
        sorted_with_places(std::vector(records.begin() + at[q], records.begin() + at[q + 1]), sequences::by_major{});
    expected_records.insert(expected_records.end(), k.begin(), k.end());
    for (std::int32_t p : v) expected_places.push_back(at[q] + p);
  }
  auto k = place.put(records);
  auto v = place.put(places(c.count));
  auto offsets = place.put(at);
  segmented_sort_by_key(place.ctx, k.data(), k.data() + c.count, v.data(), offsets.data(), c.segments,
                        sequences::by_major{});
  EXPECT_TRUE(holds(k, expected_records));
  EXPECT_TRUE(holds(v, expected_places));
}

template <class Place>
void check_segmented_sort(Place& place) {
  for (const auto& c : sequences::segment_cases())
    for (auto s : sequences::all_segmentations)
      if (test::sampled()) check_segmented_sort_of(place, c, s);
  check_segmented_sort_within(place, 30, 50000);
}

// Segments of the items' middle third: the others stay as they are.
template <class Place>
void check_segmented_sort_within(Place& place, index_t segments, index_t count) {
  SCOPED_TRACE(testing::Message() << segments << " " << count);
  auto at = sequences::offsets<std::int64_t>(sequences::segmentation::random, segments, count / 3);
  for (auto& offset : at) offset += count / 3;
  auto keys = sequences::keys<std::int32_t>(sequences::shape::random, count);
  auto x = place.put(keys);
  auto offsets = place.put(at);
  segmented_sort(place.ctx, x.data(), x.data() + count, offsets.data(), segments);
  for (std::size_t q = 0; q + 1 < at.size(); ++q) std::sort(keys.begin() + at[q], keys.begin() + at[q + 1]);
  EXPECT_TRUE(holds(x, keys));
}

// No segments, and segments that are all empty: nothing moves, of no items and of some.
template <class Place>
void check_segmented_sort_of_nothing(Place& place) {
  for (index_t segments : {0, 1, 70001})
    for (index_t n : {0, 1000}) {
      SCOPED_TRACE(testing::Message() << segments << " " << n);
      const auto keys = sequences::keys<std::int32_t>(sequences::shape::random, n);
      const auto records = sequences::records(keys);
      auto x = place.put(keys), v = place.put(places(n));
      auto k = place.put(records);
      auto at = place.room(segments + 1, static_cast<std::int32_t>(n / 2));
      auto long_at = place.room(segments + 1, static_cast<std::int64_t>(n / 2));
      segmented_sort(place.ctx, x.data(), x.data() + n, long_at.data(), segments);
      EXPECT_TRUE(holds(x, keys));
      segmented_sort_by_key(place.ctx, k.data(), k.data() + n, v.data(), at.data(), segments, sequences::by_major{});
      EXPECT_TRUE(holds(k, records));
      EXPECT_TRUE(holds(v, places(n)));
    }
}

// 2^31 + 5 keys: 0, 3, 2, 1, 0, 3, 2, 1, ... with their places modulo 251 as values, and both of them sorted.
struct large_keys {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return -i & 3; }
};
struct large_values {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return i % 251; }
};
inline constexpr index_t large_quarter = index_t{1} << 29;  // of each key; 2 of 0, and 1 of each other one more
struct sorted_large_keys {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const {
    return i < large_quarter + 2 ? 0 : (i - 2 - large_quarter) / (large_quarter + 1) + 1;
  }
};
struct sorted_large_values {  // key k is at places 4 j - k
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const {
    const index_t key = sorted_large_keys{}(i), rank = i - key * (large_quarter + 1) - (key > 0);
    return (4 * rank + (key > 0 ? 4 - key : 0)) % 251;
  }
};

}  // namespace kleene
