// Checks of more items than 32 bits count, wherever they are worked on. What takes a host minutes is asked of devices
// alone (thorough).
#pragma once

#include "kleene/streaming/join.hpp"
#include "kleene/streaming/load_balance.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"
#include "kleene/streaming/sets.hpp"
#include "streaming/large.hpp"

namespace kleene {

// Neighbouring numbers, and what is left when others than neighbours are put together.
struct stretch {
  index_t first, last;
  friend bool operator==(const stretch&, const stretch&) = default;
};
struct stretch_of_one {
  KLEENE_FUNCTION stretch operator()(index_t i) const { return {i, i}; }
};
struct adjoin {
  KLEENE_FUNCTION stretch operator()(const stretch& a, const stretch& b) const {
    return a.last + 1 == b.first ? stretch{a.first, b.last} : stretch{-9, -9};
  }
};

struct odd {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return 2 * i + 1; }
};
// The number `at` is below all others, or above them, which are alike.
struct one_below {
  index_t at;
  KLEENE_FUNCTION bool operator()(index_t a, index_t b) const { return a == at && b != at; }
};
struct one_above {
  index_t at;
  KLEENE_FUNCTION bool operator()(index_t a, index_t b) const { return a != at && b == at; }
};

template <class Place>
void check_large_reductions(Place& place) {
  const context& ctx = place.ctx;
  EXPECT_EQ(transform_reduce(ctx, numbers, numbers + many, index_t{7}, ops::plus{}, odd{}), many * many + 7);
  const generated<stretch_of_one> ones{};
  EXPECT_EQ(ordered_reduce<small_batches>(ctx, ones, ones + many, stretch{-1, -1}, adjoin{}), (stretch{-1, many - 1}));
  EXPECT_EQ(arg_min<small_batches>(ctx, numbers, numbers + many, one_below{two_to_31 + 3}), two_to_31 + 3);
  EXPECT_EQ(arg_max<small_batches>(ctx, numbers, numbers + many, one_above{two_to_31 + 3}), two_to_31 + 3);
}

// Runs of one item, so that there are as many; then a few long ones.
template <class Place>
void check_large_reduce_by_key(Place& place) {
  for (int shift : {0, 30}) {
    SCOPED_TRACE(shift);
    const patterned keys{{.shift = shift}};
    const index_t runs = ((many - 1) >> shift) + 1;
    witness keys_out(place), sums(place);
    EXPECT_EQ(reduce_by_key(place.ctx, keys, keys + many, numbers, keys_out.of(pattern{}), sums.of(sum_of_run{shift})),
              runs);
    EXPECT_TRUE(keys_out.saw(runs));
    EXPECT_TRUE(sums.saw(runs));
  }
}

template <class Place>
void check_large_scans(Place& place) {
  constexpr int whole = 40;  // one run
  witness inclusive(place), exclusive(place);
  inclusive_scan(place.ctx, numbers, numbers + many, inclusive.of(sum_in_run{whole, 0, 1}));
  EXPECT_TRUE(inclusive.saw(many));
  exclusive_scan(place.ctx, numbers, numbers + many, exclusive.of(sum_in_run{whole, 7, 0}), index_t{7});
  EXPECT_TRUE(exclusive.saw(many));
}

template <class Place>
void check_large_scans_by_key(Place& place) {
  const patterned keys{{.shift = 30}};
  witness inclusive(place), exclusive(place);
  inclusive_scan_by_key(place.ctx, keys, keys + many, numbers, inclusive.of(sum_in_run{30, 0, 1}));
  EXPECT_TRUE(inclusive.saw(many));
  exclusive_scan_by_key(place.ctx, keys, keys + many, numbers, exclusive.of(sum_in_run{30, 7, 0}), index_t{7});
  EXPECT_TRUE(exclusive.saw(many));
}

// Of keys that come from both sides by turns: a's values count up from 0, b's down from -1.
struct by_turns {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return i % 2 == 0 ? i / 2 : -1 - i / 2; }
};
inline constexpr patterned evens{{.scale = 2}}, odds{{.scale = 2, .start = 1}};

template <class Place>
void check_large_merge_by_key(Place& place) {
  constexpr index_t a_count = many / 2 + 1, b_count = many / 2;
  const patterned down{{.scale = -1, .start = -1}};
  witness keys(place), values(place);
  const auto ends = merge_by_key(place.ctx, evens, evens + a_count, numbers, odds, odds + b_count, down,
                                 keys.of(pattern{}), values.of(by_turns{}));
  EXPECT_EQ(ends.first.at, many);
  EXPECT_EQ(ends.second.at, many);
  EXPECT_TRUE(keys.saw(many));
  EXPECT_TRUE(values.saw(many));
}
template <class Place>
void check_large_merge_smallest(Place& place) {
  witness merged(place);
  EXPECT_EQ(merge_smallest(place.ctx, evens, evens + many, odds, odds + many, many, merged.of(pattern{})).at, many);
  EXPECT_TRUE(merged.saw(many));
}

template <class Place>
void check_large_bounds(Place& place) {
  auto needles = place.put(std::vector<index_t>{-3, 0, two_to_31 - 1, two_to_31, two_to_31 + 4, two_to_31 + 9});
  auto lower = place.room(6 + slack, index_t{-7}), upper = place.room(6 + slack, index_t{-7});
  lower_bound(place.ctx, needles.data(), needles.data() + 6, numbers, numbers + many, lower.data());
  EXPECT_TRUE(holds(lower, std::vector<index_t>{0, 0, two_to_31 - 1, two_to_31, two_to_31 + 4, many}, index_t{-7}));
  upper_bound(place.ctx, needles.data(), needles.data() + 6, numbers, numbers + many, upper.data());
  EXPECT_TRUE(holds(upper, std::vector<index_t>{0, 1, two_to_31, two_to_31 + 1, many, many}, index_t{-7}));
}

// Of all numbers and five, one in 2^29 from 5 on; the last is behind them.
struct is_one_of_five {
  KLEENE_FUNCTION constexpr bool operator()(index_t i) const { return (i - 5) % (index_t{1} << 29) == 0; }
};
template <class Place>
void check_large_sorted_search(Place& place) {
  constexpr int shift = 29;
  constexpr index_t step = index_t{1} << shift;
  const patterned five{{.scale = step, .start = 5}};
  witness a_lower(place), a_upper(place), a_found(place), b_lower(place), b_upper(place), b_found(place);
  sorted_search<small_tiles>(
      place.ctx, numbers, numbers + many, five, five + 5,
      search_outputs{a_lower.of(pattern{.shift = shift, .before = step - 6}),
                     a_upper.of(pattern{.shift = shift, .before = step - 5}),
                     b_lower.of(pattern{.scale = step, .start = 5, .limit = many}),
                     b_upper.of(pattern{.scale = step, .start = 6, .limit = many}), a_found.of(is_one_of_five{}),
                     b_found.of(pattern{.shift = 2, .scale = -1, .start = 1})});
  for (auto* of_a : {&a_lower, &a_upper, &a_found}) EXPECT_TRUE(of_a->saw(many));
  for (auto* of_b : {&b_lower, &b_upper, &b_found}) EXPECT_TRUE(of_b->saw(5));
}

// Whether items are told of the segments of starts_of(30), and of their ranks there.
template <class Notes>
struct look_at_call {
  unsigned long long* counts;
  KLEENE_FUNCTION void operator()(index_t item, index_t segment, index_t rank) const {
    const index_t run = item >> 30;
    Notes::take(segment == 2 * run + 1 && rank == item - (run << 30), item, counts);
  }
};
// Of each run r the numbers from 5 (2 r + 1) on, `lead` places further.
struct gathered {
  index_t lead;
  KLEENE_FUNCTION constexpr index_t operator()(index_t place) const {
    const index_t i = place - lead;
    return 5 * (2 * (i >> 30) + 1) + i % (index_t{1} << 30);
  }
};
template <class Place>
void check_large_transform_lbs(Place& place) {
  witness told(place);
  transform_lbs(place.ctx, many, patterned{starts_of(30)}, 6, look_at_call<notes<Place>>{told.counts()});
  EXPECT_TRUE(told.saw(many));
}
// Long segments; then as many as there are items, and as many empty ones.
template <class Place>
void check_large_load_balancing_search(Place& place, bool thorough) {
  for (int shift : {30, 0}) {
    if (shift == 0 && !thorough) break;
    const index_t segments = 2 * (((many - 1) >> shift) + 1);
    witness found(place);
    load_balancing_search(place.ctx, many, patterned{starts_of(shift)}, segments,
                          found.of(pattern{.shift = shift, .scale = 2, .start = 1}));
    EXPECT_TRUE(found.saw(many)) << segments;
  }
}
template <class Place>
void check_large_intervals(Place& place) {
  const context& ctx = place.ctx;
  const patterned starts{starts_of(30)}, values{{.scale = 3, .start = 1}}, from{{.scale = 5}};
  const patterned to{{.shift = 1, .scale = index_t{1} << 30, .start = 7}};
  witness expanded(place), collected(place), moved(place);
  EXPECT_EQ(interval_expand(ctx, many, starts, 6, values, expanded.of(pattern{.shift = 30, .scale = 6, .start = 4})).at,
            many);
  EXPECT_TRUE(expanded.saw(many));
  EXPECT_EQ(interval_gather(ctx, many, starts, 6, from, numbers, collected.of(gathered{0})).at, many);
  EXPECT_TRUE(collected.saw(many));
  interval_move(ctx, many, starts, 6, from, to, numbers, moved.of(gathered{7}));
  EXPECT_TRUE(moved.saw(many + 7, 7));
}

template <class Place>
void check_large_segmented_reduce(Place& place, bool thorough) {
  for (int shift : {30, 0}) {
    if (shift == 0 && !thorough) break;
    const patterned starts{starts_of(shift)};
    const index_t segments = 2 * (((many - 1) >> shift) + 1) + 2;  // the last two are empty
    witness sums(place);
    EXPECT_EQ(segmented_reduce(place.ctx, numbers, numbers + many, starts, segments,
                               sums.of(sum_of_segment{{shift, 1}, 1}), index_t{1})
                  .at,
              segments);
    EXPECT_TRUE(sums.saw(segments)) << segments;
  }
}

// 1 where a run of 2^shift starts.
struct starts_run {
  int shift;
  KLEENE_FUNCTION constexpr unsigned char operator()(index_t i) const { return i >> shift << shift == i; }
};
template <class Place>
void check_large_segmented_scans(Place& place) {
  const context& ctx = place.ctx;
  const patterned starts{starts_of(30)};
  const generated<starts_run> flags{{30}};
  const auto last = numbers + many;
  const sum_in_run with{30, 0, 1}, without{30, 7, 0};
  witness inclusive(place), exclusive(place), inclusive_flags(place), exclusive_flags(place);
  segmented_inclusive_scan(ctx, numbers, last, starts, 8, inclusive.of(with));
  EXPECT_TRUE(inclusive.saw(many));
  segmented_exclusive_scan(ctx, numbers, last, starts, 8, exclusive.of(without), index_t{7});
  EXPECT_TRUE(exclusive.saw(many));
  segmented_inclusive_scan_flags(ctx, numbers, last, flags, inclusive_flags.of(with));
  EXPECT_TRUE(inclusive_flags.saw(many));
  segmented_exclusive_scan_flags(ctx, numbers, last, flags, exclusive_flags.of(without), index_t{7});
  EXPECT_TRUE(exclusive_flags.saw(many));
  for (int shift : {0, 30}) {
    const generated<starts_run> heads{{shift}};
    const index_t runs = ((many - 1) >> shift) + 1;
    witness sums(place);
    EXPECT_EQ(segmented_reduce_flags(ctx, numbers, last, heads, sums.of(sum_of_run{shift, 1}), index_t{1}), runs);
    EXPECT_TRUE(sums.saw(runs));
  }
}

// Rows of items of a that have 2^shift matches: all of b, or each its own.
struct row_left {
  int shift;
  KLEENE_FUNCTION constexpr index_t operator()(index_t row) const { return row >> shift; }
};
struct row_right {
  int shift;
  KLEENE_FUNCTION constexpr index_t operator()(index_t row) const {
    return row - (shift > 0 ? row >> shift << shift : 0);
  }
};
template <class Place>
void check_large_joins(Place& place, bool thorough) {
  const auto check = [&](join_kind kind, const patterned& keys, index_t a_count, index_t b_count, int shift) {
    const index_t rows = a_count << shift;
    witness left(place), right(place);
    EXPECT_EQ(join<small_tiles>(place.ctx, kind, keys, keys + a_count, keys, keys + b_count, left.of(row_left{shift}),
                                right.of(row_right{shift}), rows),
              rows);
    EXPECT_TRUE(left.saw(rows));
    EXPECT_TRUE(right.saw(rows));
  };
  check(join_kind::inner, patterned{{.scale = 0}}, (1 << 16) + 1, 1 << 15, 15);  // all alike
  if (!thorough) return;                                                         // hosts have no memory for more items
  check(join_kind::inner, patterned{}, many, many, 0);
  check(join_kind::full, patterned{}, many, many, 0);
}

// The numbers below 6 in a set of multiples of 2 or 3, again and again: digits of 4 bits.
struct cycle {
  index_t count;
  unsigned digits;
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const {
    return 6 * (i / count) + ((digits >> 4 * static_cast<unsigned>(i % count)) & 15);
  }
};
template <class Place>
void check_large_sets(Place& place) {
  constexpr index_t sixes = (many + 2) / 3, a_count = 3 * sixes, b_count = 2 * sixes;
  static_assert(a_count >= many);
  const patterned twos{{.scale = 2}}, threes{{.scale = 3}};
  const auto check = [&](const cycle& expected, const auto& operation) {
    witness result(place);
    EXPECT_EQ(operation(twos + a_count, threes + b_count, result.of(expected)).at, expected.count * sixes);
    EXPECT_TRUE(result.saw(expected.count * sixes));
  };
  check({1, 0x0}, [&](auto a_last, auto b_last, auto out) {
    return set_intersection<small_tiles>(place.ctx, twos, a_last, threes, b_last, out);
  });
  check({4, 0x4320}, [&](auto a_last, auto b_last, auto out) {
    return set_union<small_tiles>(place.ctx, twos, a_last, threes, b_last, out);
  });
  check({2, 0x42}, [&](auto a_last, auto b_last, auto out) {
    return set_difference<small_tiles>(place.ctx, twos, a_last, threes, b_last, out);
  });
  check({3, 0x432}, [&](auto a_last, auto b_last, auto out) {
    return set_symmetric_difference<small_tiles>(place.ctx, twos, a_last, threes, b_last, out);
  });
}

}  // namespace kleene
