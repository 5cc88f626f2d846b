#include "kleene/streaming/base/partition.hpp"

#include "kleene/streaming/base/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kleene {

// All ascending sequences of up to `longest` keys out of 0, 1, 2.
std::vector<std::vector<int>> all_sequences(int longest) {
  std::vector<std::vector<int>> all;
  for (int zeros = 0; zeros <= longest; ++zeros)
    for (int ones = 0; zeros + ones <= longest; ++ones)
      for (int twos = 0; zeros + ones + twos <= longest; ++twos) {
        std::vector<int> keys(static_cast<std::size_t>(zeros), 0);
        keys.insert(keys.end(), static_cast<std::size_t>(ones), 1);
        keys.insert(keys.end(), static_cast<std::size_t>(twos), 2);
        all.push_back(keys);
      }
  return all;
}

TEST(partition, merge_path_by_hand) {
  const int a[] = {1, 3, 3, 8}, b[] = {0, 3, 9};  // merged: b0 a1 a3 a3 b3 a8 b9
  const index_t expected[] = {0, 0, 1, 2, 3, 3, 4, 4};
  for (index_t d = 0; d <= 7; ++d) EXPECT_EQ(merge_path(a, 4, b, 3, d, ops::less{}), expected[d]) << d;
}

// Walks the stable merge one item at a time.
TEST(partition, merge_path_of_all_small_inputs) {
  const auto all = all_sequences(4);
  for (const auto& a : all)
    for (const auto& b : all) {
      const index_t a_count = static_cast<index_t>(a.size()), b_count = static_cast<index_t>(b.size());
      index_t i = 0, j = 0;
      for (index_t d = 0; d <= a_count + b_count; ++d) {
        ASSERT_EQ(merge_path(a.begin(), a_count, b.begin(), b_count, d, ops::less{}), i);
        if (j == b_count || (i < a_count && a[static_cast<std::size_t>(i)] <= b[static_cast<std::size_t>(j)])) ++i;
        else ++j;
      }
    }
}

TEST(partition, balanced_path_parts_no_pair) {
  const auto all = all_sequences(5);
  for (const auto& a : all)
    for (const auto& b : all) {
      const index_t a_count = static_cast<index_t>(a.size()), b_count = static_cast<index_t>(b.size());
      path_point last{0, 0};
      for (index_t d = 0; d <= a_count + b_count; ++d) {
        const path_point cut = balanced_path(a.begin(), a_count, b.begin(), b_count, d, ops::less{});
        ASSERT_TRUE(cut.a + cut.b == d || cut.a + cut.b == d + 1);
        ASSERT_TRUE(last.a <= cut.a && last.b <= cut.b && cut.a <= a_count && cut.b <= b_count);
        for (int key = 0; key < 3; ++key) {
          const index_t pairs = std::min(std::count(a.begin(), a.end(), key), std::count(b.begin(), b.end(), key));
          const index_t in_a = std::count(a.begin(), a.begin() + cut.a, key);
          const index_t in_b = std::count(b.begin(), b.begin() + cut.b, key);
          ASSERT_EQ(std::min(in_a, pairs), std::min(in_b, pairs));  // of each pair both or none are before the cut
        }
        const int before = std::max(cut.a ? a[static_cast<std::size_t>(cut.a - 1)] : 0,
                                    cut.b ? b[static_cast<std::size_t>(cut.b - 1)] : 0);
        if (cut.a < a_count) {
          ASSERT_LE(before, a[static_cast<std::size_t>(cut.a)]);
        }
        if (cut.b < b_count) {
          ASSERT_LE(before, b[static_cast<std::size_t>(cut.b)]);
        }
        last = cut;
      }
      ASSERT_EQ(last.a, a_count);
      ASSERT_EQ(last.b, b_count);
    }
}

TEST(partition, positions) {
  const int x[] = {1, 3, 3, 8};
  EXPECT_EQ(lower_position(x, 0, 4, 3, ops::less{}), 1);
  EXPECT_EQ(upper_position(x, 0, 4, 3, ops::less{}), 3);
  EXPECT_EQ(lower_position(x, 0, 0, 3, ops::less{}), 0);
  EXPECT_EQ(upper_position(x, 2, 4, 9, ops::less{}), 4);
}

}  // namespace kleene
