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
// So many tiles that a kernel cuts.
TEST(merge_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    for (auto p : sequences::all_pairings) {
      SCOPED_TRACE(sequences::to_string(p));
      const auto [a, b] = sequences::sorted<std::int32_t>(p, 3000001);
      check_merges_of(place, a, b, -7, ops::less{});
    }
  });
}
TEST(merge_on_cuda, by_key) {
  on_device_place([](auto& place) { check_merge_by_key(place); });
}
TEST(merge_on_cuda, counts) {
  on_device_place([](auto& place) { check_merge_of_counts(place); });
}

}  // namespace kleene
