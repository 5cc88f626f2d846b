#include "kleene/streaming/cuda/radix_sort.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

void bench_long_radix_sort(streaming_runs& runs, index_t n) {
  const context& ctx = runs.ctx;
  device_buffer<long long> random(n), keys(n), expected(n), spare(n);
  fill(static_cast<long long*>(random), n, random_below<long long>{5, 1ull << 62});
  const auto reset = [&](long long* to) {
    return [&ctx, &random, n, to] { copy_now(ctx, to, static_cast<const long long*>(random), n); };
  };
  long long* const k = keys;
  runs.add({"radix sort keys i64",
            n,
            1.0 * n,
            "G items/s",
            [&] { radix_sort(ctx, k, k + n); },
            [&] { return !runs.options.peers || same<long long, long long>(keys, expected, n); },
            {peers::radix_sort(ctx, expected, spare, n)},
            0,
            0.97,
            reset(keys),
            reset(expected)});
}

}  // namespace

void bench_radix_sort(streaming_runs& runs) {
  if (!runs.wants_some("radix sort")) return;
  const context& ctx = runs.ctx;
  const index_t n = runs.options.items;
  device_buffer<int> random(n), keys(n), values(n), expected(n), expected_values(n), spare(n), spare_values(n);
  fill(static_cast<int*>(random), n, random_below<int>{5, 1u << 31});
  fill(static_cast<int*>(values), n, random_below<int>{6, 1u << 31});
  int *const k = keys, *const v = values;
  const auto reset = [&](int* to) {
    return [&ctx, &random, n, to] { copy_now(ctx, to, static_cast<const int*>(random), n); };
  };
  const auto right = [&] { return !runs.options.peers || same<int, int>(keys, expected, n); };
  runs.add({"radix sort keys",
            n,
            1.0 * n,
            "G items/s",
            [&] { radix_sort(ctx, k, k + n); },
            right,
            {peers::radix_sort(ctx, expected, spare, n)},
            0,
            0.97,
            reset(keys),
            reset(expected)});
  runs.add({"radix sort pairs",
            n,
            1.0 * n,
            "G items/s",
            [&] { radix_sort_by_key(ctx, k, k + n, v); },
            right,
            {peers::radix_sort_pairs(ctx, expected, expected_values, spare, spare_values, n)},
            0,
            0.97,
            reset(keys),
            reset(expected)});
  bench_long_radix_sort(runs, n);
}

}  // namespace kleene::bench
