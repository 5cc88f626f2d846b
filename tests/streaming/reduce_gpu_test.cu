// The checks of tests/streaming/reduce_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/runs.cuh"
#include "streaming/reduce_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

// Vectors of 16 bytes hold one, two or four items.
constexpr index_t vectors = sequences::tile<streaming::reduce_grain<4>>;
constexpr std::initializer_list<index_t> tiles = {vectors, 2 * vectors, 4 * vectors};

TEST(reduce_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_reduce_by_hand(place); });
}
TEST(reduce_on_cuda, sums) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_reduce(place); });
}
TEST(reduce_on_cuda, ordered) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_ordered_reduce(place); });
}
TEST(reduce_on_cuda, ordered_words) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_ordered_words(place); });
}
TEST(reduce_on_cuda, arg) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_arg(place); });
}
TEST(reduce_on_cuda, by_key) {
  const sequences::edges edges({sequences::tile<streaming::run_grain<8>>, sequences::tile<streaming::run_grain<12>>,
                                sequences::tile<streaming::run_grain<16>>});
  on_device_place([](auto& place) { check_reduce_by_key(place); });
}

}  // namespace kleene
