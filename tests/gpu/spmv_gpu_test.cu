// The checks of tests/operations/spmv_checks.hpp on a CUDA device.
#include "kleene/operations/spmv.cuh"
#include "operations/spmv_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

// Rows and entries together.
constexpr std::initializer_list<index> tiles = {sequences::tile<streaming::spmv_grain>};

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

}  // namespace kleene
