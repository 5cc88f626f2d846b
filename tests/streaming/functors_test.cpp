// Comparators and operators that throw, and comparators that are no orders: every operation ends, touches nothing
// outside of its sequences, and its context works afterwards.
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
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace kleene {
namespace {

constexpr index_t a_count = 23000, b_count = 17000, total = a_count + b_count, segments = 100;
using items = std::vector<std::int32_t>;

// Few different items, so that there are long runs of equal ones. ascending: sorted.
items some_items(index_t n, bool ascending, std::uint32_t seed) {
  items x(static_cast<std::size_t>(n));
  for (auto& item : x) item = static_cast<std::int32_t>((seed = seed * 1664525u + 1013904223u) >> 25);
  if (ascending) std::sort(x.begin(), x.end());
  return x;
}

struct inputs {
  items a, b;
  std::vector<index_t> offsets;
  explicit inputs(bool ascending) : a(some_items(a_count, ascending, 1)), b(some_items(b_count, ascending, 2)) {
    for (index_t s = 0; s <= segments; ++s) offsets.push_back(a_count * s * s / (segments * segments));
  }
};

// A call of an operation on exactly as much room as it may use (so that ASan sees a step beyond), with `less`.
template <class Less>
struct comparing {
  std::string name;
  std::function<void(const context&, const inputs&, const Less&)> run;
};

template <class Less>
std::vector<comparing<Less>> all_comparing() {
  std::vector<comparing<Less>> all;
  const auto add = [&](std::string name, auto run) { all.push_back({std::move(name), run}); };
  add("merge_sort", [](auto& ctx, auto& in, auto& less) {
    items x = in.a;
    merge_sort(ctx, x.begin(), x.end(), less);
  });
  add("merge_sort_by_key", [](auto& ctx, auto& in, auto& less) {
    items x = in.a, values = in.a;
    merge_sort_by_key(ctx, x.begin(), x.end(), values.begin(), less);
  });
  add("segmented_sort", [](auto& ctx, auto& in, auto& less) {
    items x = in.a;
    segmented_sort(ctx, x.begin(), x.end(), in.offsets.begin(), segments, less);
  });
  add("merge", [](auto& ctx, auto& in, auto& less) {
    items out(total);
    merge(ctx, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), less);
  });
  add("merge_by_key", [](auto& ctx, auto& in, auto& less) {
    items out(total), values(total);
    merge_by_key(ctx, in.a.begin(), in.a.end(), in.a.begin(), in.b.begin(), in.b.end(), in.b.begin(), out.begin(),
                 values.begin(), less);
  });
  add("merge_smallest", [](auto& ctx, auto& in, auto& less) {
    items out(total / 2);
    merge_smallest(ctx, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), total / 2, out.begin(), less);
  });
  add("bounds", [](auto& ctx, auto& in, auto& less) {
    std::vector<index_t> out(a_count, -1);
    lower_bound(ctx, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), less);
    for (index_t at : out) ASSERT_TRUE(0 <= at && at <= b_count);
    std::fill(out.begin(), out.end(), -1);
    upper_bound(ctx, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), less);
    for (index_t at : out) ASSERT_TRUE(0 <= at && at <= b_count);
  });
  for (int kind = 0; kind < 6; ++kind)
    add("join " + std::to_string(kind), [kind](auto& ctx, auto& in, auto& less) {
      std::vector<index_t> left(1000), right(1000, -1);
      const index_t rows = join(ctx, static_cast<join_kind>(kind), in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                                left.begin(), right.begin(), 1000, less);
      EXPECT_GE(rows, 0);
      for (index_t r = 0; r < std::min<index_t>(rows, 1000); ++r)
        ASSERT_TRUE(left[static_cast<std::size_t>(r)] < a_count && right[static_cast<std::size_t>(r)] < b_count);
    });
  const auto add_sets = [&]<class Room>(std::string name, Room room, auto set) {
    add(name, [room, set](auto& ctx, auto& in, auto& less) {
      items out(static_cast<std::size_t>(room));
      const auto end = set(ctx, in, out.begin(), less);
      EXPECT_TRUE(out.begin() <= end && end <= out.end());
    });
  };
#define KLEENE_ADD_SET(name, room)                                                   \
  add_sets(#name, room, [](auto& ctx, auto& in, auto out, auto& less) {              \
    return name(ctx, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out, less); \
  })
  KLEENE_ADD_SET(set_intersection, b_count);
  KLEENE_ADD_SET(set_union, total);
  KLEENE_ADD_SET(set_difference, a_count);
  KLEENE_ADD_SET(set_symmetric_difference, total);
#undef KLEENE_ADD_SET
  add("set_union_by_key", [](auto& ctx, auto& in, auto& less) {
    items out(total), values(total);
    set_union_by_key(ctx, in.a.begin(), in.a.end(), in.a.begin(), in.b.begin(), in.b.end(), in.b.begin(), out.begin(),
                     values.begin(), less);
  });
  add("set_union_count", [](auto& ctx, auto& in, auto& less) {
    const index_t count = set_union_count(ctx, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), less);
    EXPECT_TRUE(0 <= count && count <= total);
  });
  add("arg_min", [](auto& ctx, auto& in, auto& less) {
    const index_t at = arg_min(ctx, in.a.begin(), in.a.end(), less);
    EXPECT_TRUE(0 <= at && at < a_count);
  });
  add("arg_max", [](auto& ctx, auto& in, auto& less) {
    const index_t at = arg_max(ctx, in.a.begin(), in.a.end(), less);
    EXPECT_TRUE(0 <= at && at < a_count);
  });
  return all;
}

// A comparator that is none: the same answer for the same items, or another one at every call.
struct no_order {
  int kind;
  bool operator()(std::int32_t x, std::int32_t y) const {
    static std::atomic<std::uint32_t> calls{0};
    switch (kind) {
      case 0:
        return true;
      case 1:
        return false;  // all are equivalent
      case 2:
        return x <= y;
      case 3:
        return (x * 7919 + y * 31) % 3 == 0;
      case 4:
        return (x - y) * (x - y) % 5 < 2;  // says the same of x, y and of y, x
      default:
        return (calls.fetch_add(1, std::memory_order_relaxed) * 2654435761u) >> 31;
    }
  }
};

TEST(functors, every_operation_ends_whatever_the_comparator_says) {
  ::alarm(240);  // against loops without an end
  for (const bool ascending : {true, false}) {
    const inputs in(ascending);
    for_each_host([&](host_place& place) {
      for (int kind = 0; kind < 6; ++kind)
        for (const auto& operation : all_comparing<no_order>()) {
          SCOPED_TRACE(testing::Message() << operation.name << ", comparator " << kind);
          operation.run(place.ctx, in, no_order{kind});
        }
    });
  }
  ::alarm(0);
}

// values is a permutation, and each key is the one that its value came with.
template <class K>
void expect_each_item_once(const std::vector<K>& before, const std::vector<K>& keys, const items& values) {
  std::vector<char> seen(before.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto from = static_cast<std::size_t>(values[i]);
    ASSERT_TRUE(from < before.size() && !seen[from]) << "item " << i << " is " << values[i];
    seen[from] = 1;
    ASSERT_EQ(std::memcmp(&keys[i], &before[from], sizeof(K)), 0) << "item " << i;
  }
}

template <class K, class Less>
void expect_all_kept(const context& ctx, const std::vector<K>& before, const Less& less) {
  items numbers(before.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<K> keys = before, merged(before.size());
  items values = numbers, merged_values(before.size());
  merge_sort_by_key(ctx, keys.begin(), keys.end(), values.begin(), less);
  expect_each_item_once(before, keys, values);
  std::vector<K> alone = before;
  merge_sort(ctx, alone.begin(), alone.end(), less);
  EXPECT_EQ(std::memcmp(alone.data(), keys.data(), keys.size() * sizeof(K)), 0);
  const auto middle = static_cast<std::ptrdiff_t>(before.size() / 3);
  merge_by_key(ctx, before.begin(), before.begin() + middle, numbers.begin(), before.begin() + middle, before.end(),
               numbers.begin() + middle, merged.begin(), merged_values.begin(), less);
  expect_each_item_once(before, merged, merged_values);
}

TEST(functors, sorts_and_merges_keep_items_that_have_no_order) {
  for_each_host([&](host_place& place) {
    for (const index_t n : {3, 8, 40, 3000, 70000, 300000}) {
      SCOPED_TRACE(n);
      std::vector<float> with_nan;
      items whole;
      for (index_t i = 0; i < n; ++i) {
        const auto x = static_cast<std::int32_t>(splitmix64_output(static_cast<std::uint64_t>(i)) % 1000);
        whole.push_back(x);
        with_nan.push_back(i % 7 == 1 ? std::nanf("") : static_cast<float>(x));
      }
      expect_all_kept(place.ctx, with_nan, ops::less{});
      for (int kind = 0; kind < 5; ++kind) expect_all_kept(place.ctx, whole, no_order{kind});
    }
  });
}

// Throws at the n-th call of all threads together.
struct thrown_at_last {};
struct countdown {
  std::atomic<index_t>* left;
  void count() const {
    if (left->fetch_sub(1, std::memory_order_relaxed) == 1) throw thrown_at_last();
  }
};
struct throwing_less : countdown {
  bool operator()(std::int32_t x, std::int32_t y) const { return count(), x < y; }
};
struct throwing_plus : countdown {
  std::int32_t operator()(std::int32_t x, std::int32_t y) const { return count(), x ^ y; }
};
struct throwing_equal : countdown {
  bool operator()(std::int32_t x, std::int32_t y) const { return count(), x == y; }
};
struct throwing_map : countdown {
  std::int32_t operator()(std::int32_t x) const { return count(), x; }
};

// Lets the functor throw at calls early and late until the operation gets by with fewer; then the context must still
// work.
void throw_at_each(const std::string& name, const std::function<void(const context&, std::atomic<index_t>&)>& run) {
  for_each_host([&](host_place& place) {
    SCOPED_TRACE(name);
    int thrown = 0;
    for (index_t n = 1;; n = 3 * n + 1) {
      std::atomic<index_t> left{n};
      try {
        run(place.ctx, left);
      } catch (const thrown_at_last&) {
        ++thrown;
      }
      items x = some_items(a_count, false, 7), expected = x;
      merge_sort(place.ctx, x.begin(), x.end());
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(x, expected);
      if (left > 0) break;
    }
    EXPECT_GT(thrown, 0);
  });
}

TEST(functors, comparators_may_throw) {
  const inputs in(true);
  for (const auto& operation : all_comparing<throwing_less>())
    throw_at_each(operation.name, [&](const context& ctx, std::atomic<index_t>& left) {
      operation.run(ctx, in, throwing_less{{&left}});
    });
}

TEST(functors, operators_may_throw) {
  const inputs in(true);
  const auto& x = in.a;
  items out(a_count), keys(a_count);
  throw_at_each("reduce",
                [&](auto& ctx, auto& left) { (void)reduce(ctx, x.begin(), x.end(), 1, throwing_plus{{&left}}); });
  throw_at_each("ordered_reduce", [&](auto& ctx, auto& left) {
    (void)ordered_reduce(ctx, x.begin(), x.end(), 1, throwing_plus{{&left}});
  });
  throw_at_each("transform_reduce", [&](auto& ctx, auto& left) {
    (void)transform_reduce(ctx, x.begin(), x.end(), 1, ops::plus{}, throwing_map{{&left}});
  });
  throw_at_each("inclusive_scan", [&](auto& ctx, auto& left) {
    inclusive_scan(ctx, x.begin(), x.end(), out.begin(), throwing_plus{{&left}});
  });
  throw_at_each("exclusive_scan", [&](auto& ctx, auto& left) {
    exclusive_scan(ctx, x.begin(), x.end(), out.begin(), 1, throwing_plus{{&left}});
  });
  throw_at_each("reduce_by_key", [&](auto& ctx, auto& left) {
    (void)reduce_by_key(ctx, x.begin(), x.end(), x.begin(), keys.begin(), out.begin(), throwing_plus{{&left}});
  });
  throw_at_each("reduce_by_key, equal", [&](auto& ctx, auto& left) {
    (void)reduce_by_key(ctx, x.begin(), x.end(), x.begin(), keys.begin(), out.begin(), ops::plus{},
                        throwing_equal{{&left}});
  });
  throw_at_each("inclusive_scan_by_key", [&](auto& ctx, auto& left) {
    inclusive_scan_by_key(ctx, x.begin(), x.end(), x.begin(), out.begin(), throwing_plus{{&left}});
  });
  throw_at_each("segmented_reduce", [&](auto& ctx, auto& left) {
    items sums(segments);
    segmented_reduce(ctx, x.begin(), x.end(), in.offsets.begin(), segments, sums.begin(), 1, throwing_plus{{&left}});
  });
  throw_at_each("segmented_inclusive_scan", [&](auto& ctx, auto& left) {
    segmented_inclusive_scan(ctx, x.begin(), x.end(), in.offsets.begin(), segments, out.begin(),
                             throwing_plus{{&left}});
  });
  throw_at_each("segmented_reduce_flags", [&](auto& ctx, auto& left) {
    (void)segmented_reduce_flags(ctx, x.begin(), x.end(), x.begin(), out.begin(), 1, throwing_plus{{&left}});
  });
  throw_at_each("transform_lbs", [&](auto& ctx, auto& left) {
    const countdown counter{&left};
    transform_lbs(ctx, a_count, in.offsets.begin(), segments, [&](index_t, index_t, index_t) { counter.count(); });
  });
}

TEST(functors, an_equality_that_is_none) {
  const inputs in(true);
  for_each_host([&](host_place& place) {
    for (int kind = 0; kind < 6; ++kind) {
      items keys(a_count), sums(a_count), scanned(a_count);
      const index_t runs = reduce_by_key(place.ctx, in.a.begin(), in.a.end(), in.a.begin(), keys.begin(), sums.begin(),
                                         ops::plus{}, no_order{kind});
      EXPECT_TRUE(1 <= runs && runs <= a_count);
      inclusive_scan_by_key(place.ctx, in.a.begin(), in.a.end(), in.a.begin(), scanned.begin(), ops::plus{},
                            no_order{kind});
    }
  });
}

TEST(functors, join_refuses_less_than_no_room) {
  const inputs in(true);
  const context ctx = context::cpu({.threads = 1});
  std::vector<index_t> rows(1);
  try {
    (void)join(ctx, join_kind::inner, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), rows.begin(), rows.begin(),
               -5);
    FAIL() << "accepted";
  } catch (const argument_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("-5 rows"), std::string::npos) << refused.what();
  }
}

}  // namespace
}  // namespace kleene
