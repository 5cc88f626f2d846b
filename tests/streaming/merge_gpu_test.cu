// The checks of tests/streaming/merge_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/merge.cuh"
#include "streaming/merge_checks.hpp"
#include "support/device_place.cuh"
#include "support/sample.hpp"

namespace kleene {

// Of ints; of doubles, counts, and keys with values; of records, and of those with values.
constexpr std::initializer_list<index_t> tiles = {
    sequences::tile<streaming::merge_grain<4>>, sequences::tile<streaming::merge_grain<8>>,
    sequences::tile<streaming::merge_grain<sizeof(sequences::record)>>,
    sequences::tile<streaming::merge_grain<sizeof(sequences::record) + sizeof(float)>>};

TEST(merge_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_merge_by_hand(place); });
}
TEST(merge_on_cuda, all_pairings) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_merge(place); });
}
// So many tiles that a kernel cuts.
TEST(merge_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(sequences::to_string(p));
      const auto [a, b] = sequences::sorted<std::int32_t>(p, 3000001);
      check_merges_of(place, a, b, -7, ops::less{});
    }
    for (auto p : {sequences::pairing::random, sequences::pairing::runs}) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(sequences::to_string(p));
      const auto [a, b] = sequences::sorted<float>(p, 1300001);
      check_merge_by_key_of(place, a, b, -7.0f, ops::less{});
    }
  });
}
TEST(merge_on_cuda, by_key) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_merge_by_key(place); });
}
TEST(merge_on_cuda, counts) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_merge_of_counts(place); });
}

}  // namespace kleene
