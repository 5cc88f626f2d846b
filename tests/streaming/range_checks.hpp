// Ranges that end before they begin, and negative numbers of segments, items and rows: refused by every family,
// wherever it runs, and nothing is written.
#pragma once

#include "kleene/streaming/join.hpp"
#include "kleene/streaming/load_balance.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/sort.hpp"
#include "support/place.hpp"

#include <string>

namespace kleene {

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const argument_error& refused) {
    return refused.what();
  } catch (const std::exception& other) {
    return std::string("another exception: ") + other.what();
  }
  return "accepted";
}

template <class Place>
void check_ranges(Place& place) {
  const std::vector<std::int32_t> items = {3, 1, 4, 1, 5};
  auto x = place.put(items), y = place.put(items), out = place.room(12, -7);
  auto offsets = place.put(std::vector<std::int32_t>{0, 2, 5});
  const auto& ctx = place.ctx;
  auto *const a = x.data(), *const z = x.data() + 5, *const b = y.data(), *const o = out.data(),
              *const f = offsets.data();

  const std::string reversed = "a range ends 5 items before it begins";
  EXPECT_EQ(refusal_of([&] { (void)reduce(ctx, z, a, 0); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)ordered_reduce(ctx, z, a, 0, ops::plus{}); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)arg_min(ctx, z, a); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)reduce_by_key(ctx, z, a, b, o, o, ops::plus{}); }), reversed);
  EXPECT_EQ(refusal_of([&] { inclusive_scan(ctx, z, a, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { exclusive_scan(ctx, z, a, o, 0); }), reversed);
  EXPECT_EQ(refusal_of([&] { inclusive_scan_by_key(ctx, z, a, b, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { merge(ctx, z, a, b, b + 5, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { merge(ctx, b, b + 5, z, a, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { merge_smallest(ctx, a, z, b, b + 5, -2, o); }), "-2 items asked for");
  EXPECT_EQ(refusal_of([&] { merge_sort(ctx, z, a); }), reversed);
  EXPECT_EQ(refusal_of([&] { merge_sort_by_key(ctx, z, a, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { radix_sort(ctx, z, a); }), reversed);
  EXPECT_EQ(refusal_of([&] { segmented_sort(ctx, z, a, f, 2); }), reversed);
  EXPECT_EQ(refusal_of([&] { segmented_sort(ctx, a, z, f, -2); }), "-2 segments");
  EXPECT_EQ(refusal_of([&] { lower_bound(ctx, z, a, b, b + 5, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { upper_bound(ctx, b, b + 5, z, a, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { set_union(ctx, z, a, b, b + 5, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)set_difference_count(ctx, b, b + 5, z, a); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)join(ctx, join_kind::inner, z, a, b, b + 5, o, o, 12); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)join(ctx, join_kind::inner, a, z, b, b + 5, o, o, -5); }), "-5 rows of output");
  EXPECT_EQ(refusal_of([&] { segmented_reduce(ctx, a, z, f, -2, o, 0); }), "-2 segments");
  EXPECT_EQ(refusal_of([&] { segmented_inclusive_scan(ctx, z, a, f, 2, o); }), reversed);
  EXPECT_EQ(refusal_of([&] { segmented_inclusive_scan(ctx, a, a, f, -2, o); }), "-2 segments");
  EXPECT_EQ(refusal_of([&] { segmented_exclusive_scan(ctx, a, z, f, -2, o, 0); }), "-2 segments");
  EXPECT_EQ(refusal_of([&] { segmented_exclusive_scan(ctx, z, a, f, 2, o, 0); }), reversed);
  EXPECT_EQ(refusal_of([&] { (void)segmented_reduce_flags(ctx, z, a, b, o, 0); }), reversed);
  EXPECT_EQ(refusal_of([&] { load_balancing_search(ctx, 5, f, -2, o); }), "-2 segments");
  EXPECT_EQ(refusal_of([&] { load_balancing_search(ctx, -5, f, 2, o); }), "-5 items");

  EXPECT_TRUE(holds(out, std::vector<std::int32_t>{}, -7));
  EXPECT_TRUE(holds(x, items, -7));
}

}  // namespace kleene
