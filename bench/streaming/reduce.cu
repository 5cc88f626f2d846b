#include "kleene/streaming/cuda/reduce.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

void bench_long_reduce(streaming_runs& runs, index_t n, const std::string& size) {
  const context& ctx = runs.ctx;
  device_buffer<long long> in(n), out(1), expected(1);
  fill(static_cast<long long*>(in), n, random_below<long long>{1, 1u << 30});
  const long long* const from = in;
  runs.add({"reduce i64" + size,
            n,
            8.0 * n,
            "GB/s",
            [&] { reduce_to(ctx, from, from + n, static_cast<long long*>(out), 0ll); },
            [&] { return !runs.options.peers || same<long long, long long>(out, expected, 1); },
            {peers::reduce(ctx, in, expected, n)}});
}

// Runs of 32 in the mean: sorted random keys below n / 32.
void bench_reduce_by_key(streaming_runs& runs, index_t n, const std::string& size) {
  const context& ctx = runs.ctx;
  device_buffer<int> keys(n), values(n), keys_out(n), out(n), expected_keys(n), expected(n), count(1),
      expected_count(1);
  fill(static_cast<int*>(keys), n, random_below<int>{17, static_cast<std::uint64_t>(n / 32)});
  peers::sort_now(static_cast<int*>(keys), n);
  fill(static_cast<int*>(values), n, random_below<int>{18, 1u << 20});
  const int *const k = keys, *const v = values;
  runs.add({"reduce by key" + size,
            n,
            8.0 * n + 8.0 * (n / 32),
            "GB/s",
            [&] {
              reduce_by_key_to(ctx, k, k + n, v, static_cast<int*>(keys_out), static_cast<int*>(out),
                               static_cast<int*>(count));
            },
            [&] {
              int found = 0;
              require_cuda(cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost), "reading the count");
              return !runs.options.peers ||
                     (same<int, int>(count, expected_count, 1) && same<int, int>(keys_out, expected_keys, found) &&
                      same<int, int>(out, expected, found));
            },
            {peers::reduce_by_key(ctx, keys, values, n, expected_keys, expected, expected_count)}});
}

}  // namespace

void bench_reduce(streaming_runs& runs) {
  if (!runs.wants_some("reduce")) return;
  const context& ctx = runs.ctx;
  for (const index_t n : {runs.options.items, index_t{1} << 20}) {
    const std::string size = n == index_t{1} << 20 ? ", 1 Mi" : "";
    const double bytes = 4.0 * n;
    const bool large = size.empty();
    device_buffer<int> in(n), out(1), expected(1);
    fill(static_cast<int*>(in), n, random_below<int>{1, 1u << 30});
    const auto right = [&] { return !runs.options.peers || same<int, int>(out, expected, 1); };
    runs.add({"reduce" + size,
              n,
              bytes,
              "GB/s",
              [&] { reduce_to(ctx, (const int*)in, (const int*)in + n, (int*)out, 0); },
              right,
              {peers::reduce(ctx, in, expected, n)},
              large ? 4200.0 : 0});
    runs.add({"reduce, user operator" + size,
              n,
              bytes,
              "GB/s",
              [&] { reduce_to(ctx, (const int*)in, (const int*)in + n, (int*)out, 0, user_max{}); },
              right,
              {peers::reduce_user(ctx, in, expected, n)},
              large ? 4200.0 : 0});
    runs.add({"ordered reduce" + size,
              n,
              bytes,
              "GB/s",
              [&] { ordered_reduce_to(ctx, (const int*)in, (const int*)in + n, (int*)out, 0, user_max{}); },
              right,
              {peers::reduce_user(ctx, in, expected, n)},
              large ? 3900.0 : 0});
    bench_long_reduce(runs, n, size);
    bench_reduce_by_key(runs, n, size);
  }
}

}  // namespace kleene::bench
