// Checks of the sorted searches, wherever they run.
#pragma once

#include "kleene/streaming/search.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <algorithm>

namespace kleene {

template <class Place>
void check_search_by_hand(Place& place) {
  auto a = place.put(std::vector<std::int32_t>{1, 3, 3, 8});
  auto b = place.put(std::vector<std::int32_t>{0, 3, 9});
  auto out = place.room(5, index_t{-7});
  lower_bound(place.ctx, a.data(), a.data() + 4, b.data(), b.data() + 3, out.data());
  EXPECT_TRUE(holds(out, std::vector<index_t>{1, 1, 1, 2}, index_t{-7}));
  upper_bound(place.ctx, a.data(), a.data() + 4, b.data(), b.data() + 3, out.data());
  EXPECT_TRUE(holds(out, std::vector<index_t>{1, 2, 2, 2}, index_t{-7}));
  auto b_upper = place.room(4, std::int32_t{-7});
  auto a_found = place.room(5, char{7}), b_found = place.room(4, char{7});
  sorted_search(place.ctx, a.data(), a.data() + 4, b.data(), b.data() + 3,
                search_outputs{no_output{}, no_output{}, no_output{}, b_upper.data(), a_found.data(), b_found.data()});
  EXPECT_TRUE(holds(b_upper, std::vector{0, 3, 4}, -7));
  EXPECT_TRUE(holds(a_found, std::vector<char>{0, 1, 1, 0}, char{7}));
  EXPECT_TRUE(holds(b_found, std::vector<char>{0, 1, 0}, char{7}));
}

// Where each needle belongs, by the standard library.
template <class T, class Less>
std::vector<index_t> positions(const std::vector<T>& needles, const std::vector<T>& hay, bool upper, const Less& less) {
  std::vector<index_t> at;
  for (const T& needle : needles)
    at.push_back((upper ? std::upper_bound(hay.begin(), hay.end(), needle, less)
                        : std::lower_bound(hay.begin(), hay.end(), needle, less)) -
                 hay.begin());
  return at;
}

inline std::vector<char> found(const std::vector<index_t>& lower, const std::vector<index_t>& upper) {
  std::vector<char> flags;
  for (std::size_t i = 0; i < lower.size(); ++i) flags.push_back(lower[i] < upper[i]);
  return flags;
}

template <class T, class Less, class Place>
void check_searches_of(Place& place, const std::vector<T>& a, const std::vector<T>& b, const Less& less) {
  const index_t poison = -7;
  const index_t a_count = static_cast<index_t>(a.size()), b_count = static_cast<index_t>(b.size());
  const auto a_lower = positions(a, b, false, less), a_upper = positions(a, b, true, less);
  const auto b_lower = positions(b, a, false, less), b_upper = positions(b, a, true, less);
  auto x = place.put(a), y = place.put(b);
  const auto x_last = x.data() + a_count, y_last = y.data() + b_count;

  auto lower = place.room(a_count + slack, poison), upper = place.room(a_count + slack, poison);
  lower_bound(place.ctx, x.data(), x_last, y.data(), y_last, lower.data(), less);
  upper_bound(place.ctx, x.data(), x_last, y.data(), y_last, upper.data(), less);
  EXPECT_TRUE(holds(lower, a_lower, poison));
  EXPECT_TRUE(holds(upper, a_upper, poison));

  auto al = place.room(a_count + slack, poison), au = place.room(a_count + slack, poison);
  auto bl = place.room(b_count + slack, poison), bu = place.room(b_count + slack, poison);
  auto af = place.room(a_count + slack, char{7}), bf = place.room(b_count + slack, char{7});
  sorted_search(place.ctx, x.data(), x_last, y.data(), y_last,
                search_outputs{al.data(), au.data(), bl.data(), bu.data(), af.data(), bf.data()}, less);
  EXPECT_TRUE(holds(al, a_lower, poison));
  EXPECT_TRUE(holds(au, a_upper, poison));
  EXPECT_TRUE(holds(bl, b_lower, poison));
  EXPECT_TRUE(holds(bu, b_upper, poison));
  EXPECT_TRUE(holds(af, found(a_lower, a_upper), char{7}));
  EXPECT_TRUE(holds(bf, found(b_lower, b_upper), char{7}));
}

template <class Place>
void check_search(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(p));
      const auto [a, b] = sequences::sorted<std::int32_t>(p, n);
      check_searches_of(place, a, b, ops::less{});
      check_searches_of(place, b, a, ops::less{});
      check_searches_of(place, sequences::records(a), sequences::records(b, 500000), sequences::by_major{});
    }
}

}  // namespace kleene
