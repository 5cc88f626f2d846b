// The checks of tests/streaming/search_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/search.cuh"
#include "streaming/search_checks.hpp"
#include "support/device_place.cuh"
#include "support/sample.hpp"

namespace kleene {

// Of ints and of records.
constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::search_grain<4>>,
                                                  sequences::tile<streaming::search_grain<sizeof(sequences::record)>>};

TEST(search_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_search_by_hand(place); });
}
TEST(search_on_cuda, all_pairings) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_search(place); });
}
// So many tiles that a kernel cuts.
TEST(search_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    for (auto p : sequences::all_pairings) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(sequences::to_string(p));
      const auto [a, b] = sequences::sorted<std::int32_t>(p, 3000001);
      check_searches_of(place, a, b, ops::less{});
    }
    const auto [a, b] = sequences::sorted<std::int32_t>(sequences::pairing::runs, 1300001);
    check_searches_of(place, sequences::records(a), sequences::records(b, 500000), sequences::by_major{});
  });
}

}  // namespace kleene
