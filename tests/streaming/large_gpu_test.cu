// The checks of tests/streaming/large_checks.hpp on a CUDA device, and bytes in its memory, every result of which is
// looked at where it lies. Large sorts are in sort_gpu_test.cu, a large matrix in spmv_gpu_test.cu.
#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/cuda/load_balance.cuh"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/cuda/search.cuh"
#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/cuda/sets.cuh"
#include "streaming/large.cuh"
#include "streaming/large_checks.hpp"

namespace kleene {
namespace {

TEST(large_on_cuda, reductions) {
  on_large_device([](auto& place) { check_large_reductions(place); });
}
TEST(large_on_cuda, reduce_by_key) {
  on_large_device([](auto& place) { check_large_reduce_by_key(place); });
}
TEST(large_on_cuda, scans) {
  on_large_device([](auto& place) { check_large_scans(place); });
}
TEST(large_on_cuda, scans_by_key) {
  on_large_device([](auto& place) { check_large_scans_by_key(place); });
}
TEST(large_on_cuda, merge_by_key) {
  on_large_device([](auto& place) { check_large_merge_by_key(place); });
}
TEST(large_on_cuda, bounds) {
  on_large_device([](auto& place) { check_large_bounds(place); });
}
TEST(large_on_cuda, sorted_search) {
  on_large_device([](auto& place) { check_large_sorted_search(place); });
}
TEST(large_on_cuda, load_balance) {
  on_large_device([](auto& place) {
    check_large_load_balancing_search(place, true);
    check_large_transform_lbs(place);
    check_large_intervals(place);
  });
}
TEST(large_on_cuda, segmented_reduce) {
  on_large_device([](auto& place) { check_large_segmented_reduce(place, true); });
}
TEST(large_on_cuda, segmented_scans) {
  on_large_device([](auto& place) { check_large_segmented_scans(place); });
}
TEST(large_on_cuda, joins) {
  on_large_device([](auto& place) { check_large_joins(place, true); });
}
TEST(large_on_cuda, sets) {
  on_large_device([](auto& place) { check_large_sets(place); });
}

using bytes = large_array<unsigned char>;

// Bytes as functions of their places.
struct remainder {
  static constexpr index_t divisor = 251;
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return i % divisor; }
  KLEENE_FUNCTION static constexpr index_t sum(index_t n) {
    return n / divisor * sum_below(divisor) + sum_below(n % divisor);
  }
};
struct sum_of_remainders {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return remainder::sum(i + 1); }
};
struct step {
  index_t at;
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const { return i >= at; }
};
struct steps {
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const {
    return (i >= two_to_31 / 2) + (i >= two_to_31 - 1) + (i >= two_to_31) + (i >= two_to_31 + 2);
  }
};

TEST(large_on_cuda, reduce_and_scan_bytes) {
  on_large_device([](auto& place) {
    const bytes x(place, many, remainder{});
    EXPECT_EQ(reduce(place.ctx, x.data(), x.end(), index_t{7}), remainder::sum(many) + 7);
    EXPECT_EQ(inclusive_scan(place.ctx, x.data(), x.end(), x.data()), x.end());  // modulo 256
    EXPECT_EQ(x.others(many, sum_of_remainders{}), 0);
  });
}

TEST(large_on_cuda, merge_bytes) {
  on_large_device([](auto& place) {
    constexpr index_t ones = two_to_31 / 2 + 3, zeros = many - ones;
    const bytes x(place, ones, step{0}), y(place, zeros, step{zeros}), z(place, many, remainder{});
    unsigned char *const a = x.data(), *const b = y.data(), *const out = z.data();
    EXPECT_EQ(merge_smallest(place.ctx, a, a + ones, b, b + zeros, many - 1, out), out + many - 1);
    EXPECT_EQ(z.others(many - 1, step{zeros}), 0);
    EXPECT_EQ(merge(place.ctx, a, a + ones, b, b + zeros, out), out + many);
    EXPECT_EQ(z.others(many, step{zeros}), 0);
    EXPECT_EQ(merge(place.ctx, a, a + ones, a, a + zeros, out), out + many);  // all alike
    EXPECT_EQ(z.others(many, step{0}), 0);
    EXPECT_EQ(z.behind(), remainder{}(many));
  });
}

TEST(large_on_cuda, lower_bound_in_bytes) {
  on_large_device([](auto& place) {
    const bytes hay(place, many, steps{});
    auto needles = place.put(std::vector<unsigned char>{0, 1, 2, 3, 4, 5});
    auto found = place.room(6 + slack, index_t{-7});
    lower_bound(place.ctx, needles.data(), needles.data() + 6, hay.data(), hay.end(), found.data());
    EXPECT_TRUE(holds(found, std::vector<index_t>{0, two_to_31 / 2, two_to_31 - 1, two_to_31, two_to_31 + 2, many},
                      index_t{-7}));
  });
}

}  // namespace
}  // namespace kleene
