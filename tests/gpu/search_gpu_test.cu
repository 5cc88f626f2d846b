// The checks of tests/streaming/search_checks.hpp on a CUDA device.
#include "kleene/streaming/search.cuh"
#include "streaming/search_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(search_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_search_by_hand(place); });
}
TEST(search_on_cuda, all_pairings) {
  on_device_place([](auto& place) { check_search(place); });
}

}  // namespace kleene
