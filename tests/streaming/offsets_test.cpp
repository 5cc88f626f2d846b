// Offsets that do not ascend, or reach outside of the items: refused on the CPU by every family that takes them, with
// the first that is wrong, and nothing is written.
#include "streaming/range_checks.hpp"

#include <gtest/gtest.h>

namespace kleene {
namespace {

using numbers = std::vector<std::int32_t>;

struct by_offsets {
  const char* name;
  void (*run)(const context& ctx, const numbers& items, const numbers& offsets, numbers& out);
};

index_t segments_of(const numbers& offsets) { return std::ssize(offsets) - 1; }

const by_offsets families[] = {
    {"segmented_reduce",
     [](const context& ctx, const numbers& x, const numbers& o, numbers& out) {
       segmented_reduce(ctx, x.begin(), x.end(), o.begin(), segments_of(o), out.begin(), 0);
     }},
    {"segmented_inclusive_scan",
     [](const context& ctx, const numbers& x, const numbers& o, numbers& out) {
       segmented_inclusive_scan(ctx, x.begin(), x.end(), o.begin(), segments_of(o), out.begin());
     }},
    {"segmented_exclusive_scan",
     [](const context& ctx, const numbers& x, const numbers& o, numbers& out) {
       segmented_exclusive_scan(ctx, x.begin(), x.end(), o.begin(), segments_of(o), out.begin(), 0);
     }},
    {"segmented_sort",
     [](const context& ctx, const numbers& x, const numbers& o, numbers& out) {
       std::copy(x.begin(), x.end(), out.begin());
       segmented_sort(ctx, out.begin(), out.begin() + std::ssize(x), o.begin(), segments_of(o));
     }},
    {"segmented_sort_by_key",
     [](const context& ctx, const numbers& x, const numbers& o, numbers& out) {
       std::copy(x.begin(), x.end(), out.begin());
       numbers values = x;
       segmented_sort_by_key(ctx, out.begin(), out.begin() + std::ssize(x), values.begin(), o.begin(), segments_of(o));
     }},
};

std::string refusal_by(const by_offsets& family, int threads, const numbers& offsets, index_t count) {
  numbers items(static_cast<std::size_t>(count)), out(items.size(), -7);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::int32_t>(items.size() - i);
  const context ctx = context::cpu({.threads = threads});
  const std::string refusal = refusal_of([&] { family.run(ctx, items, offsets, out); });
  const bool sorts = std::string(family.name).find("sort") != std::string::npos;
  if (refusal != "accepted") {
    EXPECT_EQ(out, sorts ? items : numbers(items.size(), -7)) << family.name;
  }
  return refusal;
}

TEST(offsets, that_do_not_ascend_or_reach_outside) {
  for (const by_offsets& family : families) {
    SCOPED_TRACE(family.name);
    EXPECT_EQ(refusal_by(family, 2, {0, 500, 200, 1000}, 1000),
              "offset 2 is 200 after 500: offsets ascend from 0 to 1000 items");
    EXPECT_EQ(refusal_by(family, 2, {0, 500, 5000}, 1000),
              "offset 2 is 5000 after 500: offsets ascend from 0 to 1000 items");
    EXPECT_EQ(refusal_by(family, 2, {-3, 1000}, 1000), "offset 0 is -3: offsets ascend from 0 to 1000 items");
    EXPECT_EQ(refusal_by(family, 2, {0, 0, 400, 400, 1000}, 1000), "accepted");
  }
}

TEST(offsets, the_first_that_is_wrong_whatever_thread_sees_it) {
  numbers offsets(100001);
  for (std::size_t s = 0; s < offsets.size(); ++s) offsets[s] = static_cast<std::int32_t>(s);
  offsets[30000] = 29998, offsets[90000] = 200000;
  for (const by_offsets& family : families)
    for (const int threads : {1, 2, 7})
      EXPECT_EQ(refusal_by(family, threads, offsets, 100000),
                "offset 30000 is 29998 after 29999: offsets ascend from 0 to 100000 items")
          << family.name;
}

TEST(offsets, sums_and_scans_are_of_all_items) {
  for (const by_offsets& family : families) {
    const bool sorts = std::string(family.name).find("sort") != std::string::npos;
    SCOPED_TRACE(family.name);
    EXPECT_EQ(refusal_by(family, 2, {0, 500, 999}, 1000),
              sorts ? "accepted"
                    : "segments from 0 to 999 of 1000 items: the first begins at 0, the last ends with the items");
    EXPECT_EQ(refusal_by(family, 2, {1, 500, 1000}, 1000),
              sorts ? "accepted"
                    : "segments from 1 to 1000 of 1000 items: the first begins at 0, the last ends with the items");
  }
}

TEST(offsets, of_no_segments_or_no_items) {
  for (const by_offsets& family : families) {
    const bool sorts = std::string(family.name).find("sort") != std::string::npos;
    SCOPED_TRACE(family.name);
    EXPECT_EQ(refusal_by(family, 2, {0}, 5), sorts ? "accepted" : "5 items in no segments");
    EXPECT_EQ(refusal_by(family, 2, {0}, 0), "accepted");
    if (!sorts) {
      EXPECT_EQ(refusal_by(family, 2, {0, 5, 3, 9}, 0), "offset 1 is 5 after 0: offsets ascend from 0 to 0 items");
    }
  }
}

TEST(offsets, of_load_balancing) {
  const context ctx = context::cpu({.threads = 2});
  const auto refusal = [&](const numbers& starts, index_t count) {
    numbers out(static_cast<std::size_t>(count), -7);
    const std::string what =
        refusal_of([&] { load_balancing_search(ctx, count, starts.begin(), std::ssize(starts), out.begin()); });
    if (what != "accepted") {
      EXPECT_EQ(out, numbers(out.size(), -7));
    }
    return what;
  };
  EXPECT_EQ(refusal({0, 5, 3, 8}, 10), "offset 2 is 3 after 5: offsets ascend from 0");
  EXPECT_EQ(refusal({2, 5}, 10), "the first segment begins at item 2, not at 0");
  EXPECT_EQ(refusal({}, 10), "10 items in no segments");
  EXPECT_EQ(refusal({}, 0), "accepted");
  EXPECT_EQ(refusal({5, 7}, 0), "the first segment begins at item 5, not at 0");
  EXPECT_EQ(refusal({0, 5, 12, 40}, 10), "accepted");
}

}  // namespace
}  // namespace kleene
