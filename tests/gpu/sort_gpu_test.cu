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
// So many tiles that a kernel cuts for the merges.
TEST(sort_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    for (auto s : {sequences::shape::random, sequences::shape::duplicates, sequences::shape::reversed}) {
      SCOPED_TRACE(sequences::to_string(s));
      check_merge_sort_of(place, sequences::keys<std::int32_t>(s, 3000001), ops::less{});
      check_merge_sort_by_key_of(place, sequences::keys<float>(s, 3000001));
    }
  });
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
