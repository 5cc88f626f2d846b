// The checks of tests/streaming/sort_checks.hpp on a CUDA device.
#include "kleene/streaming/radix_sort.cuh"
#include "kleene/streaming/sort.cuh"
#include "streaming/sort_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(sort_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_sort_by_hand(place); });
}
TEST(sort_on_cuda, merge_sort) {
  on_device_place([](auto& place) { check_merge_sort(place); });
}
TEST(sort_on_cuda, merge_sort_by_key) {
  on_device_place([](auto& place) { check_merge_sort_by_key(place); });
}
TEST(sort_on_cuda, radix_sort) {
  on_device_place([](auto& place) { check_radix_sort(place); });
}
TEST(sort_on_cuda, radix_extremes) {
  on_device_place([](auto& place) {
    check_radix_extremes<std::int64_t>(place);
    check_radix_extremes<float>(place);
  });
}
TEST(sort_on_cuda, segmented) {
  on_device_place([](auto& place) { check_segmented_sort(place); });
}

}  // namespace kleene
