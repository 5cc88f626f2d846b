// Checks of the set operations, wherever they run.
#pragma once

#include "kleene/streaming/sets.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <algorithm>
#include <iterator>

namespace kleene {

// Each set operation in its forms, and the standard library's.
struct intersections {
  template <class... X>
  static auto plain(X&&... x) {
    return set_intersection(x...);
  }
  template <class... X>
  static void to(X&&... x) {
    set_intersection_to(x...);
  }
  template <class... X>
  static index_t count(X&&... x) {
    return set_intersection_count(x...);
  }
  template <class... X>
  static auto by_key(X&&... x) {
    return set_intersection_by_key(x...);
  }
  template <class... X>
  static void expected(X&&... x) {
    std::set_intersection(x...);
  }
};
struct unions {
  template <class... X>
  static auto plain(X&&... x) {
    return set_union(x...);
  }
  template <class... X>
  static void to(X&&... x) {
    set_union_to(x...);
  }
  template <class... X>
  static index_t count(X&&... x) {
    return set_union_count(x...);
  }
  template <class... X>
  static auto by_key(X&&... x) {
    return set_union_by_key(x...);
  }
  template <class... X>
  static void expected(X&&... x) {
    std::set_union(x...);
  }
};
struct differences {
  template <class... X>
  static auto plain(X&&... x) {
    return set_difference(x...);
  }
  template <class... X>
  static void to(X&&... x) {
    set_difference_to(x...);
  }
  template <class... X>
  static index_t count(X&&... x) {
    return set_difference_count(x...);
  }
  template <class... X>
  static auto by_key(X&&... x) {
    return set_difference_by_key(x...);
  }
  template <class... X>
  static void expected(X&&... x) {
    std::set_difference(x...);
  }
};
struct symmetric_differences {
  template <class... X>
  static auto plain(X&&... x) {
    return set_symmetric_difference(x...);
  }
  template <class... X>
  static void to(X&&... x) {
    set_symmetric_difference_to(x...);
  }
  template <class... X>
  static index_t count(X&&... x) {
    return set_symmetric_difference_count(x...);
  }
  template <class... X>
  static auto by_key(X&&... x) {
    return set_symmetric_difference_by_key(x...);
  }
  template <class... X>
  static void expected(X&&... x) {
    std::set_symmetric_difference(x...);
  }
};

template <class Place>
void check_sets_by_hand(Place& place) {
  auto a = place.put(std::vector<std::int32_t>{1, 2, 2, 2, 5});
  auto b = place.put(std::vector<std::int32_t>{2, 2, 3, 5, 5});
  const auto a_last = a.data() + 5, b_last = b.data() + 5;
  auto out = place.room(10, -7);
  EXPECT_EQ(set_intersection(place.ctx, a.data(), a_last, b.data(), b_last, out.data()), out.data() + 3);
  EXPECT_TRUE(holds(out, std::vector{2, 2, 5}, -7));
  EXPECT_EQ(set_union(place.ctx, a.data(), a_last, b.data(), b_last, out.data()), out.data() + 7);
  EXPECT_TRUE(holds(out, std::vector{1, 2, 2, 2, 3, 5, 5}, -7));
  auto less = place.room(10, -7);
  EXPECT_EQ(set_difference(place.ctx, a.data(), a_last, b.data(), b_last, less.data()), less.data() + 2);
  EXPECT_TRUE(holds(less, std::vector{1, 2}, -7));
  EXPECT_EQ(set_symmetric_difference(place.ctx, a.data(), a_last, b.data(), b_last, less.data()), less.data() + 4);
  EXPECT_TRUE(holds(less, std::vector{1, 2, 3, 5}, -7));
}

template <class Set, class T, class Less, class Place>
void check_set_of(Place& place, const std::vector<T>& a, const std::vector<T>& b, T poison, const Less& less) {
  std::vector<T> expected;
  Set::expected(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), less);
  const index_t count = static_cast<index_t>(expected.size());
  auto x = place.put(a), y = place.put(b);
  const auto x_last = x.data() + a.size(), y_last = y.data() + b.size();
  auto out = place.room(count + slack, poison), again = place.room(count + slack, poison);
  EXPECT_EQ(Set::plain(place.ctx, x.data(), x_last, y.data(), y_last, out.data(), less), out.data() + count);
  EXPECT_TRUE(holds(out, expected, poison));
  auto counted = place.room(2, index_t{-7});
  Set::to(place.ctx, x.data(), x_last, y.data(), y_last, again.data(), counted.data(), less);
  EXPECT_TRUE(holds(again, expected, poison));
  EXPECT_TRUE(holds(counted, std::vector{count}, index_t{-7}));
  if constexpr (std::is_arithmetic_v<T>) {  // the order alone decides: a device's kernels for records say no more
    EXPECT_EQ(Set::count(place.ctx, x.data(), x_last, y.data(), y_last, less), count);
  }
}

// Values count the items of a from 0 and of b from 2 million: which copies are taken, of which side.
template <class Set, class T, class Less, class Place>
void check_set_by_key_of(Place& place, const std::vector<T>& a, const std::vector<T>& b, T poison, const Less& less) {
  using pair = std::pair<T, float>;
  const auto pairs = [](const std::vector<T>& keys, float value) {
    std::vector<pair> all;
    for (const T& key : keys) all.emplace_back(key, value++);
    return all;
  };
  const auto values_of = [](const std::vector<pair>& all) {
    std::vector<float> values;
    for (const pair& p : all) values.push_back(p.second);
    return values;
  };
  const auto a_pairs = pairs(a, 0), b_pairs = pairs(b, 2000000);
  std::vector<pair> expected;
  Set::expected(a_pairs.begin(), a_pairs.end(), b_pairs.begin(), b_pairs.end(), std::back_inserter(expected),
                [&](const pair& p, const pair& q) { return less(p.first, q.first); });
  std::vector<T> keys;
  for (const pair& p : expected) keys.push_back(p.first);
  const index_t count = static_cast<index_t>(keys.size());
  auto x = place.put(a), y = place.put(b);
  auto x_values = place.put(values_of(a_pairs)), y_values = place.put(values_of(b_pairs));
  auto keys_out = place.room(count + slack, poison);
  auto values_out = place.room(count + slack, -7.0f);
  const auto ends = Set::by_key(place.ctx, x.data(), x.data() + a.size(), x_values.data(), y.data(),
                                y.data() + b.size(), y_values.data(), keys_out.data(), values_out.data(), less);
  EXPECT_EQ(ends.first, keys_out.data() + count);
  EXPECT_EQ(ends.second, values_out.data() + count);
  EXPECT_TRUE(holds(keys_out, keys, poison));
  EXPECT_TRUE(holds(values_out, values_of(expected), -7.0f));
}

template <class Set, class Place>
void check_set(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(p));
      const auto [a, b] = sequences::sorted<std::int32_t>(p, n);
      check_set_of<Set>(place, a, b, std::int32_t{-7}, ops::less{});
      check_set_of<Set>(place, b, a, std::int32_t{-7}, ops::less{});
      check_set_of<Set>(place, sequences::records(a), sequences::records(b, 500000), sequences::poisoned_record,
                        sequences::by_major{});
      check_set_by_key_of<Set>(place, a, b, std::int32_t{-7}, ops::less{});
      check_set_by_key_of<Set>(place, sequences::records(a), sequences::records(b, 500000), sequences::poisoned_record,
                               sequences::by_major{});
    }
}

}  // namespace kleene
