// The checks of tests/streaming/load_balance_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/load_balance.cuh"
#include "streaming/load_balance_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

// Starts of 4 bytes and of 8; starts and items together.
constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::load_balance_grain<4>>,
                                                  sequences::tile<streaming::load_balance_grain<8>>};

TEST(load_balance_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_load_balance_by_hand(place); });
}
TEST(load_balance_on_cuda, without_items) {
  on_device_place([](auto& place) { check_load_balance_without_items(place); });
}
TEST(load_balance_on_cuda, all_segmentations) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_load_balance(place); });
}
// So many tiles that a kernel cuts.
TEST(load_balance_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    check_load_balance_of(place, {500001, 1600000});
    check_load_balance_of(place, {7, 2200000});
  });
}

}  // namespace kleene
