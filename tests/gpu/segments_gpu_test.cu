// The checks of tests/streaming/segments_checks.hpp on a CUDA device.
#include "kleene/streaming/segments.cuh"
#include "streaming/segments_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(segments_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_segments_by_hand(place); });
}
TEST(segments_on_cuda, all_segmentations) {
  on_device_place([](auto& place) { check_segments(place); });
}
TEST(segments_on_cuda, bytes) {
  on_device_place([](auto& place) { check_segments_of_bytes(place); });
}

}  // namespace kleene
