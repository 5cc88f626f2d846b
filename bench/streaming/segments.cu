#include "kleene/data/integers.hpp"
#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

std::vector<int> one_giant(index_t count, index_t empty) {
  std::vector<int> offsets(empty + 2);
  for (index_t s = 0; s <= empty + 1; ++s) offsets[s] = s <= empty / 2 ? 0 : static_cast<int>(count);
  return offsets;
}

__global__ void sums_of_segments(const int* in, const int* offsets, index_t segments, int* out) {
  const index_t s = (static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (s >= segments) return;
  int sum = 0;
  for (int i = offsets[s] + threadIdx.x % 32; i < offsets[s + 1]; i += 32) sum += in[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) out[s] = sum;
}

}  // namespace

void bench_segments(streaming_runs& runs) {
  if (!runs.wants_some("segmented reduce")) return;
  const context& ctx = runs.ctx;
  device_buffer<int> in(runs.options.items);
  fill(static_cast<int*>(in), in.count(), random_below<int>{10, 1u << 20});
  const int* const items = in;
  const auto row = [&](const char* name, index_t n, const std::vector<int>& host_offsets, double at_least) {
    const index_t segments = static_cast<index_t>(host_offsets.size()) - 1;
    device_buffer<int> offsets(segments + 1), out(segments), expected(segments);
    upload(static_cast<int*>(offsets), host_offsets);
    const int* const starts = offsets;
    runs.add({name,
              n,
              4.0 * n + 8.0 * segments,
              "GB/s",
              [&] { segmented_reduce(ctx, items, items + n, starts, segments, static_cast<int*>(out), 0); },
              [&] {
                sums_of_segments<<<static_cast<unsigned>(ceil_div(segments, 8)), 256>>>(items, starts, segments,
                                                                                        expected);
                return same<int, int>(out, expected, segments);
              },
              {peers::segmented_sum(ctx, items, starts, segments, expected)},
              at_least});
  };
  const index_t many = runs.options.items, few = index_t{1} << 20;
  row("segmented reduce, uniform", many, segment_offsets(many, many / 32, false), 3100);
  row("segmented reduce, skewed", many, segment_offsets(many, many / 32, true), 3200);
  row("segmented reduce, one giant, a million empty", many, one_giant(many, 1000000), 2900);
  row("segmented reduce, uniform, 1 Mi", few, segment_offsets(few, few / 32, false), 0);
  row("segmented reduce, skewed, 1 Mi", few, segment_offsets(few, few / 32, true), 0);
}

// Segments of 32 in the mean, or of 4,096.
void bench_segmented_sort(streaming_runs& runs) {
  if (!runs.wants_some("segmented sort")) return;
  const context& ctx = runs.ctx;
  const auto row = [&](const char* name, index_t n, const std::vector<int>& host_offsets) {
    const index_t segments = static_cast<index_t>(host_offsets.size()) - 1;
    device_buffer<int> random(n), keys(n), expected(n), offsets(segments + 1);
    fill(static_cast<int*>(random), n, random_below<int>{5, 1u << 31});
    upload(static_cast<int*>(offsets), host_offsets);
    int* const k = keys;
    const int* const starts = offsets;
    runs.add({name,
              n,
              1.0 * n,
              "G items/s",
              [&] { segmented_sort(ctx, k, k + n, starts, segments); },
              [&] { return !runs.options.peers || same<int, int>(keys, expected, n); },
              {peers::segmented_sort(ctx, random, expected, n, starts, segments)},
              0,
              {},
              [&] { copy_now(ctx, k, static_cast<const int*>(random), n); }});
  };
  const index_t many = runs.options.items, few = index_t{1} << 20;
  row("segmented sort, uniform", many, segment_offsets(many, many / 32, false));
  row("segmented sort, skewed", many, segment_offsets(many, many / 32, true));
  row("segmented sort, uniform, long", many, segment_offsets(many, many / 4096, false));
  row("segmented sort, uniform, 1 Mi", few, segment_offsets(few, few / 32, false));
}

}  // namespace kleene::bench
