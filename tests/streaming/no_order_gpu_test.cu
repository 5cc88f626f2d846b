// Comparators that are no order, on a CUDA device: what comes out is not to be used, but every operation ends, says a
// number of items that the caller has room for, and writes nothing outside of it.
#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/search.cuh"
#include "kleene/streaming/cuda/sets.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "support/device_place.cuh"
#include "support/sample.hpp"

#include <algorithm>

namespace kleene {
namespace {

using item = std::int32_t;
constexpr item poison = -7;

// One type for all of them: every kernel is compiled once.
struct no_order {
  enum kind_type : int { less_or_equal, always, never, not_equal, descending, a_coin } kind;

  __host__ __device__ bool operator()(item a, item b) const {
    switch (kind) {
      case less_or_equal:
        return a <= b;
      case always:
        return true;
      case never:
        return false;
      case not_equal:
        return a != b;
      case descending:
        return b < a;  // of sequences that ascend
      default: {       // the same for the same two items, and nothing else
        std::uint32_t x = static_cast<std::uint32_t>(a) * 2654435761u ^ static_cast<std::uint32_t>(b) * 2246822519u;
        x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
        return x & 1;
      }
    }
  }
};

std::vector<item> ascending(index_t n) {
  std::vector<item> items;
  std::uint32_t state = 12345;
  for (index_t i = 0; i < n; ++i) items.push_back(static_cast<item>((state = state * 1664525 + 1013904223) >> 18));
  std::sort(items.begin(), items.end());
  return items;
}

// Room with poison in front and behind; intact() says whether that is all still there.
struct guarded {
  static constexpr index_t guard = 70000;
  index_t count;
  device_buffer<item> buffer;

  guarded(device_place& place, index_t n) : count(n), buffer(place.room(n + 2 * guard, poison)) {}
  item* data() { return buffer.data() + guard; }
  testing::AssertionResult intact() {
    const std::vector<item> all = buffer.take();
    const auto end = static_cast<index_t>(all.size());
    for (index_t i = 0; i < end; ++i)
      if ((i < guard || i >= guard + count) && all[i] != poison)
        return testing::AssertionFailure() << "item " << i - guard << " of " << count << " was written";
    return testing::AssertionSuccess();
  }
};

void check_sets(device_place& place, index_t a_count, index_t b_count, const no_order& less) {
  const std::vector<item> values(static_cast<std::size_t>(a_count + b_count), 1);
  auto a = place.put(ascending(a_count));
  auto b = place.put(ascending(b_count));
  auto moved = place.put(values);
  const auto check = [&](index_t room, const auto& plain, const auto& count, const auto& by_key) {
    guarded out(place, room), keys(place, room), carried(place, room);
    item *const x = a.data(), *const y = b.data();
    const index_t found = plain(x, x + a_count, y, y + b_count, out.data()) - out.data();
    EXPECT_GE(found, 0);
    EXPECT_LE(found, room);
    EXPECT_TRUE(out.intact());
    EXPECT_LE(count(x, x + a_count, y, y + b_count), room);
    const auto ends =
        by_key(x, x + a_count, moved.data(), y, y + b_count, moved.data() + a_count, keys.data(), carried.data());
    EXPECT_LE(ends.first - keys.data(), room);
    EXPECT_TRUE(keys.intact());
    EXPECT_TRUE(carried.intact());
  };
  const context& ctx = place.ctx;
  check(
      std::min(a_count, b_count), [&](auto... p) { return set_intersection(ctx, p..., less); },
      [&](auto... p) { return set_intersection_count(ctx, p..., less); },
      [&](auto... p) { return set_intersection_by_key(ctx, p..., less); });
  check(
      a_count + b_count, [&](auto... p) { return set_union(ctx, p..., less); },
      [&](auto... p) { return set_union_count(ctx, p..., less); },
      [&](auto... p) { return set_union_by_key(ctx, p..., less); });
  check(
      a_count, [&](auto... p) { return set_difference(ctx, p..., less); },
      [&](auto... p) { return set_difference_count(ctx, p..., less); },
      [&](auto... p) { return set_difference_by_key(ctx, p..., less); });
  check(
      a_count + b_count, [&](auto... p) { return set_symmetric_difference(ctx, p..., less); },
      [&](auto... p) { return set_symmetric_difference_count(ctx, p..., less); },
      [&](auto... p) { return set_symmetric_difference_by_key(ctx, p..., less); });
}

void check_merges(device_place& place, index_t a_count, index_t b_count, const no_order& less) {
  const index_t all = a_count + b_count;
  auto a = place.put(ascending(a_count));
  auto b = place.put(ascending(b_count));
  item *const x = a.data(), *const y = b.data();
  guarded out(place, all), keys(place, all), values(place, all), lower(place, a_count), upper(place, b_count);
  merge(place.ctx, x, x + a_count, y, y + b_count, out.data(), less);
  EXPECT_TRUE(out.intact());
  merge_by_key(place.ctx, x, x + a_count, x, y, y + b_count, y, keys.data(), values.data(), less);
  EXPECT_TRUE(keys.intact());
  EXPECT_TRUE(values.intact());
  lower_bound(place.ctx, x, x + a_count, y, y + b_count, lower.data(), less);
  EXPECT_TRUE(lower.intact());
  upper_bound(place.ctx, y, y + b_count, x, x + a_count, upper.data(), less);
  EXPECT_TRUE(upper.intact());
  merge_sort(place.ctx, out.data(), out.data() + all, less);
  EXPECT_TRUE(out.intact());
  merge_sort_by_key(place.ctx, keys.data(), keys.data() + all, values.data(), less);
  EXPECT_TRUE(keys.intact());
  EXPECT_TRUE(values.intact());
  auto offsets =
      place.put(std::vector<item>{0, static_cast<item>(all / 3), static_cast<item>(all / 2), static_cast<item>(all)});
  segmented_sort_by_key(place.ctx, keys.data(), keys.data() + all, values.data(), offsets.data(), 3, less);
  EXPECT_TRUE(keys.intact());
  EXPECT_TRUE(values.intact());
}

// Nor are offsets believed that do not ascend, or point outside.
TEST(no_order_on_cuda, segmented_sort_with_any_offsets) {
  on_device_place([](auto& place) {
    for (const index_t n : {33, 20000, 300000}) {
      const item end = static_cast<item>(n);
      for (const auto& at :
           {std::vector<item>{end / 2, 0, end + 70, -5}, {-9, end, end, 2 * end}, {end, end / 2, 3, 0}}) {
        if (!test::sampled()) continue;
        guarded keys(place, n);
        auto offsets = place.put(at);
        segmented_sort(place.ctx, keys.data(), keys.data() + n, offsets.data(), 3, no_order{no_order::descending});
        EXPECT_TRUE(keys.intact());
      }
    }
  });
}

void check_joins(device_place& place, index_t a_count, index_t b_count, const no_order& less) {
  auto a = place.put(ascending(a_count));
  auto b = place.put(ascending(b_count));
  for (const join_kind kind :
       {join_kind::inner, join_kind::left, join_kind::right, join_kind::full, join_kind::semi, join_kind::anti}) {
    constexpr index_t capacity = 100000;
    guarded left(place, capacity), right(place, capacity);
    const index_t rows = join(place.ctx, kind, a.data(), a.data() + a_count, b.data(), b.data() + b_count, left.data(),
                              right.data(), capacity, less);
    EXPECT_GE(rows, 0);
    EXPECT_LE(rows, a_count * b_count + a_count + b_count);
    EXPECT_TRUE(left.intact());
    EXPECT_TRUE(right.intact());
    // All rows that it says there are, and no more.
    const auto plan = [&] {
      return plan_join(place.ctx, kind, a.data(), a.data() + a_count, b.data(), b.data() + b_count, less);
    };
    auto planned = plan();
    if (planned.rows() > 4 * capacity) continue;
    guarded all_left(place, planned.rows()), all_right(place, planned.rows());
    planned.fill(all_left.data(), all_right.data());
    EXPECT_TRUE(all_left.intact());
    EXPECT_TRUE(all_right.intact());
  }
}

template <class Check>
void with_each_comparator(const Check& check) {
  on_device_place([&](auto& place) {
    for (const auto& [a, b] : {std::pair<index_t, index_t>{20000, 20000}, {300000, 1000}, {500, 200001}, {33, 7}})
      for (int kind = no_order::less_or_equal; kind <= no_order::a_coin; ++kind) {
        if (!test::sampled()) continue;
        SCOPED_TRACE(testing::Message() << a << " and " << b << " items, comparator " << kind);
        check(place, a, b, no_order{static_cast<no_order::kind_type>(kind)});
      }
  });
}

TEST(no_order_on_cuda, set_operations_end) { with_each_comparator(check_sets); }
TEST(no_order_on_cuda, merges_searches_and_sorts_end) { with_each_comparator(check_merges); }
TEST(no_order_on_cuda, joins_end) { with_each_comparator(check_joins); }

}  // namespace
}  // namespace kleene
