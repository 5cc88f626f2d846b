// The checks of tests/streaming/scan_checks.hpp on a CUDA device.
#include "kleene/streaming/runs.cuh"
#include "kleene/streaming/scan.cuh"
#include "streaming/scan_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(scan_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_scan_by_hand(place); });
}
TEST(scan_on_cuda, sums) {
  on_device_place([](auto& place) { check_scans(place); });
}
TEST(scan_on_cuda, ordered) {
  on_device_place([](auto& place) { check_ordered_scans(place); });
}
TEST(scan_on_cuda, by_key) {
  on_device_place([](auto& place) { check_scans_by_key(place); });
}

}  // namespace kleene
