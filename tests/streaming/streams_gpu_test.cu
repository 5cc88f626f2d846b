// Every family of streaming/ on two streams at the same time (radix sorts in sort_gpu_test.cu), and in a graph.
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/operations/spmv.cuh"
#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/cuda/load_balance.cuh"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/cuda/search.cuh"
#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/cuda/sets.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "streaming/beside.cuh"

namespace kleene {
namespace {

using key = std::int32_t;

// What look-back, cuts, counts and sums of tiles go through memory for: workspace, tagged and temporary.
void prepare(work& w) {
  const index_t n = w.count(), segments = n / 4;
  const context& ctx = w.ctx();
  const key *const items = w.input(w.keys()), *const a = w.input(w.ascending()), *const b = w.input(w.ascending());
  const key* const offsets = w.fixed(sequences::offsets<key>(sequences::segmentation::random, segments, n));

  const auto sum = w.output<index_t>(1), least = w.output<index_t>(1);
  w.step([=, &ctx](int round) { reduce_to(ctx, items + round, items + round + n, sum, index_t{1}); });
  w.step([=, &ctx](int round) { arg_min_to(ctx, items + round, items + round + n, least); });
  const auto runs = w.output<key>(n), run_sums = w.output<key>(n);
  const auto run_count = w.output<index_t>(1);
  w.step([=, &ctx](int round) {
    reduce_by_key_to(ctx, a + round, a + round + n, items + round, runs, run_sums, run_count);
  });
  const auto sums = w.output<std::int64_t>(n);
  w.step([=, &ctx](int round) { exclusive_scan(ctx, items + round, items + round + n, sums, std::int64_t{1}); });
  const auto sums_by_key = w.output<key>(n);
  w.step([=, &ctx](int round) { inclusive_scan_by_key(ctx, a + round, a + round + n, items + round, sums_by_key); });
  const auto merged = w.output<key>(2 * n);
  w.step([=, &ctx](int round) { merge(ctx, a + round, a + round + n, b + round, b + round + n, merged); });
  const auto sorted = w.output<key>(n);
  w.step([=, &ctx](int round) {
    gpu::require(cudaMemcpyAsync(sorted, items + round, static_cast<std::size_t>(n) * sizeof(key),
                                 cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(ctx.stream())),
                 "copying items");
    merge_sort(ctx, sorted, sorted + n);
  });
  const auto sorted_in_segments = w.output<key>(n);
  w.step([=, &ctx](int round) {
    gpu::require(cudaMemcpyAsync(sorted_in_segments, items + round, static_cast<std::size_t>(n) * sizeof(key),
                                 cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(ctx.stream())),
                 "copying items");
    segmented_sort(ctx, sorted_in_segments, sorted_in_segments + n, offsets, segments);
  });
  const auto places = w.output<key>(n);
  w.step([=, &ctx](int round) { lower_bound(ctx, a + round, a + round + n, b + round, b + round + n, places); });
  const auto expanded = w.output<key>(n);
  w.step([=, &ctx](int round) { interval_expand(ctx, n, offsets, segments, items + round, expanded); });
  const auto segment_sums = w.output<key>(segments);
  w.step([=, &ctx](int round) {
    segmented_reduce(ctx, items + round, items + round + n, offsets, segments, segment_sums, 1);
  });
  const auto sums_in_segments = w.output<key>(n);
  w.step([=, &ctx](int round) {
    segmented_inclusive_scan(ctx, items + round, items + round + n, offsets, segments, sums_in_segments);
  });
  const auto left = w.output<index_t>(2 * n), right = w.output<index_t>(2 * n), rows = w.output<index_t>(1);
  w.step([=, &ctx](int round) {
    join_to(ctx, join_kind::inner, a + round, a + round + n, b + round, b + round + n, left, right, 2 * n, rows);
  });
  const auto either = w.output<key>(2 * n);
  const auto either_count = w.output<index_t>(1);
  w.step([=, &ctx](int round) {
    set_union_to(ctx, a + round, a + round + n, b + round, b + round + n, either, either_count);
  });
  const auto y = w.output<index_t>(segments);
  w.step([=, &ctx](int round) {  // the ascending keys are the columns
    spmv(ctx, plus_times<index_t>{}, csr_arrays{segments, n, offsets, a + round, items + round}, b + round, y);
  });
}

TEST(streams_on_cuda, two_in_one_thread) { check_beside_in_one_thread(prepare); }
TEST(streams_on_cuda, two_threads) { check_beside_in_two_threads(prepare); }
TEST(streams_on_cuda, captured) { check_captured(prepare); }

}  // namespace
}  // namespace kleene
