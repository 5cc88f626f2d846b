// The checks of tests/streaming/join_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/join.cuh"
#include "streaming/join_checks.hpp"
#include "support/device_place.cuh"
#include "support/sample.hpp"

namespace kleene {

// Of ints and of records.
constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::join_grain<4>>,
                                                  sequences::tile<streaming::join_grain<sizeof(sequences::record)>>};

TEST(join_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_join_by_hand(place); });
}
TEST(join_on_cuda, all_pairings) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_join(place); });
}
TEST(join_on_cuda, runs_across_tiles) {
  on_device_place([](auto& place) {
    for (auto p : sequences::all_pairings)
      if (test::sampled()) check_join_of_runs<grain<32, 3>>(place, p, 1000);
  });
}
TEST(join_on_cuda, many_rows) {
  on_device_place([](auto& place) { check_join_of_many_rows(place); });
}

}  // namespace kleene
