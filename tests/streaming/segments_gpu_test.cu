// The checks of tests/streaming/segments_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/segments.cuh"
#include "streaming/segments_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

// Sums of maps; segments and items together.
constexpr std::initializer_list<index_t> tiles = {sequences::tile<streaming::segment_grain<8>>};

TEST(segments_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_segments_by_hand(place); });
}
TEST(segments_on_cuda, all_segmentations) {
  const sequences::edges edges(tiles);
  on_device_place([](auto& place) { check_segments(place); });
}
// So many tiles that a kernel cuts.
TEST(segments_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    check_segments_of(place, {500001, 1600000});
    check_segments_of(place, {7, 2200000});
  });
}
TEST(segments_on_cuda, without_items) {
  on_device_place([](auto& place) { check_segments_without_items(place); });
}
TEST(segments_on_cuda, computed) {
  const sequences::edges edges({sequences::tile<streaming::term_grain<8>>});
  on_device_place([](auto& place) {
    check_segments_of_computed<tuned, std::uint32_t, affine_at>(place, sequences::then{});
    check_segments_of_computed<grain<64, 16>, std::int32_t, affine_at>(place, sequences::then{});
    check_segments_of_computed<grain<1024, 4>, std::int32_t, affine_at>(place, sequences::then{});
    check_segments_of_computed<tuned, std::int64_t, tropical_at>(place, sequences::tropical_product{});
  });
}
TEST(segments_on_cuda, bytes) {
  on_device_place([](auto& place) { check_segments_of_bytes(place); });
}
TEST(segments_on_cuda, long_offsets) {
  on_device_place([](auto& place) { check_segments_of_long_offsets(place); });
}

}  // namespace kleene
