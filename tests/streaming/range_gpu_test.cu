// The checks of tests/streaming/range_checks.hpp on a CUDA device.
#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/cuda/load_balance.cuh"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/radix_sort.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/cuda/search.cuh"
#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/cuda/sets.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "streaming/range_checks.hpp"
#include "support/device_place.cuh"

namespace kleene {

TEST(range_on_cuda, reversed_or_negative) {
  on_device_place([](auto& place) { check_ranges(place); });
}

}  // namespace kleene
