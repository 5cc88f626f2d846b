// The checks of tests/streaming/sort_checks.hpp on a CUDA device.
#include "kleene/streaming/radix_sort.cuh"
#include "kleene/streaming/sort.cuh"
#include "streaming/sort_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

// The tiles of the first step and of the merges after it.
template <std::size_t Bytes>
constexpr index first_tile = sequences::tile<streaming::doubling<streaming::sort_grain<Bytes>>>;
template <std::size_t Bytes>
constexpr index merge_tile = sequences::tile<streaming::doubling<streaming::merge_grain<Bytes>>>;

TEST(sort_on_cuda, by_hand) {
  on_device_place([](auto& place) { check_sort_by_hand(place); });
}
TEST(sort_on_cuda, merge_sort) {
  const sequences::edges edges({first_tile<4>, merge_tile<4>, first_tile<8>, merge_tile<8>,
                                first_tile<sizeof(sequences::record)>, merge_tile<sizeof(sequences::record)>});
  on_device_place([](auto& place) { check_merge_sort(place); });
}
TEST(sort_on_cuda, merge_sort_by_key) {
  const sequences::edges edges({first_tile<8>, merge_tile<8>, first_tile<sizeof(sequences::record) + 4>,
                                merge_tile<sizeof(sequences::record) + 4>});
  on_device_place([](auto& place) { check_merge_sort_by_key(place); });
}
// So many tiles that a kernel cuts for the merges.
TEST(sort_on_cuda, many_tiles) {
  on_device_place([](auto& place) {
    for (auto s : {sequences::shape::random, sequences::shape::duplicates, sequences::shape::reversed}) {
      SCOPED_TRACE(sequences::to_string(s));
      check_merge_sort_of(place, sequences::keys<std::int32_t>(s, 3000001), ops::less{});
      check_merge_sort_by_key_of(place, sequences::keys<float>(s, 3000001), ops::less{});
    }
    check_segmented_sort_of(place, {1000, 1300001}, sequences::segmentation::random);
  });
}
TEST(sort_on_cuda, radix_sort) {
  on_device_place([](auto& place) { check_radix_sort(place); });
}
TEST(sort_on_cuda, radix_extremes) {
  on_device_place([](auto& place) {
    check_radix_extremes<std::int64_t>(place);
    check_radix_extremes<double>(place);
    check_radix_extremes<float, std::int32_t>(place);
  });
}
// Of ints with their segments, and of records with theirs and values.
TEST(sort_on_cuda, segmented) {
  constexpr std::size_t ints = sizeof(streaming::segment_key<std::int32_t>),
                        records = sizeof(streaming::segment_key<sequences::record>) + sizeof(std::int32_t);
  const sequences::edges edges({first_tile<ints>, merge_tile<ints>, first_tile<records>, merge_tile<records>});
  on_device_place([](auto& place) { check_segmented_sort(place); });
}
TEST(sort_on_cuda, segments_of_nothing) {
  on_device_place([](auto& place) { check_segmented_sort_of_nothing(place); });
}

}  // namespace kleene
