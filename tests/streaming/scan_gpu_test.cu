// The checks of tests/streaming/scan_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/runs.cuh"
#include "kleene/streaming/cuda/scan.cuh"
#include "streaming/scan_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

// Of ints, of maps and of matrices.
constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::scan_grain<4>>,
                                                  sequences::tile<streaming::scan_grain<8>>,
                                                  sequences::tile<streaming::scan_grain<16>>};

TEST(scan_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_scan_by_hand(place); });
}
TEST(scan_on_cuda, sums) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_scans(place); });
}
TEST(scan_on_cuda, ordered) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_ordered_scans(place); });
}
TEST(scan_on_cuda, by_key) {
  const sequences::edges edges({sequences::tile<streaming::run_grain<8>>, sequences::tile<streaming::run_grain<12>>,
                                sequences::tile<streaming::run_grain<16>>});
  on_device_place([](auto& place) { check_scans_by_key(place); });
}

}  // namespace kleene
