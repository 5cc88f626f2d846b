#include "kleene/streaming/cuda/merge.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

void bench_long_merge(streaming_runs& runs, index_t n, const std::string& size) {
  const context& ctx = runs.ctx;
  device_buffer<long long> keys(n), out(n), expected(n);
  const index_t half = n / 2;
  long long *const a = keys, *const b = a + half;
  fill(a, n, random_below<long long>{5, 1ull << 62});
  peers::sort_now(a, half);
  peers::sort_now(b, n - half);
  runs.add({"merge keys i64" + size,
            n,
            16.0 * n,
            "GB/s",
            [&] { merge(ctx, a, b, b, a + n, static_cast<long long*>(out)); },
            [&] { return !runs.options.peers || same<long long, long long>(out, expected, n); },
            {peers::merge(ctx, a, half, b, n - half, expected)}});
}

}  // namespace

void bench_merge(streaming_runs& runs) {
  if (!runs.wants_some("merge")) return;
  const context& ctx = runs.ctx;
  for (const index_t n : {runs.options.items, index_t{1} << 20}) {
    const bool large = n != index_t{1} << 20;
    const std::string size = large ? "" : ", 1 Mi";
    device_buffer<int> keys(n), values(n), out(n), expected(n), out_values(n), expected_values(n);
    const index_t half = n / 2;
    int *const a = keys, *const b = a + half, *const av = values, *const bv = av + half;
    fill(a, n, random_below<int>{5, 1u << 31});
    peers::sort_now(a, half);
    peers::sort_now(b, n - half);
    fill(av, n, random_below<int>{6, 1u << 31});
    runs.add({"merge keys" + size,
              n,
              8.0 * n,
              "GB/s",
              [&] { merge(ctx, a, b, b, a + n, (int*)out); },
              [&] { return !runs.options.peers || same<int, int>(out, expected, n); },
              {peers::merge(ctx, a, half, b, n - half, expected)},
              large ? 3650.0 : 0});
    runs.add({"merge pairs" + size,
              n,
              16.0 * n,
              "GB/s",
              [&] { merge_by_key(ctx, a, b, av, b, a + n, bv, (int*)out, (int*)out_values); },
              [&] {
                return !runs.options.peers ||
                       (same<int, int>(out, expected, n) && same<int, int>(out_values, expected_values, n));
              },
              {peers::merge_pairs(ctx, a, av, half, b, bv, n - half, expected, expected_values)},
              large ? 3550.0 : 0});
    bench_long_merge(runs, n, size);
  }
}

}  // namespace kleene::bench
