#include "streaming/segments_checks.hpp"

namespace kleene {

TEST(segments, by_hand) {
  for_each_host([](auto& place) { check_segments_by_hand(place); });
}
TEST(segments, all_segmentations) {
  for_each_host([](auto& place) { check_segments(place); });
}
TEST(segments, without_items) {
  for_each_host([](auto& place) { check_segments_without_items(place); });
}
TEST(segments, computed) {
  for_each_host([](auto& place) {
    check_segments_of_computed<tuned, std::uint32_t, affine_at>(place, sequences::then{});
    check_segments_of_computed<tuned, std::int64_t, tropical_at>(place, sequences::tropical_product{});
  });
}
TEST(segments, bytes) {
  for_each_host([](auto& place) { check_segments_of_bytes(place); });
}
TEST(segments, long_offsets) {
  for_each_host([](auto& place) { check_segments_of_long_offsets(place); });
}

}  // namespace kleene
