#include "streaming/segments_checks.hpp"

namespace kleene {

TEST(segments, by_hand) { for_each_host([](auto& place) { check_segments_by_hand(place); }); }
TEST(segments, all_segmentations) { for_each_host([](auto& place) { check_segments(place); }); }
TEST(segments, without_items) { for_each_host([](auto& place) { check_segments_without_items(place); }); }
TEST(segments, bytes) { for_each_host([](auto& place) { check_segments_of_bytes(place); }); }

}  // namespace kleene
