#include "kleene/streaming/cuda/reduce.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

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
  }
}

}  // namespace kleene::bench
