// Checks of the sorts, wherever they run.
#pragma once

#include "kleene/streaming/sort.hpp"
#include "support/place.hpp"
#include "support/sequences.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kleene {

template <class Place>
void check_sort_by_hand(Place& place) {
  auto x = place.put(std::vector<std::int32_t>{3, -1, 4, 1, -5, 9});
  merge_sort(place.ctx, x.data(), x.data() + 6);
  EXPECT_TRUE(holds(x, std::vector{-5, -1, 1, 3, 4, 9}));
  merge_sort(place.ctx, x.data(), x.data() + 6, ops::greater{});
  EXPECT_TRUE(holds(x, std::vector{9, 4, 3, 1, -1, -5}));
  radix_sort(place.ctx, x.data(), x.data() + 6);
  EXPECT_TRUE(holds(x, std::vector{-5, -1, 1, 3, 4, 9}));

  auto keys = place.put(std::vector<std::int32_t>{2, 1, 2, 0});
  auto values = place.put(std::vector<char>{'a', 'b', 'c', 'd'});
  merge_sort_by_key(place.ctx, keys.data(), keys.data() + 4, values.data());
  EXPECT_TRUE(holds(values, std::vector{'d', 'b', 'a', 'c'}));
  radix_sort_by_key(place.ctx, keys.data(), keys.data() + 4, values.data());
  EXPECT_TRUE(holds(keys, std::vector{0, 1, 2, 2}));
  EXPECT_TRUE(holds(values, std::vector{'d', 'b', 'a', 'c'}));

  auto parts = place.put(std::vector<std::int32_t>{5, 2, 1, 9, 8, 7, 0});
  auto at = place.put(std::vector<std::int32_t>{1, 3, 3, 6});
  segmented_sort(place.ctx, parts.data(), parts.data() + 7, at.data(), 3);
  EXPECT_TRUE(holds(parts, std::vector{5, 1, 2, 7, 8, 9, 0}));
}

template <class T, class Less, class Place>
void check_merge_sort_of(Place& place, std::vector<T> items, const Less& less) {
  auto x = place.put(items);
  std::stable_sort(items.begin(), items.end(), less);
  merge_sort(place.ctx, x.data(), x.data() + items.size(), less);
  EXPECT_TRUE(holds(x, items));
}

template <class Place>
void check_merge_sort(Place& place) {
  for (index n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto ints = sequences::keys<std::int32_t>(s, n);
      check_merge_sort_of(place, ints, ops::less{});
      check_merge_sort_of(place, sequences::keys<double>(s, n), ops::greater{});
      check_merge_sort_of(place, sequences::records(ints), sequences::by_major{});
    }
}

// Keys and the order they came in, sorted.
template <class T, class Less = ops::less>
std::pair<std::vector<T>, std::vector<std::int32_t>> sorted_with_places(const std::vector<T>& keys,
                                                                        const Less& less = {}) {
  std::vector<std::pair<T, std::int32_t>> pairs;
  for (const T& key : keys) pairs.emplace_back(key, static_cast<std::int32_t>(pairs.size()));
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& x, const auto& y) { return less(x.first, y.first); });
  std::pair<std::vector<T>, std::vector<std::int32_t>> sorted;
  for (const auto& [key, at] : pairs) {
    sorted.first.push_back(key);
    sorted.second.push_back(at);
  }
  return sorted;
}

inline std::vector<std::int32_t> places(index n) {
  std::vector<std::int32_t> at(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<std::int32_t>(i);
  return at;
}

template <class T, class Less, class Place>
void check_merge_sort_by_key_of(Place& place, const std::vector<T>& keys, const Less& less) {
  const index n = static_cast<index>(keys.size());
  const auto [expected_keys, expected_places] = sorted_with_places(keys, less);
  auto k = place.put(keys);
  auto v = place.put(places(n));
  merge_sort_by_key(place.ctx, k.data(), k.data() + n, v.data(), less);
  EXPECT_TRUE(holds(k, expected_keys));
  EXPECT_TRUE(holds(v, expected_places));
}

template <class Place>
void check_merge_sort_by_key(Place& place) {
  for (index n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      check_merge_sort_by_key_of(place, sequences::keys<float>(s, n), ops::less{});
    }
}

template <class T, class Place>
void check_radix_sort_of(Place& place) {
  for (index n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto keys = sequences::keys<T>(s, n);
      const auto [expected_keys, expected_places] = sorted_with_places(keys);
      auto k = place.put(keys), alone = place.put(keys);
      auto v = place.put(places(n));
      radix_sort_by_key(place.ctx, k.data(), k.data() + n, v.data());
      EXPECT_TRUE(holds(k, expected_keys));
      EXPECT_TRUE(holds(v, expected_places));
      radix_sort(place.ctx, alone.data(), alone.data() + n);
      EXPECT_TRUE(holds(alone, expected_keys));
    }
}

template <class Place>
void check_radix_sort(Place& place) {
  check_radix_sort_of<std::int32_t>(place);
  check_radix_sort_of<std::uint8_t>(place);
  check_radix_sort_of<float>(place);
}

// Extremes and both NaNs, by their bits; the zeros are equal and keep the order that they come in.
template <class T, class Place>
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
  auto x = place.put(std::vector<T>(sorted.rbegin(), sorted.rend()));
  if constexpr (std::is_floating_point_v<T>) std::swap(sorted[5], sorted[6]);
  radix_sort(place.ctx, x.data(), x.data() + sorted.size());
  const auto got = x.take();
  EXPECT_EQ(std::memcmp(got.data(), sorted.data(), sorted.size() * sizeof(T)), 0);
}

// Records by one member, then keys with values.
template <class Place>
void check_segmented_sort_of(Place& place, const sequences::segment_case& c, sequences::segmentation s) {
  SCOPED_TRACE(testing::Message() << c.segments << " " << c.count << " " << sequences::to_string(s));
  const auto at = sequences::offsets<std::int32_t>(s, c.segments, c.count);
  const auto records = sequences::records(sequences::keys<std::int32_t>(sequences::shape::duplicates, c.count));
  auto expected = records;
  for (std::size_t q = 0; q + 1 < at.size(); ++q)
    std::stable_sort(expected.begin() + at[q], expected.begin() + at[q + 1], sequences::by_major{});
  auto x = place.put(records);
  auto offsets = place.put(at);
  segmented_sort(place.ctx, x.data(), x.data() + c.count, offsets.data(), c.segments, sequences::by_major{});
  EXPECT_TRUE(holds(x, expected));

  const auto keys = sequences::keys<std::int32_t>(sequences::shape::random, c.count);
  std::vector<std::int32_t> expected_keys, expected_places;
  for (std::size_t q = 0; q + 1 < at.size(); ++q) {
    const auto [k, v] = sorted_with_places(std::vector(keys.begin() + at[q], keys.begin() + at[q + 1]));
    expected_keys.insert(expected_keys.end(), k.begin(), k.end());
    for (std::int32_t p : v) expected_places.push_back(at[q] + p);
  }
  auto k = place.put(keys);
  auto v = place.put(places(c.count));
  segmented_sort_by_key(place.ctx, k.data(), k.data() + c.count, v.data(), offsets.data(), c.segments, ops::less{});
  EXPECT_TRUE(holds(k, expected_keys));
  EXPECT_TRUE(holds(v, expected_places));
}

template <class Place>
void check_segmented_sort(Place& place) {
  for (const auto& c : sequences::segment_cases())
    for (auto s : sequences::all_segmentations) check_segmented_sort_of(place, c, s);
}

}  // namespace kleene
