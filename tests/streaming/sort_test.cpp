#include "streaming/sort_checks.hpp"

#include <deque>

namespace kleene {

TEST(sort, by_hand) {
  for_each_host([](auto& place) { check_sort_by_hand(place); });
}
TEST(sort, merge_sort) {
  for_each_host([](auto& place) { check_merge_sort(place); });
}
TEST(sort, merge_sort_by_key) {
  for_each_host([](auto& place) { check_merge_sort_by_key(place); });
}
TEST(sort, radix_sort) {
  for_each_host([](auto& place) { check_radix_sort(place); });
}
TEST(sort, radix_extremes) {
  for_each_host([](auto& place) {
    check_radix_extremes<std::int8_t>(place);
    check_radix_extremes<std::int64_t>(place);
    check_radix_extremes<std::uint16_t>(place);
    check_radix_extremes<float, std::int32_t>(place);
    check_radix_extremes<double>(place);
  });
}
TEST(sort, segmented) {
  for_each_host([](auto& place) { check_segmented_sort(place); });
}
TEST(sort, segments_of_nothing) {
  for_each_host([](auto& place) { check_segmented_sort_of_nothing(place); });
}

// Iterators that are not over one piece of memory.
TEST(sort, through_any_random_access_iterator) {
  const auto keys = sequences::keys<std::int32_t>(sequences::shape::random, 20481);
  const auto expected = sorted_with_places(keys);
  const auto &expected_keys = expected.first, &expected_places = expected.second;
  for_each_host([&](host_place& place) {
    std::deque<std::int32_t> k(keys.begin(), keys.end()), v;
    for (std::int32_t i : places(20481)) v.push_back(i);
    merge_sort_by_key(place.ctx, k.begin(), k.end(), v.begin());
    EXPECT_TRUE(std::equal(k.begin(), k.end(), expected_keys.begin()));
    EXPECT_TRUE(std::equal(v.begin(), v.end(), expected_places.begin()));
    merge_sort(place.ctx, k.rbegin(), k.rend());
    EXPECT_TRUE(std::equal(k.rbegin(), k.rend(), expected_keys.begin()));
  });
}

}  // namespace kleene
