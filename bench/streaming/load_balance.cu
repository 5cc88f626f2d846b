#include "kleene/streaming/cuda/load_balance.cuh"
#include "streaming/runs.cuh"

namespace kleene::bench {

namespace {

// Whether item i lies in the segment that out says.
__global__ void count_misplaced(const int* offsets, const int* out, index_t count, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += index_t{gridDim.x} * blockDim.x)
    mine += offsets[out[i]] > i || i >= offsets[out[i] + 1];
  if (mine) atomicAdd(wrong, mine);
}

}  // namespace

void bench_load_balance(streaming_runs& runs) {
  if (!runs.wants_some("load-balancing search")) return;
  const context& ctx = runs.ctx;
  for (const auto& [name, skewed, n, at_least] :
       {std::tuple{"load-balancing search, uniform", false, runs.options.items, 3100.0},
        std::tuple{"load-balancing search, skewed", true, runs.options.items, 3200.0},
        std::tuple{"load-balancing search, 1 Mi", false, index_t{1} << 20, 0.0}}) {
    const index_t segments = n / 4, count = n - segments;
    device_buffer<int> offsets(segments + 1), out(count), of_peer(count);
    upload(static_cast<int*>(offsets), segment_offsets(count, segments, skewed));
    runs.add(
        {name,
         n,
         4.0 * n,
         "GB/s",
         [&] { load_balancing_search(ctx, count, static_cast<const int*>(offsets), segments, static_cast<int*>(out)); },
         [&] {
           device_buffer<unsigned long long> wrong(1);
           require_cuda(cudaMemset(wrong, 0, 8), "checking");
           count_misplaced<<<2048, 256>>>(offsets, out, count, wrong);
           unsigned long long result = 1;
           require_cuda(cudaMemcpy(&result, wrong, 8, cudaMemcpyDeviceToHost), "checking");
           return result == 0;
         },
         {peers::upper_bound_of_numbers(ctx, count, offsets, segments, of_peer)},
         at_least});
  }
}

// Intervals of 32 items in the mean, from where they lie in order to places in the reverse order.
void bench_interval_move(streaming_runs& runs) {
  if (!runs.wants_some("interval move")) return;
  const context& ctx = runs.ctx;
  for (const auto& [name, skewed, count] : {std::tuple{"interval move, uniform", false, runs.options.items},
                                            std::tuple{"interval move, skewed", true, runs.options.items},
                                            std::tuple{"interval move, uniform, 1 Mi", false, index_t{1} << 20}}) {
    const index_t segments = count / 32;
    device_buffer<int> offsets(segments + 1), to(segments), bytes(segments), in(count), out(count), expected(count);
    const std::vector<int> starts = segment_offsets(count, segments, skewed);
    std::vector<int> places(segments), sizes(segments);
    std::vector<const int*> from_address(segments);
    std::vector<int*> to_address(segments);
    for (index_t s = 0; s < segments; ++s) {
      places[s] = static_cast<int>(count) - starts[s + 1], sizes[s] = 4 * (starts[s + 1] - starts[s]);
      from_address[s] = static_cast<int*>(in) + starts[s], to_address[s] = static_cast<int*>(expected) + places[s];
    }
    device_buffer<const int*> sources(segments);
    device_buffer<int*> targets(segments);
    upload(static_cast<int*>(offsets), starts);
    upload(static_cast<int*>(to), places);
    upload(static_cast<int*>(bytes), sizes);
    upload(static_cast<const int**>(sources), from_address);
    upload(static_cast<int**>(targets), to_address);
    fill(static_cast<int*>(in), count, random_below<int>{19, 1u << 31});
    const int* const at = offsets;
    runs.add({name,
              count,
              8.0 * count + 12.0 * segments,
              "GB/s",
              [&, count] {
                interval_move(ctx, count, at, segments, at, static_cast<const int*>(to), static_cast<const int*>(in),
                              static_cast<int*>(out));
              },
              [&, count] { return !runs.options.peers || same<int, int>(out, expected, count); },
              {peers::move_intervals(ctx, sources, targets, bytes, segments)}});
  }
}

}  // namespace kleene::bench
