// The checks of tests/streaming/sets_checks.hpp on a CUDA device.
#include "kleene/streaming/sets.cuh"
#include "streaming/sets_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(sets_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_sets_by_hand(place); });
}
TEST(sets_on_cuda, intersection) {
  on_device_place([](auto& place) { check_set<intersections>(place); });
}
TEST(sets_on_cuda, unions) {
  on_device_place([](auto& place) { check_set<unions>(place); });
}
TEST(sets_on_cuda, difference) {
  on_device_place([](auto& place) { check_set<differences>(place); });
}
TEST(sets_on_cuda, symmetric_difference) {
  on_device_place([](auto& place) { check_set<symmetric_differences>(place); });
}

}  // namespace kleene
