// The checks of tests/operations/spmv_checks.hpp on a CUDA device.
#include "kleene/operations/spmv.cuh"
#include "operations/spmv_checks.hpp"
#include "streaming/large.cuh"
#include "support/device_place.cuh"

namespace kleene {

constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::spmv_grain>};

TEST(spmv_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_spmv_by_hand(place); });
}
TEST(spmv_on_cuda, all_segmentations) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) {
    check_spmv_over<plus_times<double>>(place);
    check_spmv_over<min_plus<float>>(place);
  });
}
TEST(spmv_on_cuda, integers) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_spmv_over<plus_times<std::int32_t>>(place); });
}
// Of offsets of 64 bits and columns of 8.
TEST(spmv_on_cuda, a_ring_of_ones_own) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_spmv_over<shortest_counted, std::int64_t, std::uint8_t>(place); });
}
TEST(spmv_on_cuda, without_entries) {
  on_device_place([](auto& place) { check_spmv_without_entries(place); });
}
TEST(large_on_cuda, spmv) {
  on_large_device([](auto& place) { check_large_spmv(place); });
}

}  // namespace kleene
