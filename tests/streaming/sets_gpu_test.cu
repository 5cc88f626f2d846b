// The checks of tests/streaming/sets_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/sets.cuh"
#include "streaming/sets_checks.hpp"
#include "support/device_place.cuh"
#include "support/sample.hpp"

namespace kleene {

// Of ints and of records.
constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::set_grain<4>>,
                                                  sequences::tile<streaming::set_grain<sizeof(sequences::record)>>};

TEST(sets_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_sets_by_hand(place); });
}
TEST(sets_on_cuda, intersection) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_set<intersections>(place); });
}
TEST(sets_on_cuda, unions) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_set<unions>(place); });
}
TEST(sets_on_cuda, difference) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_set<differences>(place); });
}
TEST(sets_on_cuda, symmetric_difference) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_set<symmetric_differences>(place); });
}

// Many tiles of few keys: what blocks hand to each other, at a size that a race detector can follow.
template <class Set, class Operation>
void check_across_tiles(device_place& place, const Operation& operation) {
  for (auto p : sequences::all_pairings) {
    if (!test::sampled()) continue;
    SCOPED_TRACE(sequences::to_string(p));
    const auto [a, b] = sequences::sorted<std::int32_t>(p, 1000);
    std::vector<std::int32_t> expected;
    Set::expected(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    auto x = place.put(a), y = place.put(b);
    auto out = place.room(static_cast<index_t>(expected.size()) + slack, std::int32_t{-7});
    auto *const first = x.data(), *const second = y.data();
    operation(place.ctx, first, first + a.size(), second, second + b.size(), out.data());
    EXPECT_TRUE(holds(out, expected, std::int32_t{-7}));
  }
}
TEST(sets_on_cuda, across_tiles) {
  using few = grain<32, 3>;
  on_device_place([](auto& place) {
    check_across_tiles<intersections>(place, [](auto&&... x) { set_intersection<few>(x...); });
    check_across_tiles<unions>(place, [](auto&&... x) { set_union<few>(x...); });
    check_across_tiles<differences>(place, [](auto&&... x) { set_difference<few>(x...); });
    check_across_tiles<symmetric_differences>(place, [](auto&&... x) { set_symmetric_difference<few>(x...); });
  });
}

}  // namespace kleene
