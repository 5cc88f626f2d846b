// Every allocation of every operation on sequences fails in turn, as in allocation_test.cpp. Inputs that are sorted in
// place are as they were afterwards, too.
#include "faults/failing_new.hpp"
#include "kleene/algebra/ops.hpp"
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/load_balance.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/sort.hpp"

#include <random>
#include <vector>

namespace kleene::test {
namespace {

constexpr index_t n = 20000;

matrix<int> random_items(int seed, bool sorted) {
  std::mt19937 random(static_cast<unsigned>(seed));
  matrix<int> items(1, n);
  for (index_t i = 0; i < n; ++i) items.data()[i] = static_cast<int>(random() % 500);
  if (sorted) std::sort(items.data(), items.data() + n);
  return items;
}

TEST(allocation_of_sequences, sorts_and_merges) {
  const matrix<int> a = random_items(1, true), b = random_items(2, true);
  output<int> items(random_items(3, false)), values(random_items(4, false)), out(matrix<int>(1, 2 * n, 7));
  int *const x = items.value.data(), *const y = values.value.data();
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { merge_sort(ctx, x, x + n); }, items), 0);
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { merge_sort_by_key(ctx, x, x + n, y); }, items, values), 0);
  each_allocation_fails(
      [&](const context& ctx) { merge(ctx, a.data(), a.data() + n, b.data(), b.data() + n, out.value.data()); }, out);
  EXPECT_TRUE(std::is_sorted(x, x + n));
}

TEST(allocation_of_sequences, joins_and_sets) {
  const matrix<int> a = random_items(1, true), b = random_items(2, true);
  const int *const first = a.data(), *const second = b.data();
  std::vector<index_t> rows(2 * 1000000);
  output<int> out(matrix<int>(1, 2 * n, 7));
  for (const join_kind kind : {join_kind::inner, join_kind::full, join_kind::anti})
    EXPECT_GT(each_allocation_fails([&](const context& ctx) {
                (void)join(ctx, kind, first, first + n, second, second + n, rows.data(), rows.data() + 1000000,
                           1000000);
              }),
              0);
  const auto both = [&](const auto& operation) {
    each_allocation_fails(
        [&](const context& ctx) { (void)operation(ctx, first, first + n, second, second + n, out.value.data()); }, out);
  };
  both([](auto&&... arguments) { return set_union(arguments...); });
  both([](auto&&... arguments) { return set_intersection(arguments...); });
  both([](auto&&... arguments) { return set_difference(arguments...); });
  both([](auto&&... arguments) { return set_symmetric_difference(arguments...); });
}

TEST(allocation_of_sequences, scans_and_reductions) {
  const matrix<int> a = random_items(1, false), keys = random_items(2, true);
  const int* const items = a.data();
  output<int> out(matrix<int>(1, n, 7)), found(matrix<int>(1, n, 7));
  each_allocation_fails([&](const context& ctx) { (void)reduce(ctx, items, items + n, 0, ops::plus{}); });
  each_allocation_fails(
      [&](const context& ctx) { inclusive_scan(ctx, items, items + n, out.value.data(), ops::plus{}); }, out);
  SCOPED_TRACE("reduce_by_key");
  each_allocation_fails(
      [&](const context& ctx) {
        (void)reduce_by_key(ctx, keys.data(), keys.data() + n, items, found.value.data(), out.value.data(),
                            ops::plus{});
      },
      out, found);
}

}  // namespace
}  // namespace kleene::test
