// The checks of tests/streaming/range_checks.hpp on a CUDA device.
#include "kleene/streaming/join.cuh"
#include "kleene/streaming/load_balance.cuh"
#include "kleene/streaming/merge.cuh"
#include "kleene/streaming/radix_sort.cuh"
#include "kleene/streaming/reduce.cuh"
#include "kleene/streaming/scan.cuh"
#include "kleene/streaming/search.cuh"
#include "kleene/streaming/segments.cuh"
#include "kleene/streaming/sets.cuh"
#include "kleene/streaming/sort.cuh"
#include "streaming/range_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(range_on_cuda, reversed_or_negative) {
  on_device_place([](auto& place) { check_ranges(place); });
}

}  // namespace kleene
