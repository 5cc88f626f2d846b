#include "kleene/streaming/cuda/sort.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

void bench_long_sort(streaming_runs& runs, index_t n, const std::string& size) {
  const context& ctx = runs.ctx;
  device_buffer<long long> random(n), keys(n), expected(n);
  fill(static_cast<long long*>(random), n, random_below<long long>{5, 1ull << 62});
  const auto reset = [&](long long* to) {
    return [&ctx, &random, n, to] { copy_now(ctx, to, static_cast<const long long*>(random), n); };
  };
  long long* const k = keys;
  runs.add({"merge sort keys i64" + size,
            n,
            1.0 * n,
            "G items/s",
            [&] { merge_sort(ctx, k, k + n); },
            [&] { return !runs.options.peers || same<long long, long long>(keys, expected, n); },
            {peers::merge_sort(ctx, expected, n)},
            0,
            {},
            reset(keys),
            reset(expected)});
}

}  // namespace

void bench_sort(streaming_runs& runs) {
  if (!runs.wants_some("merge sort")) return;
  const context& ctx = runs.ctx;
  for (const index_t n : {runs.options.items, index_t{1} << 20}) {
    const bool large = n != index_t{1} << 20;
    const std::string size = large ? "" : ", 1 Mi";
    device_buffer<int> random(n), keys(n), values(n), expected(n), expected_values(n);
    fill(static_cast<int*>(random), n, random_below<int>{5, 1u << 31});
    fill(static_cast<int*>(values), n, random_below<int>{6, 1u << 31});
    require_cuda(cudaMemcpy(expected_values, values, n * sizeof(int), cudaMemcpyDeviceToDevice), "copying values");
    int *const k = keys, *const v = values;
    const auto reset = [&](int* to) {
      return [&ctx, &random, n, to] { copy_now(ctx, to, static_cast<const int*>(random), n); };
    };
    const auto right = [&] { return !runs.options.peers || same<int, int>(keys, expected, n); };
    runs.add({"merge sort keys" + size,
              n,
              1.0 * n,
              "G items/s",
              [&] { merge_sort(ctx, k, k + n); },
              right,
              {peers::merge_sort(ctx, expected, n)},
              large ? 26.0 : 0,
              {},
              reset(keys),
              reset(expected)});
    runs.add({"merge sort pairs" + size,
              n,
              1.0 * n,
              "G items/s",
              [&] { merge_sort_by_key(ctx, k, k + n, v); },
              right,
              {peers::merge_sort_pairs(ctx, expected, expected_values, n)},
              large ? 13.5 : 0,
              {},
              reset(keys),
              reset(expected)});
    bench_long_sort(runs, n, size);
  }
}

}  // namespace kleene::bench
