// Checks of segmented reductions and scans, wherever they run.
#pragma once

#include "kleene/streaming/segments.hpp"
#include "streaming/large.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

namespace kleene {

// Shifts of x by a number; devices need no kernels of their own for it.
inline std::vector<sequences::affine> shifts(const std::vector<std::uint32_t>& by) {
  std::vector<sequences::affine> maps;
  for (std::uint32_t x : by) maps.push_back({1, x});
  return maps;
}

template <class Place>
void check_segments_by_hand(Place& place) {
  using sequences::affine;
  const affine init{1, 100}, poison{7, 7};
  const sequences::then op;
  auto x = place.put(shifts({3, 1, 4, 1, 5}));
  auto at = place.put(std::vector<std::int32_t>{0, 2, 2, 5});
  auto long_at = place.put(std::vector<std::int64_t>{0, 2, 2, 5});
  auto out = place.room(7, poison);
  const auto last = x.data() + 5;
  EXPECT_EQ(segmented_reduce(place.ctx, x.data(), last, at.data(), 3, out.data(), init, op), out.data() + 3);
  EXPECT_TRUE(holds(out, shifts({104, 100, 110}), poison));
  segmented_inclusive_scan(place.ctx, x.data(), last, long_at.data(), 3, out.data(), op);
  EXPECT_TRUE(holds(out, shifts({3, 4, 4, 5, 10}), poison));
  segmented_exclusive_scan(place.ctx, x.data(), last, at.data(), 3, out.data(), init, op);
  EXPECT_TRUE(holds(out, shifts({100, 103, 100, 104, 105}), poison));

  auto put_flags = place.put(std::vector<std::uint8_t>{0, 0, 1, 0, 1});
  const std::uint8_t* const flags = put_flags.data();
  auto sums = place.room(7, poison);
  EXPECT_EQ(segmented_reduce_flags(place.ctx, x.data(), last, flags, sums.data(), init, op), 3);
  EXPECT_TRUE(holds(sums, shifts({104, 105, 105}), poison));
  segmented_inclusive_scan_flags(place.ctx, x.data(), last, flags, out.data(), op);
  EXPECT_TRUE(holds(out, shifts({3, 4, 4, 5, 5}), poison));
  segmented_exclusive_scan_flags(place.ctx, x.data(), last, flags, out.data(), init, op);
  EXPECT_TRUE(holds(out, shifts({100, 103, 100, 104, 100}), poison));
}

// What each segment must give under an operator that does not commute.
struct segment_truth {
  std::vector<sequences::affine> sums, inclusive, exclusive;
  std::vector<std::uint8_t> flags;                // 1 where a segment starts
  std::vector<sequences::affine> sums_not_empty;  // of the segments that flags can tell of

  segment_truth(const std::vector<std::int32_t>& at, const std::vector<sequences::affine>& items,
                const sequences::affine& init)
      : inclusive(items.size()), exclusive(items.size()), flags(items.size()) {
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      sequences::affine sum = init;
      for (auto i = static_cast<std::size_t>(at[s]); i < static_cast<std::size_t>(at[s + 1]); ++i) {
        const bool first = i == static_cast<std::size_t>(at[s]);
        flags[i] = first;
        inclusive[i] = first ? items[i] : sequences::then{}(inclusive[i - 1], items[i]);
        exclusive[i] = sum;
        sum = sequences::then{}(sum, items[i]);
      }
      sums.push_back(sum);
      if (at[s] < at[s + 1]) sums_not_empty.push_back(sum);
    }
  }
};

template <class Place>
void check_segments_of(Place& place, const sequences::segment_case& c) {
  using sequences::affine;
  const affine init{3, 4}, poison{7, 7};
  const sequences::then op;
  for (auto s : sequences::all_segmentations) {
    if (!test::sampled()) continue;
    SCOPED_TRACE(testing::Message() << c.segments << " " << c.count << " " << sequences::to_string(s));
    const auto at = sequences::offsets<std::int32_t>(s, c.segments, c.count);
    const auto items = sequences::affine_maps(c.count);
    const segment_truth truth(at, items, init);
    auto x = place.put(items);
    const auto last = x.data() + c.count;
    auto offsets = place.put(at);
    auto long_offsets = place.put(std::vector<std::int64_t>(at.begin(), at.end()));
    auto put_flags = place.put(truth.flags);
    const std::uint8_t* const flags = put_flags.data();

    auto sums = place.room(c.segments + slack, poison);
    EXPECT_EQ(segmented_reduce(place.ctx, x.data(), last, offsets.data(), c.segments, sums.data(), init, op),
              sums.data() + c.segments);
    EXPECT_TRUE(holds(sums, truth.sums, poison));
    auto flag_sums = place.room(c.segments + slack, poison), again = place.room(c.segments + slack, poison);
    const index_t count = static_cast<index_t>(truth.sums_not_empty.size());
    EXPECT_EQ(segmented_reduce_flags(place.ctx, x.data(), last, flags, flag_sums.data(), init, op), count);
    EXPECT_TRUE(holds(flag_sums, truth.sums_not_empty, poison));
    auto counted = place.room(2, index_t{-7});
    segmented_reduce_flags_to(place.ctx, x.data(), last, flags, again.data(), counted.data(), init, op);
    EXPECT_TRUE(holds(again, truth.sums_not_empty, poison));
    EXPECT_TRUE(holds(counted, std::vector{count}, index_t{-7}));

    auto out = place.room(c.count + slack, poison);
    EXPECT_EQ(segmented_inclusive_scan(place.ctx, x.data(), last, long_offsets.data(), c.segments, out.data(), op),
              out.data() + c.count);
    EXPECT_TRUE(holds(out, truth.inclusive, poison));
    segmented_exclusive_scan(place.ctx, x.data(), last, offsets.data(), c.segments, out.data(), init, op);
    EXPECT_TRUE(holds(out, truth.exclusive, poison));
    auto by_flags = place.room(c.count + slack, poison);
    EXPECT_EQ(segmented_inclusive_scan_flags(place.ctx, x.data(), last, flags, by_flags.data(), op),
              by_flags.data() + c.count);
    EXPECT_TRUE(holds(by_flags, truth.inclusive, poison));
    EXPECT_EQ(segmented_exclusive_scan_flags(place.ctx, x.data(), last, flags, by_flags.data(), init, op),
              by_flags.data() + c.count);
    EXPECT_TRUE(holds(by_flags, truth.exclusive, poison));

    const auto in_place = [&](const std::vector<affine>& expected, const auto& scan) {
      auto y = place.put(items);
      scan(y.data(), y.data() + c.count);
      EXPECT_TRUE(holds(y, expected));
    };
    in_place(truth.inclusive, [&](affine* y, affine* y_last) {
      segmented_inclusive_scan(place.ctx, y, y_last, long_offsets.data(), c.segments, y, op);
    });
    in_place(truth.exclusive, [&](affine* y, affine* y_last) {
      segmented_exclusive_scan(place.ctx, y, y_last, offsets.data(), c.segments, y, init, op);
    });
    in_place(truth.inclusive,
             [&](affine* y, affine* y_last) { segmented_inclusive_scan_flags(place.ctx, y, y_last, flags, y, op); });
    in_place(truth.exclusive, [&](affine* y, affine* y_last) {
      segmented_exclusive_scan_flags(place.ctx, y, y_last, flags, y, init, op);
    });
  }
}

template <class Place>
void check_segments(Place& place) {
  for (const auto& c : sequences::segment_cases()) check_segments_of(place, c);
}

// No segments, and segments that are all empty.
template <class Place>
void check_segments_without_items(Place& place) {
  using sequences::affine;
  const affine init{3, 4}, poison{7, 7};
  const sequences::then op;
  for (index_t segments : {0, 1, 70001}) {
    SCOPED_TRACE(segments);
    auto x = place.room(slack, poison), out = place.room(slack, poison), sums = place.room(segments + slack, poison);
    auto at = place.room(segments + 1, std::int32_t{0});
    auto long_at = place.room(segments + 1, std::int64_t{0});
    auto put_flags = place.room(slack, std::uint8_t{1});
    const std::uint8_t* const flags = put_flags.data();
    EXPECT_EQ(segmented_reduce(place.ctx, x.data(), x.data(), at.data(), segments, sums.data(), init, op),
              sums.data() + segments);
    EXPECT_TRUE(holds(sums, std::vector(static_cast<std::size_t>(segments), init), poison));
    EXPECT_EQ(segmented_inclusive_scan(place.ctx, x.data(), x.data(), long_at.data(), segments, out.data(), op),
              out.data());
    EXPECT_EQ(segmented_exclusive_scan(place.ctx, x.data(), x.data(), at.data(), segments, out.data(), init, op),
              out.data());
    EXPECT_EQ(segmented_inclusive_scan_flags(place.ctx, x.data(), x.data(), flags, out.data(), op), out.data());
    EXPECT_EQ(segmented_exclusive_scan_flags(place.ctx, x.data(), x.data(), flags, out.data(), init, op), out.data());
    EXPECT_EQ(segmented_reduce_flags(place.ctx, x.data(), x.data(), flags, out.data(), init, op), 0);
    auto counted = place.room(2, index_t{-7});
    segmented_reduce_flags_to(place.ctx, x.data(), x.data(), flags, out.data(), counted.data(), init, op);
    EXPECT_TRUE(holds(counted, std::vector{index_t{0}}, index_t{-7}));
    EXPECT_TRUE(holds(out, {}, poison));
  }
}

// Items of T, sums of U, and offsets of 64 bits.
template <class T, class U, class Place>
void check_segments_of(Place& place, index_t segments) {
  const index_t n = 50000;
  std::vector<T> items;
  for (const auto key : sequences::keys<std::uint8_t>(sequences::shape::random, n)) items.push_back(key);
  const auto at = sequences::offsets<std::int64_t>(sequences::segmentation::random, segments, n);
  std::vector<U> expected(static_cast<std::size_t>(segments), U(0.5));
  for (std::size_t s = 0; s < expected.size(); ++s)
    for (auto i = at[s]; i < at[s + 1]; ++i) expected[s] += items[static_cast<std::size_t>(i)];
  auto x = place.put(items);
  auto offsets = place.put(at);
  auto sums = place.room(segments + slack, U(-7));
  segmented_reduce(place.ctx, x.data(), x.data() + n, offsets.data(), segments, sums.data(), U(0.5));
  EXPECT_TRUE(holds(sums, expected, U(-7)));
}

// Sums in a wider type than the items'.
template <class Place>
void check_segments_of_bytes(Place& place) {
  check_segments_of<std::uint8_t, double>(place, 100);
}

// Offsets of more bytes than the items: a tile's shared memory holds either.
template <class Place>
void check_segments_of_long_offsets(Place& place) {
  check_segments_of<float, float>(place, 40000);
}

// Items that are computed when they are asked for.
struct affine_at {
  KLEENE_FUNCTION sequences::affine operator()(index_t i) const {
    const auto x = static_cast<std::uint32_t>(i);
    return {x * 2654435761u | 1, x * 40503u + 7};
  }
};
struct tropical_at {
  KLEENE_FUNCTION sequences::tropical_matrix operator()(index_t i) const {
    const auto x = static_cast<std::int32_t>(i % 9973);
    return {{x * 7 % 100, x * 13 % 97, x * 29 % 89, x * 31 % 83}};
  }
};
template <class Grain, class Offset, class F, class Op, class Place>
void check_segments_of_computed(Place& place, const Op& op) {
  using T = decltype(F{}(index_t{}));
  const T init = F{}(77), poison = F{}(78);
  auto cases = sequences::segment_cases();
  cases.push_back({25, 256000});
  for (const auto& c : cases)
    for (auto s : sequences::all_segmentations) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << c.segments << " " << c.count << " " << sequences::to_string(s));
      const auto at = sequences::offsets<Offset>(s, c.segments, c.count);
      std::vector<T> expected;
      for (std::size_t r = 0; r + 1 < at.size(); ++r) {
        T sum = init;
        for (auto i = static_cast<index_t>(at[r]); i < static_cast<index_t>(at[r + 1]); ++i) sum = op(sum, F{}(i));
        expected.push_back(sum);
      }
      auto offsets = place.put(at);
      auto sums = place.room(c.segments + slack, poison);
      const generated<F> items{F{}};
      segmented_reduce<Grain>(place.ctx, items, items + c.count, offsets.data(), c.segments, sums.data(), init, op);
      EXPECT_TRUE(holds(sums, expected, poison));
    }
}

}  // namespace kleene
