// Scans, merges, sorts, searches, joins, sets and segmented reductions on sequences drawn from the input, against the
// standard library.
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/sort.hpp"

#include "fuzz/draws.hpp"
#include "fuzz/finding.hpp"
#include "streaming/join_checks.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kleene::fuzz {
namespace {

// Equal items are told apart by where they came from, so that a sort or a merge that is not stable shows.
struct item {
  std::int32_t key = 0, from = 0;
  bool operator==(const item&) const = default;
};
struct by_key {
  bool operator()(const item& a, const item& b) const { return a.key < b.key; }
};
using items = std::vector<item>;
using numbers = std::vector<std::int64_t>;

// A context and sequences of items with few or many equal keys; the input gives the beginning, a generator the rest.
class sequences {
 public:
  explicit sequences(draws& d) : ctx(context::cpu({.threads = 1 + static_cast<int>(d.below(4))})), d_(d), g_(d.seed()) {
    keys_ = 1 + d.size(5000);
  }

  index_t count() { return d_.byte() < 200 ? d_.below(64) : d_.below(20000); }
  items unsorted() {
    items list(static_cast<std::size_t>(count()));
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = {static_cast<std::int32_t>(g_.below(keys_)), static_cast<std::int32_t>(i + (turn_ << 24))};
    ++turn_;
    return list;
  }
  items sorted() {
    items list = unsorted();
    std::stable_sort(list.begin(), list.end(), by_key{});
    return list;
  }
  numbers values(index_t count) {
    numbers list(static_cast<std::size_t>(count));
    for (auto& x : list) x = g_.below(2001) - 1000;
    return list;
  }
  numbers offsets(index_t segments, index_t count) {
    numbers list(static_cast<std::size_t>(segments) + 1, 0);
    for (auto& x : list) x = g_.below(count + 1);
    std::sort(list.begin(), list.end());
    list.front() = 0, list.back() = count;
    return list;
  }

  const context ctx;

 private:
  draws& d_;
  problems::generator g_;
  index_t keys_, turn_ = 0;
};

void compare_sort(sequences& s) {
  const items input = s.unsorted();
  items want = input, got = input;
  std::stable_sort(want.begin(), want.end(), by_key{});
  merge_sort(s.ctx, got.begin(), got.end(), by_key{});
  require(got == want, "merge_sort differs");
  std::vector<std::int32_t> keys, from;
  for (const item& x : input) keys.push_back(x.key - 40), from.push_back(x.from);
  radix_sort_by_key(s.ctx, keys.begin(), keys.end(), from.begin());
  for (std::size_t i = 0; i < want.size(); ++i)
    require(keys[i] == want[i].key - 40 && from[i] == want[i].from, "radix_sort_by_key differs");

  const index_t segments = s.count() % 50;
  if (segments == 0) return;
  const numbers offsets = s.offsets(segments, static_cast<index_t>(input.size()));
  want = got = input;
  for (index_t e = 0; e < segments; ++e)
    std::stable_sort(want.begin() + offsets[e], want.begin() + offsets[e + 1], by_key{});
  segmented_sort(s.ctx, got.begin(), got.end(), offsets.begin(), segments, by_key{});
  require(got == want, "segmented_sort differs");
}

void compare_merge(sequences& s) {
  const items a = s.sorted(), b = s.sorted();
  items want(a.size() + b.size()), got(want.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin(), by_key{});
  require(merge(s.ctx, a.begin(), a.end(), b.begin(), b.end(), got.begin(), by_key{}) == got.end(),
          "merge ends elsewhere");
  require(got == want, "merge differs");
  const index_t k = s.count();
  items least(want.size());
  const auto end = merge_smallest(s.ctx, a.begin(), a.end(), b.begin(), b.end(), k, least.begin(), by_key{});
  require(end - least.begin() == std::min<index_t>(k, static_cast<index_t>(want.size())) &&
              std::equal(least.begin(), end, want.begin()),
          "merge_smallest differs");
}

void compare_search(sequences& s) {
  const items a = s.sorted(), b = s.sorted();
  numbers lower(a.size()), upper(a.size());
  lower_bound(s.ctx, a.begin(), a.end(), b.begin(), b.end(), lower.begin(), by_key{});
  upper_bound(s.ctx, a.begin(), a.end(), b.begin(), b.end(), upper.begin(), by_key{});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto [first, last] = std::equal_range(b.begin(), b.end(), a[i], by_key{});
    require(lower[i] == first - b.begin() && upper[i] == last - b.begin(), "a bound differs");
  }
}

void compare_sets(sequences& s) {
  const items a = s.sorted(), b = s.sorted();
  const auto compare = [&](const char* name, const auto& ours, const auto& theirs) {
    items want(a.size() + b.size()), got(want.size());
    want.erase(theirs(want.begin()), want.end());
    got.erase(ours(got.begin()), got.end());
    require(got == want, std::string(name) + " differs");
  };
#define COMPARE_SET(name)                                                                                          \
  compare(                                                                                                         \
      #name, [&](auto out) { return kleene::name(s.ctx, a.begin(), a.end(), b.begin(), b.end(), out, by_key{}); }, \
      [&](auto out) { return std::name(a.begin(), a.end(), b.begin(), b.end(), out, by_key{}); })
  COMPARE_SET(set_intersection);
  COMPARE_SET(set_union);
  COMPARE_SET(set_difference);
  COMPARE_SET(set_symmetric_difference);
#undef COMPARE_SET
}

void compare_join(sequences& s) {
  items a = s.sorted(), b = s.sorted();
  a.resize(std::min<std::size_t>(a.size(), 2000)), b.resize(std::min<std::size_t>(b.size(), 2000));
  const join_kind kind = all_joins[s.count() % 6];
  const join_rows want = joined(kind, a, b, by_key{});
  const index_t rows = static_cast<index_t>(want.left.size()), capacity = std::max<index_t>(0, rows - s.count() % 3);
  std::vector<index_t> left(want.left.size(), -9), right(want.right.size(), -7);
  require(join(s.ctx, kind, a.begin(), a.end(), b.begin(), b.end(), left.begin(), right.begin(), capacity, by_key{}) ==
              rows,
          "a join has another number of rows");
  require(std::equal(left.begin(), left.begin() + capacity, want.left.begin()) &&
              (!has_right_side(kind) || std::equal(right.begin(), right.begin() + capacity, want.right.begin())),
          "a join differs");
  require(std::count(left.begin() + capacity, left.end(), -9) == rows - capacity, "a join writes beyond its capacity");
}

void compare_scan(sequences& s) {
  const items keys = s.sorted();
  const index_t count = static_cast<index_t>(keys.size());
  const numbers x = s.values(count);
  numbers want(x.size()), got(x.size());
  std::inclusive_scan(x.begin(), x.end(), want.begin());
  inclusive_scan(s.ctx, x.begin(), x.end(), got.begin());
  require(got == want, "inclusive_scan differs");
  std::exclusive_scan(x.begin(), x.end(), want.begin(), std::int64_t{7});
  exclusive_scan(s.ctx, x.begin(), x.end(), got.begin(), std::int64_t{7});
  require(got == want, "exclusive_scan differs");
  require(reduce(s.ctx, x.begin(), x.end(), std::int64_t{7}) == std::accumulate(x.begin(), x.end(), std::int64_t{7}),
          "reduce differs");

  const auto same = [](const item& a, const item& b) { return a.key == b.key; };
  numbers sums(x.size());
  items firsts(x.size()), want_firsts;
  numbers want_sums;
  for (index_t i = 0; i < count; ++i) {
    const bool starts = i == 0 || !same(keys[i - 1], keys[i]);
    if (starts) want_firsts.push_back(keys[i]), want_sums.push_back(0);
    want_sums.back() += x[i];
    want[i] = starts ? x[i] : want[i - 1] + x[i];
  }
  inclusive_scan_by_key(s.ctx, keys.begin(), keys.end(), x.begin(), got.begin(), ops::plus{}, same);
  require(got == want, "inclusive_scan_by_key differs");
  const index_t runs =
      reduce_by_key(s.ctx, keys.begin(), keys.end(), x.begin(), firsts.begin(), sums.begin(), ops::plus{}, same);
  firsts.resize(static_cast<std::size_t>(runs)), sums.resize(static_cast<std::size_t>(runs));
  require(firsts == want_firsts && sums == want_sums, "reduce_by_key differs");
}

void compare_segments(sequences& s) {
  const index_t count = s.count(), segments = 1 + s.count();
  const numbers x = s.values(count), offsets = s.offsets(segments, count);
  numbers want(static_cast<std::size_t>(segments)), got(want.size()), want_scan(x.size()), scan(x.size());
  for (index_t e = 0; e < segments; ++e) {
    want[e] = std::accumulate(x.begin() + offsets[e], x.begin() + offsets[e + 1], std::int64_t{3});
    std::inclusive_scan(x.begin() + offsets[e], x.begin() + offsets[e + 1], want_scan.begin() + offsets[e]);
  }
  segmented_reduce(s.ctx, x.begin(), x.end(), offsets.begin(), segments, got.begin(), std::int64_t{3});
  require(got == want, "segmented_reduce differs");
  segmented_inclusive_scan(s.ctx, x.begin(), x.end(), offsets.begin(), segments, scan.begin());
  require(scan == want_scan, "segmented_inclusive_scan differs");
}

}  // namespace
}  // namespace kleene::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace kleene::fuzz;
  static constexpr void (*comparisons[])(sequences&) = {compare_sort, compare_merge, compare_search,  compare_sets,
                                                        compare_join, compare_scan,  compare_segments};
  draws d(data, size);
  const auto compare = d.one_of(comparisons);
  sequences s(d);
  compare(s);
  return 0;
}
