// Checks of load balancing, wherever it runs.
#pragma once

#include "kleene/streaming/load_balance.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <algorithm>

namespace kleene {

// Writes down what it is called with.
struct note_call {
  index_t* segments;
  index_t* ranks;
  KLEENE_FUNCTION void operator()(index_t item, index_t segment, index_t rank) const {
    segments[item] = segment;
    ranks[item] = rank;
  }
};

template <class Place>
void check_load_balance_by_hand(Place& place) {
  // segments of 2, 0, 3, 0 items
  auto at = place.put(std::vector<std::int32_t>{0, 2, 2, 5});
  auto long_at = place.put(std::vector<std::int64_t>{0, 2, 2, 5});
  auto out = place.room(7, -7);
  load_balancing_search(place.ctx, 5, at.data(), 4, out.data());
  EXPECT_TRUE(holds(out, std::vector{0, 0, 2, 2, 2}, -7));
  auto values = place.put(std::vector<std::int32_t>{10, 20, 30, 40});
  EXPECT_EQ(interval_expand(place.ctx, 5, long_at.data(), 4, values.data(), out.data()), out.data() + 5);
  EXPECT_TRUE(holds(out, std::vector{10, 10, 30, 30, 30}, -7));
  auto from = place.put(std::vector<std::int32_t>{3, 0, 0, 9});
  auto input = place.put(std::vector<float>{100, 101, 102, 103, 104});
  auto gathered = place.room(7, -7.0f);
  EXPECT_EQ(interval_gather(place.ctx, 5, long_at.data(), 4, from.data(), input.data(), gathered.data()),
            gathered.data() + 5);
  EXPECT_TRUE(holds(gathered, std::vector<float>{103, 104, 100, 101, 102}, -7.0f));
  auto to = place.put(std::vector<std::int32_t>{4, 0, 1, 0});
  auto moved = place.room(7, -7.0f);
  interval_move(place.ctx, 5, long_at.data(), 4, from.data(), to.data(), input.data(), moved.data());
  EXPECT_TRUE(holds(moved, std::vector<float>{-7, 100, 101, 102, 103, 104}, -7.0f));
}

// No segments, and segments that are all empty: nothing is written.
template <class Place>
void check_load_balance_without_items(Place& place) {
  for (index_t segments : {0, 1, 70001}) {
    SCOPED_TRACE(segments);
    auto at = place.room(segments + 1, std::int32_t{0});
    auto long_at = place.room(segments + 1, std::int64_t{0});
    auto input = place.room(slack, -7.0f), floats = place.room(slack, -7.0f);
    auto ints = place.room(slack, -7);
    auto places = place.room(slack, index_t{-7});
    load_balancing_search(place.ctx, 0, at.data(), segments, places.data());
    transform_lbs(place.ctx, 0, at.data(), segments, note_call{places.data(), places.data()});
    EXPECT_EQ(interval_expand(place.ctx, 0, long_at.data(), segments, at.data(), ints.data()), ints.data());
    EXPECT_EQ(interval_gather(place.ctx, 0, long_at.data(), segments, at.data(), input.data(), floats.data()),
              floats.data());
    interval_move(place.ctx, 0, long_at.data(), segments, at.data(), at.data(), input.data(), floats.data());
    EXPECT_TRUE(holds(places, {}, index_t{-7}));
    EXPECT_TRUE(holds(ints, {}, -7));
    EXPECT_TRUE(holds(floats, {}, -7.0f));
  }
}

template <class Place>
void check_load_balance_of(Place& place, const sequences::segment_case& c) {
  for (auto s : sequences::all_segmentations) {
    if (!test::sampled()) continue;
    SCOPED_TRACE(testing::Message() << c.segments << " " << c.count << " " << sequences::to_string(s));
    const auto at = sequences::offsets<std::int32_t>(s, c.segments, c.count);
    const auto size = static_cast<std::size_t>(c.count);
    problems::generator g(9);
    // Intervals of the input begin anywhere; those of the output change places: the last one comes first.
    std::vector<std::int32_t> from, to;
    for (index_t q = 0; q < c.segments; ++q) {
      const auto next = static_cast<std::size_t>(q) + 1;
      from.push_back(static_cast<std::int32_t>(g.below(c.count - (at[next] - at[next - 1]) + 1)));
      to.push_back(static_cast<std::int32_t>(c.count - at[next]));
    }
    const auto input = sequences::keys<float>(sequences::shape::random, c.count);
    std::vector<index_t> segments(size), ranks(size);
    std::vector<std::int32_t> expanded(size);
    std::vector<float> gathered(size), moved(size);
    for (std::size_t q = 0; q < from.size(); ++q)
      for (std::int32_t i = at[q]; i < at[q + 1]; ++i) {
        const auto item = static_cast<std::size_t>(i), source = static_cast<std::size_t>(from[q] + i - at[q]);
        segments[item] = static_cast<index_t>(q);
        ranks[item] = i - at[q];
        expanded[item] = from[q];
        gathered[item] = input[source];
        moved[static_cast<std::size_t>(to[q] + i - at[q])] = input[source];
      }

    auto long_offsets = place.put(std::vector<std::int64_t>(at.begin(), at.end()));
    auto offsets = place.put(at), sources = place.put(from), targets = place.put(to);
    auto in = place.put(input);
    auto ids = place.room(c.count + slack, index_t{-7}), own_ids = place.room(c.count + slack, index_t{-7});
    auto own_ranks = place.room(c.count + slack, index_t{-7});
    load_balancing_search(place.ctx, c.count, offsets.data(), c.segments, ids.data());
    transform_lbs(place.ctx, c.count, offsets.data(), c.segments, note_call{own_ids.data(), own_ranks.data()});
    EXPECT_TRUE(holds(ids, segments, index_t{-7}));
    EXPECT_TRUE(holds(own_ids, segments, index_t{-7}));
    EXPECT_TRUE(holds(own_ranks, ranks, index_t{-7}));

    auto ints = place.room(c.count + slack, -7);
    EXPECT_EQ(interval_expand(place.ctx, c.count, long_offsets.data(), c.segments, sources.data(), ints.data()),
              ints.data() + c.count);
    EXPECT_TRUE(holds(ints, expanded, -7));
    auto floats = place.room(c.count + slack, -7.0f), elsewhere = place.room(c.count + slack, -7.0f);
    EXPECT_EQ(
        interval_gather(place.ctx, c.count, long_offsets.data(), c.segments, sources.data(), in.data(), floats.data()),
        floats.data() + c.count);
    EXPECT_TRUE(holds(floats, gathered, -7.0f));
    interval_move(place.ctx, c.count, long_offsets.data(), c.segments, sources.data(), targets.data(), in.data(),
                  elsewhere.data());
    EXPECT_TRUE(holds(elsewhere, moved, -7.0f));
  }
}

template <class Place>
void check_load_balance(Place& place) {
  for (const auto& c : sequences::segment_cases()) check_load_balance_of(place, c);
}

}  // namespace kleene
