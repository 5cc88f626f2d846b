// The checks of tests/streaming/merge_checks.hpp on a CUDA device.
#include "kleene/streaming/merge.cuh"
#include "streaming/merge_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(merge_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_merge_by_hand(place); });
}
TEST(merge_on_cuda, all_pairings) {
  on_device_place([](auto& place) { check_merge(place); });
}
TEST(merge_on_cuda, by_key) {
  on_device_place([](auto& place) { check_merge_by_key(place); });
}
TEST(merge_on_cuda, counts) {
  on_device_place([](auto& place) { check_merge_of_counts(place); });
}

}  // namespace kleene
