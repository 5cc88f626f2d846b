#include "streaming/large_checks.hpp"

namespace kleene {
namespace {

template <class Check>
void on_large_host(const Check& check) {
  host_place place{context::cpu()};
  check(place);
}

TEST(large, reductions) {
  on_large_host([](auto& place) { check_large_reductions(place); });
}
TEST(large, bounds) {
  on_large_host([](auto& place) { check_large_bounds(place); });
}
TEST(large, transform_lbs) {
  on_large_host([](auto& place) { check_large_transform_lbs(place); });
}
TEST(large, segmented_reduce) {
  on_large_host([](auto& place) { check_large_segmented_reduce(place, false); });
}
TEST(large, joins) {
  on_large_host([](auto& place) { check_large_joins(place, false); });
}

TEST(large, merge_path) {  // of equal sequences: one from each in turns, a first
  for (index_t diagonal : {two_to_31, many, many + two_to_31, 2 * many - 1})
    EXPECT_EQ(merge_path(numbers, many, numbers, many, diagonal, ops::less{}), (diagonal + 1) / 2) << diagonal;
}

#if KLEENE_TEST_LEVEL > 0  // they take two cores a minute; devices, a second
TEST(large, merge_smallest) {
  on_large_host([](auto& place) { check_large_merge_smallest(place); });
}
TEST(large, reduce_by_key) {
  on_large_host([](auto& place) { check_large_reduce_by_key(place); });
}
TEST(large, scans) {
  on_large_host([](auto& place) { check_large_scans(place); });
}
TEST(large, scans_by_key) {
  on_large_host([](auto& place) { check_large_scans_by_key(place); });
}
TEST(large, merge_by_key) {
  on_large_host([](auto& place) { check_large_merge_by_key(place); });
}
TEST(large, sorted_search) {
  on_large_host([](auto& place) { check_large_sorted_search(place); });
}
TEST(large, load_balancing_search) {
  on_large_host([](auto& place) { check_large_load_balancing_search(place, false); });
}
TEST(large, intervals) {
  on_large_host([](auto& place) { check_large_intervals(place); });
}
TEST(large, segmented_scans) {
  on_large_host([](auto& place) { check_large_segmented_scans(place); });
}
#endif

}  // namespace
}  // namespace kleene
