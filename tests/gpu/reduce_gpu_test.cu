// The checks of tests/streaming/reduce_checks.hpp on a CUDA device.
#include "kleene/streaming/reduce.cuh"
#include "kleene/streaming/runs.cuh"
#include "streaming/reduce_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(reduce_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_reduce_by_hand(place); });
}
TEST(reduce_on_cuda, sums) {
  on_device_place([](auto& place) { check_reduce(place); });
}
TEST(reduce_on_cuda, ordered) {
  on_device_place([](auto& place) { check_ordered_reduce(place); });
}
TEST(reduce_on_cuda, arg) {
  on_device_place([](auto& place) { check_arg(place); });
}
TEST(reduce_on_cuda, by_key) {
  on_device_place([](auto& place) { check_reduce_by_key(place); });
}

}  // namespace kleene
