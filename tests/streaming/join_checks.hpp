// Checks of the joins, wherever they run.
#pragma once

#include "kleene/streaming/join.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <algorithm>

namespace kleene {

inline constexpr join_kind all_joins[] = {join_kind::inner, join_kind::left, join_kind::right,
                                          join_kind::full,  join_kind::semi, join_kind::anti};

struct join_rows {
  std::vector<index_t> left, right;
  void add(index_t l, index_t r) {
    left.push_back(l);
    right.push_back(r);
  }
};

inline bool has_right_side(join_kind kind) { return kind != join_kind::semi && kind != join_kind::anti; }

// The rows, one by one, with the standard library's binary searches.
template <class T, class Less>
join_rows joined(join_kind kind, const std::vector<T>& a, const std::vector<T>& b, const Less& less) {
  join_rows rows;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const index_t left = static_cast<index_t>(i);
    const auto [first, last] = std::equal_range(b.begin(), b.end(), a[i], less);
    if (!has_right_side(kind)) {
      if ((first != last) == (kind == join_kind::semi)) rows.add(left, -7);
    } else if (first == last) {
      if (kind == join_kind::left || kind == join_kind::full) rows.add(left, -1);
    } else {
      for (auto match = first; match != last; ++match) rows.add(left, match - b.begin());
    }
  }
  if (kind == join_kind::right || kind == join_kind::full)
    for (std::size_t j = 0; j < b.size(); ++j)
      if (!std::binary_search(a.begin(), a.end(), b[j], less)) rows.add(-1, static_cast<index_t>(j));
  return rows;
}

// With positions of 32 bits, which the other checks do not have.
template <class Place>
void check_join_by_hand(Place& place) {
  auto a = place.put(std::vector<std::int32_t>{1, 3, 3, 8});
  auto b = place.put(std::vector<std::int32_t>{0, 3, 3, 9});
  const auto rows = [&](join_kind kind, std::vector<std::int32_t> lefts, std::vector<std::int32_t> rights) {
    auto left = place.room(12, -7), right = place.room(12, -7);
    EXPECT_EQ(join(place.ctx, kind, a.data(), a.data() + 4, b.data(), b.data() + 4, left.data(), right.data(), 12),
              static_cast<index_t>(lefts.size()));
    EXPECT_TRUE(holds(left, lefts, -7));
    EXPECT_TRUE(holds(right, rights, -7));
  };
  rows(join_kind::inner, {1, 1, 2, 2}, {1, 2, 1, 2});
  rows(join_kind::left, {0, 1, 1, 2, 2, 3}, {-1, 1, 2, 1, 2, -1});
  rows(join_kind::right, {1, 1, 2, 2, -1, -1}, {1, 2, 1, 2, 0, 3});
  rows(join_kind::full, {0, 1, 1, 2, 2, 3, -1, -1}, {-1, 1, 2, 1, 2, -1, 0, 3});
  rows(join_kind::semi, {1, 2}, {});
  rows(join_kind::anti, {0, 3}, {});
}

template <class Grain = tuned, class T, class Less, class Place>
void check_joins_of(Place& place, const std::vector<T>& a, const std::vector<T>& b, const Less& less) {
  auto x = place.put(a), y = place.put(b);
  const auto x_last = x.data() + a.size(), y_last = y.data() + b.size();
  for (join_kind kind : all_joins) {
    SCOPED_TRACE(static_cast<int>(kind));
    const join_rows expected = joined(kind, a, b, less);
    const index_t rows = static_cast<index_t>(expected.left.size());
    const bool both = has_right_side(kind);

    auto plan = plan_join<Grain>(place.ctx, kind, x.data(), x_last, y.data(), y_last, less);
    ASSERT_EQ(plan.rows(), rows);
    auto left = place.room(rows + slack, index_t{-7}), right = place.room(rows + slack, index_t{-7});
    plan.fill(left.data(), right.data());
    EXPECT_TRUE(holds(left, expected.left, index_t{-7}));
    EXPECT_TRUE(holds(right, expected.right, index_t{-7}));

    // Less room than rows; and the count left where the work runs.
    const index_t capacity = rows - rows / 3;
    auto some_left = place.room(capacity + slack, index_t{-7}), some_right = place.room(capacity + slack, index_t{-7});
    auto counted = place.room(2, index_t{-7});
    join_to<Grain>(place.ctx, kind, x.data(), x_last, y.data(), y_last, some_left.data(), some_right.data(), capacity,
                   counted.data(), less);
    const std::vector<index_t> first_left(expected.left.begin(), expected.left.begin() + capacity);
    const std::vector<index_t> first_right(expected.right.begin(), expected.right.begin() + (both ? capacity : 0));
    EXPECT_TRUE(holds(some_left, first_left, index_t{-7}));
    EXPECT_TRUE(holds(some_right, first_right, index_t{-7}));
    EXPECT_TRUE(holds(counted, std::vector{rows}, index_t{-7}));
  }
}

template <class Place>
void check_join(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      // Rows grow with the square; those of 20,481 items in runs are 0.9 million.
      if ((p == sequences::pairing::duplicates || p == sequences::pairing::equal) && n > 1100) continue;
      if (p == sequences::pairing::runs && n > 20481) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(p));
      const auto [a, b] = sequences::sorted<std::int32_t>(p, n);
      check_joins_of(place, a, b, ops::less{});
      if (n < 1100) check_joins_of(place, sequences::records(a), sequences::records(b), sequences::by_major{});
    }
}

// Runs of equal keys that may be longer than a worker's share of the items.
template <class Grain = tuned, class Place>
void check_join_of_runs(Place& place, sequences::pairing p, index_t n) {
  SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(p));
  const auto [a, b] = sequences::sorted<std::int32_t>(p, n);
  check_joins_of<Grain>(place, a, b, ops::less{});
  check_joins_of<Grain>(place, sequences::records(a), sequences::records(b), sequences::by_major{});
}

// More rows than 32 bits can count, of which few are wanted.
template <class Place>
void check_join_of_many_rows(Place& place) {
  const index_t n = 100003;
  auto x = place.put(std::vector<std::int32_t>(n, 5));
  auto left = place.room(4 + slack, index_t{-7}), right = place.room(4 + slack, index_t{-7});
  EXPECT_EQ(
      join(place.ctx, join_kind::full, x.data(), x.data() + n, x.data(), x.data() + n, left.data(), right.data(), 4),
      n * n);
  EXPECT_TRUE(holds(left, std::vector<index_t>{0, 0, 0, 0}, index_t{-7}));
  EXPECT_TRUE(holds(right, std::vector<index_t>{0, 1, 2, 3}, index_t{-7}));
}

}  // namespace kleene
