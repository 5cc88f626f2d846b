// More items than 32 bits count, of iterators that hold no memory.
#include "kleene/streaming/load_balance.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace kleene {
namespace {

constexpr index two_to_31 = index{1} << 31, many = two_to_31 + 5;
constexpr counting_iterator<index> numbers(0), numbers_end(many);
constexpr index sum_below(index n) { return n * (n - 1) / 2; }

// The number `top` is above all others, which are alike.
struct one_on_top {
  index top;
  bool operator()(index a, index b) const { return a != top && b == top; }
};

TEST(large, reduce) {
  EXPECT_EQ(reduce(context::cpu(), numbers, numbers_end, index{7}), sum_below(many) + 7);
}

TEST(large, arg_max) {
  EXPECT_EQ(arg_max(context::cpu(), numbers, numbers_end, one_on_top{two_to_31 + 3}), two_to_31 + 3);
}

TEST(large, lower_bound) {
  const std::vector<index> needles = {-3, 0, two_to_31 - 1, two_to_31, two_to_31 + 4, two_to_31 + 9};
  std::vector<index> found(needles.size(), -7);
  lower_bound(context::cpu(), needles.begin(), needles.end(), numbers, numbers_end, found.begin());
  EXPECT_EQ(found, (std::vector<index>{0, 0, two_to_31 - 1, two_to_31, two_to_31 + 4, many}));
}

// A segment that ends behind item 2^31, an empty one, and a short one.
const std::vector<index> starts = {0, two_to_31 + 1, two_to_31 + 1, many};

TEST(large, transform_lbs) {
  std::atomic<index> wrong = 0, seen = 0;
  constexpr index step = 1 << 20;
  transform_lbs(context::cpu(), many, starts.begin(), 3, [&](index item, index segment, index rank) {
    if (segment != (item < starts[1] ? 0 : 2) || rank != item - starts[static_cast<std::size_t>(segment)]) ++wrong;
    if (item % step == 0) ++seen;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(seen, two_to_31 / step + 1);
}

TEST(large, segmented_reduce) {
  std::vector<index> sums(3, -7);
  segmented_reduce(context::cpu(), numbers, numbers_end, starts.begin(), 3, sums.begin(), index{1});
  EXPECT_EQ(sums, (std::vector<index>{sum_below(starts[1]) + 1, 1, sum_below(many) - sum_below(starts[1]) + 1}));
}

TEST(large, merge_path) {  // of equal sequences: one from each in turns, a first
  for (index diagonal : {two_to_31, many, many + two_to_31, 2 * many - 1})
    EXPECT_EQ(merge_path(numbers, many, numbers, many, diagonal, ops::less{}), (diagonal + 1) / 2) << diagonal;
}

}  // namespace
}  // namespace kleene
