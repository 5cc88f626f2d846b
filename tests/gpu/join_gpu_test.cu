// The checks of tests/streaming/join_checks.hpp on a CUDA device.
#include "kleene/streaming/join.cuh"
#include "streaming/join_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(join_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_join_by_hand(place); });
}
TEST(join_on_cuda, all_pairings) {
  on_device_place([](auto& place) { check_join(place); });
}
TEST(join_on_cuda, runs_across_tiles) {
  on_device_place([](auto& place) { check_join_of_long_runs<grain<32, 3>>(place); });
}
TEST(join_on_cuda, many_rows) {
  on_device_place([](auto& place) { check_join_of_many_rows(place); });
}

}  // namespace kleene
