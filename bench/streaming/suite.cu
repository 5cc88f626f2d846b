#include "streaming/runs.cuh"

#include <cmath>

namespace kleene::bench {

namespace {

constexpr index_t sweep_items = index_t{64} << 20;  // 256 MB

__global__ void read_all(const int* in, index_t count, int* out) {
  int sum = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += index_t{gridDim.x} * blockDim.x)
    sum += in[i];
  if (sum == 42) *out = sum;  // never, but the compiler cannot know
}

}  // namespace

streaming_runs::streaming_runs(const context& c, const streaming_suite_options& o,
                               const std::function<void(const streaming_row&)>& done)
    : ctx(c), options(o), sweep_(sweep_items), done_(done) {
  require_cuda(cudaMemset(sweep_, 0, sweep_items * sizeof(int)), "clearing the sweep");
}

void streaming_runs::time(std::vector<timed>& contestants) {
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  gpu_timer timer(ctx.stream());
  for (int round = -3; round < options.rounds; ++round)
    for (timed& one : contestants) {
      if (one.before) one.before();
      read_all<<<1024, 512, 0, stream>>>(sweep_, sweep_items, sweep_);
      timer.start();
      one.call();
      timer.stop();
      if (round >= 0) one.seconds.push_back(timer.seconds());
    }
  ctx.synchronise();
}

void streaming_runs::add(const work& w) {
  if (!wants(w.name)) return;
  streaming_row row{w.name, w.items, w.amount, w.unit};
  row.at_least = w.at_least;
  try {
    std::vector<timed> contestants{{w.before_ours, w.ours}};
    for (const peer& p : w.peers) {
      if (!p.call || !options.peers) continue;
      contestants.push_back({w.before_peers, p.call});
      row.peers.push_back({p.name, 0});
    }
    row.of_peer = w.of_peer.value_or(w.at_least == 0 && !row.peers.empty() ? 1 : 0);
    time(contestants);
    const std::vector<double>& ours = contestants[0].seconds;
    row.seconds = median(ours);
    row.fastest = *std::min_element(ours.begin(), ours.end());
    row.slowest = *std::max_element(ours.begin(), ours.end());
    for (std::size_t p = 0; p < row.peers.size(); ++p) row.peers[p].seconds = median(contestants[p + 1].seconds);
    if (w.right && !w.right()) row.failure = "wrong result";
  } catch (const std::exception& e) {
    row.failure = e.what();
    row.peers.clear();
  }
  rows.push_back(row);
  done_(row);
}

std::vector<int> segment_offsets(index_t count, index_t segments, bool skewed) {
  std::vector<double> weight(segments);
  double sum = 0;
  for (index_t s = 0; s < segments; ++s) {
    const double u = static_cast<double>(splitmix(11, s) >> 11) * 0x1p-53 + 0x1p-54;
    sum += weight[s] = skewed ? std::pow(u, -1 / 1.05) : u;
  }
  std::vector<int> offsets(segments + 1);
  double before = 0;
  for (index_t s = 0; s < segments; ++s) {
    offsets[s] = static_cast<int>(before / sum * count);
    before += weight[s];
  }
  offsets[segments] = static_cast<int>(count);
  return offsets;
}

double copy_rate(const context& ctx) {
  constexpr index_t bytes = index_t{1} << 29;
  device_buffer<char> from(bytes), to(bytes);
  gpu_timer timer(ctx.stream());
  std::vector<double> seconds;
  for (int round = 0; round < 13; ++round) {
    timer.start();
    require_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(ctx.stream())),
                 "copying");
    timer.stop();
    if (round >= 3) seconds.push_back(timer.seconds());
    else timer.seconds();
  }
  return 2.0 * bytes / median(seconds);
}

std::vector<streaming_row> run_streaming_suite(const context& ctx, const streaming_suite_options& options,
                                               const std::function<void(const streaming_row&)>& done) {
  streaming_runs runs(ctx, options, done);
  for (const auto family :
       {bench_reduce, bench_scan, bench_merge, bench_sort, bench_radix_sort, bench_search, bench_load_balance,
        bench_interval_move, bench_join, bench_sets, bench_segments, bench_segmented_sort, bench_spmv, bench_gemv})
    family(runs);
  return runs.rows;
}

}  // namespace kleene::bench
