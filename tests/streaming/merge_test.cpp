#include "streaming/merge_checks.hpp"

namespace kleene {

TEST(merge, by_hand) {
  for_each_host([](auto& place) { check_merge_by_hand(place); });
}
TEST(merge, all_pairings) {
  for_each_host([](auto& place) { check_merge(place); });
}
TEST(merge, by_key) {
  for_each_host([](auto& place) { check_merge_by_key(place); });
}
TEST(merge, counts) {
  for_each_host([](auto& place) { check_merge_of_counts(place); });
}

TEST(merge, refuses_a_negative_count) {
  const context ctx = context::cpu();
  const int a[] = {1};
  int out[1] = {-7};
  EXPECT_THROW(merge_smallest(ctx, a, a + 1, a, a + 1, -1, out), argument_error);
  EXPECT_EQ(out[0], -7);
}

}  // namespace kleene
