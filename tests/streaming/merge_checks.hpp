// Checks of the merges, wherever they run.
#pragma once

#include "kleene/streaming/merge.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <algorithm>
#include <iterator>

namespace kleene {

template <class T, class Less>
std::vector<T> merged(const std::vector<T>& a, const std::vector<T>& b, const Less& less) {
  std::vector<T> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all), less);
  return all;
}

template <class Place>
void check_merge_by_hand(Place& place) {
  auto a = place.put(std::vector<std::int32_t>{1, 3, 3, 8});
  auto b = place.put(std::vector<std::int32_t>{0, 3, 9});
  auto out = place.room(9, -7);
  EXPECT_EQ(merge(place.ctx, a.data(), a.data() + 4, b.data(), b.data() + 3, out.data()), out.data() + 7);
  EXPECT_TRUE(holds(out, std::vector{0, 1, 3, 3, 3, 8, 9}, -7));
  auto first = place.room(4, -7);
  EXPECT_EQ(merge_smallest(place.ctx, a.data(), a.data() + 4, b.data(), b.data() + 3, 3, first.data()),
            first.data() + 3);
  EXPECT_TRUE(holds(first, std::vector{0, 1, 3}, -7));

  auto a_keys = place.put(std::vector<float>{1, 3, 3, 8}), a_values = place.put(std::vector<float>{10, 11, 12, 13});
  auto b_keys = place.put(std::vector<float>{0, 3, 9}), b_values = place.put(std::vector<float>{20, 21, 22});
  auto keys = place.room(9, -7.0f), values = place.room(9, -7.0f);
  const auto ends = merge_by_key(place.ctx, a_keys.data(), a_keys.data() + 4, a_values.data(), b_keys.data(),
                                 b_keys.data() + 3, b_values.data(), keys.data(), values.data());
  EXPECT_EQ(ends.first, keys.data() + 7);
  EXPECT_EQ(ends.second, values.data() + 7);
  EXPECT_TRUE(holds(keys, std::vector<float>{0, 1, 3, 3, 3, 8, 9}, -7.0f));
  EXPECT_TRUE(holds(values, std::vector<float>{20, 10, 11, 12, 21, 13, 22}, -7.0f));
}

template <class T, class Less, class Place>
void check_merges_of(Place& place, const std::vector<T>& a, const std::vector<T>& b, T poison, const Less& less) {
  const auto all = merged(a, b, less);
  const index_t a_count = static_cast<index_t>(a.size()), b_count = static_cast<index_t>(b.size()),
                n = a_count + b_count;
  auto x = place.put(a), y = place.put(b);
  auto out = place.room(n + slack, poison);
  EXPECT_EQ(merge(place.ctx, x.data(), x.data() + a_count, y.data(), y.data() + b_count, out.data(), less),
            out.data() + n);
  EXPECT_TRUE(holds(out, all, poison));
  for (index_t k : {index_t{0}, index_t{1}, n / 2, n, n + 5}) {
    const index_t written = std::min(k, n);
    auto some = place.room(written + slack, poison);
    EXPECT_EQ(
        merge_smallest(place.ctx, x.data(), x.data() + a_count, y.data(), y.data() + b_count, k, some.data(), less),
        some.data() + written);
    EXPECT_TRUE(holds(some, std::vector<T>(all.begin(), all.begin() + written), poison)) << "the first " << k;
  }
}

template <class Place>
void check_merge(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(p));
      const auto ints = sequences::sorted<std::int32_t>(p, n);
      check_merges_of(place, ints.a, ints.b, -7, ops::less{});
      const auto bytes = sequences::sorted<std::uint8_t>(p, n);
      check_merges_of(place, bytes.a, bytes.b, std::uint8_t{200}, ops::less{});
      // Equivalent records show whether a comes before b, and each in its own order.
      check_merges_of(place, sequences::records(ints.a), sequences::records(ints.b, 500000), sequences::poisoned_record,
                      sequences::by_major{});
      auto falling = sequences::sorted<double>(p, n);
      std::reverse(falling.a.begin(), falling.a.end());
      std::reverse(falling.b.begin(), falling.b.end());
      check_merges_of(place, falling.a, falling.b, -7.0, ops::greater{});
    }
}

// The values say where each key comes from: a's count from 0, b's from 2 million.
template <class T, class Less, class Place>
void check_merge_by_key_of(Place& place, const std::vector<T>& a, const std::vector<T>& b, T poison, const Less& less) {
  struct tagged {
    T key;
    float value;
  };
  const auto tag = [](const std::vector<T>& keys, float value) {
    std::vector<tagged> items;
    for (const T& key : keys) items.push_back({key, value++});
    return items;
  };
  const auto values_of = [](const std::vector<tagged>& items) {
    std::vector<float> values;
    for (const tagged& item : items) values.push_back(item.value);
    return values;
  };
  const auto a_tagged = tag(a, 0), b_tagged = tag(b, 2000000);
  const auto all = merged(a_tagged, b_tagged, [&](const tagged& x, const tagged& y) { return less(x.key, y.key); });
  std::vector<T> keys;
  for (const tagged& item : all) keys.push_back(item.key);

  const index_t n = static_cast<index_t>(all.size());
  auto x = place.put(a), y = place.put(b);
  auto x_values = place.put(values_of(a_tagged)), y_values = place.put(values_of(b_tagged));
  auto keys_out = place.room(n + slack, poison);
  auto values_out = place.room(n + slack, -7.0f);
  const auto ends = merge_by_key(place.ctx, x.data(), x.data() + a.size(), x_values.data(), y.data(),
                                 y.data() + b.size(), y_values.data(), keys_out.data(), values_out.data(), less);
  EXPECT_EQ(ends.first, keys_out.data() + n);
  EXPECT_EQ(ends.second, values_out.data() + n);
  EXPECT_TRUE(holds(keys_out, keys, poison));
  EXPECT_TRUE(holds(values_out, values_of(all), -7.0f));
}

template <class Place>
void check_merge_by_key(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(p));
      const auto [a, b] = sequences::sorted<float>(p, n);
      check_merge_by_key_of(place, a, b, -7.0f, ops::less{});
      check_merge_by_key_of(place, sequences::records(a), sequences::records(b, 500000), sequences::poisoned_record,
                            sequences::by_major{});
    }
}

// Inputs that are no memory.
template <class Place>
void check_merge_of_counts(Place& place) {
  for (index_t n : sequences::sizes()) {
    auto out = place.room(2 * n + slack, std::int64_t{-7});
    const counting_iterator<std::int64_t> a(0), b(n / 2);
    merge(place.ctx, a, a + n, b, b + n, out.data());
    std::vector<std::int64_t> expected;
    for (index_t i = 0; i < n + n / 2; ++i)
      expected.insert(expected.end(), static_cast<std::size_t>((i < n) + (i >= n / 2)), i);
    EXPECT_TRUE(holds(out, expected, std::int64_t{-7})) << n;
  }
}

}  // namespace kleene
