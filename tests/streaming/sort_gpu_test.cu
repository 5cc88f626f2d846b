// The checks of tests/streaming/sort_checks.hpp on a CUDA device.
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/streaming/cuda/radix_sort.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "streaming/beside.cuh"
#include "streaming/large.cuh"
#include "streaming/sort_checks.hpp"
#include "support/device_place.cuh"
#include "support/sample.hpp"

namespace kleene {

// The tiles of the first step and of the merges after it.
template <std::size_t Bytes>
constexpr index_t first_tile = sequences::tile<streaming::doubling<streaming::sort_grain<Bytes>>>;
template <std::size_t Bytes>
constexpr index_t merge_tile = sequences::tile<streaming::doubling<streaming::merge_grain<Bytes>>>;

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
  });
}
// Segments within a tile, in two tiles, in many; the last of each size where a kernel cuts for the merges.
TEST(sort_on_cuda, segments_in_many_tiles) {
  on_device_place([](auto& place) {
    for (index_t segments : {3, 40, 150, 1000, 100000})
      for (index_t n : {100003, 1300001, 3000001})
        if (test::sampled()) check_segmented_sort_of(place, {segments, n}, sequences::segmentation::random);
    const index_t many = test::sampled_items(1300001);
    check_segmented_sort_of(place, {1000, many}, sequences::segmentation::one_giant);
    check_segmented_sort_of(place, {1000000, many}, sequences::segmentation::mostly_empty);
    check_segmented_sort_within(place, 40, many);
    check_segmented_sort_within(place, 100000, many);
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
// Of ints, and of records with values.
TEST(sort_on_cuda, segmented) {
  constexpr std::size_t records = sizeof(sequences::record) + sizeof(std::int32_t);
  const sequences::edges edges({first_tile<4>, merge_tile<4>, first_tile<records>, merge_tile<records>});
  on_device_place([](auto& place) { check_segmented_sort(place); });
}
TEST(sort_on_cuda, segments_of_nothing) {
  on_device_place([](auto& place) { check_segmented_sort_of_nothing(place); });
}

// Radix sorts on two streams at the same time; streams_gpu_test.cu has all else.
TEST(sort_on_cuda, radix_sorts_beside_each_other) {
  const auto prepare = [](work& w) {
    const index_t n = w.count();
    const context& ctx = w.ctx();
    const auto copy = [&ctx, n](const std::int32_t* from, auto* to) {
      gpu::require(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(*to), cudaMemcpyDeviceToDevice,
                                   static_cast<cudaStream_t>(ctx.stream())),
                   "copying items");
    };
    const std::int32_t* const items = w.input(w.keys());
    const auto alone = w.output<std::int32_t>(n), values = w.output<std::int32_t>(n);
    float* const keys = w.input(std::vector<float>(static_cast<std::size_t>(n)));
    w.step([=, &ctx](int round) {
      copy(items + round, alone);
      radix_sort(ctx, alone, alone + n);
    });
    w.step([=, &ctx](int round) {
      copy(items + round, reinterpret_cast<std::int32_t*>(keys));  // some floats, whatever their values
      copy(items + round, values);
      radix_sort_by_key(ctx, keys, keys + n, values);
    });
  };
  check_beside_in_one_thread(prepare);
}

// 2^31 + 5 ints alone, bytes with bytes as values.
TEST(large_on_cuda, sorts) {
  on_large_device([](auto& place) {
    const auto check = [&](const auto& sort) {
      const large_array<std::int32_t> keys(place, many, large_keys{});
      sort(keys.data(), keys.end());
      EXPECT_EQ(keys.others(many, sorted_large_keys{}), 0);
      EXPECT_EQ(keys.behind(), large_keys{}(many));
    };
    check([&](auto first, auto last) { merge_sort(place.ctx, first, last); });
    check([&](auto first, auto last) { radix_sort(place.ctx, first, last); });
    auto offsets = place.put(std::vector<std::int64_t>{0, 0, many});
    check([&](auto first, auto last) { segmented_sort(place.ctx, first, last, offsets.data(), 2); });
  });
}
TEST(large_on_cuda, sorts_by_key) {
  on_large_device([](auto& place) {
    const auto check = [&](const auto& sort) {
      const large_array<std::uint8_t> keys(place, many, large_keys{}), values(place, many, large_values{});
      sort(keys.data(), keys.end(), values.data());
      EXPECT_EQ(keys.others(many, sorted_large_keys{}), 0);
      EXPECT_EQ(values.others(many, sorted_large_values{}), 0);
      EXPECT_EQ(keys.behind(), large_keys{}(many));
      EXPECT_EQ(values.behind(), large_values{}(many));
    };
    check([&](auto first, auto last, auto values) { merge_sort_by_key(place.ctx, first, last, values); });
    check([&](auto first, auto last, auto values) { radix_sort_by_key(place.ctx, first, last, values); });
  });
}

}  // namespace kleene
