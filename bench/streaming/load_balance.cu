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

}  // namespace kleene::bench
