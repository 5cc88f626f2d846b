#include "kleene/streaming/cuda/scan.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

struct compose {  // first f, then g
  KLEENE_FUNCTION affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

struct some_affine {
  __device__ affine operator()(index_t i) const {
    return {splitmix(3, i) % 2 ? 1.0f : -1.0f, static_cast<float>(splitmix(4, i) % 16)};
  }
};

}  // namespace

void bench_scan(streaming_runs& runs) {
  if (!runs.wants_some("scan")) return;
  const context& ctx = runs.ctx;
  for (const index_t n : {runs.options.items, index_t{1} << 20}) {
    const bool large = n != index_t{1} << 20;
    const std::string size = large ? "" : ", 1 Mi";
    {
      device_buffer<int> in(n), out(n), expected(n);
      fill(static_cast<int*>(in), n, random_below<int>{2, 1u << 30});
      const int* from = in;
      const auto right = [&] { return !runs.options.peers || same<int, int>(out, expected, n); };
      runs.add({"scan" + size,
                n,
                8.0 * n,
                "GB/s",
                [&] { inclusive_scan(ctx, from, from + n, (int*)out); },
                right,
                {peers::scan(ctx, in, expected, n)},
                large ? 3500.0 : 0});
      runs.add({"scan, user operator" + size,
                n,
                8.0 * n,
                "GB/s",
                [&] { inclusive_scan(ctx, from, from + n, (int*)out, user_max{}); },
                right,
                {peers::scan_user(ctx, in, expected, n)},
                large ? 3400.0 : 0});
    }
    {
      device_buffer<long long> in(n), out(n), expected(n);
      fill(static_cast<long long*>(in), n, random_below<long long>{2, 1ull << 60});
      const long long* from = in;
      runs.add({"scan i64" + size,
                n,
                16.0 * n,
                "GB/s",
                [&] { inclusive_scan(ctx, from, from + n, (long long*)out); },
                [&] { return !runs.options.peers || same<long long, long long>(out, expected, n); },
                {peers::scan(ctx, in, expected, n)},
                large ? 3600.0 : 0});
    }
    {
      device_buffer<int> keys(n), in(n), out(n), expected(n);
      fill(static_cast<int*>(keys), n, random_below<int>{17, static_cast<std::uint64_t>(n / 32)});
      peers::sort_now(static_cast<int*>(keys), n);
      fill(static_cast<int*>(in), n, random_below<int>{18, 1u << 20});
      const int *const k = keys, *const v = in;
      runs.add({"scan by key" + size,
                n,
                12.0 * n,
                "GB/s",
                [&] { inclusive_scan_by_key(ctx, k, k + n, v, static_cast<int*>(out)); },
                [&] { return !runs.options.peers || same<int, int>(out, expected, n); },
                {peers::scan_by_key(ctx, keys, in, expected, n)}});
    }
    {
      device_buffer<affine> in(n), out(n), expected(n);
      fill(static_cast<affine*>(in), n, some_affine{});
      const affine* from = in;
      runs.add({"scan, affine maps 2 x f32" + size,
                n,
                16.0 * n,
                "GB/s",
                [&] { inclusive_scan(ctx, from, from + n, (affine*)out, compose{}); },
                [&] {  // whole numbers in floats: exact while they are small
                  return !runs.options.peers ||
                         same((float*)(affine*)out, (float*)(affine*)expected, 2 * std::min<index_t>(n, 1 << 16));
                },
                {peers::scan_affine(ctx, in, expected, n)},
                large ? 2800.0 : 0});
    }
  }
}

}  // namespace kleene::bench
