// A log-sum-exp product: its workspace, and its launches in the order in which they run.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/gemm/log_sums/kernel.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/maxima.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/pack.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/stream_launch.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

// Whether the device at hand runs this build's kernel with its body: the body has barriers in static shared memory.
template <class G>
bool has_log_sums() {
  cudaFuncAttributes is{};
  return cudaFuncGetAttributes(&is, gemm_log_sums<false, G>) == cudaSuccess && is.sharedSizeBytes > 0;
}

struct log_sums_plan {
  index_t steps, panels_a, panels_b, stream_tiles;
  gpu::workspace_array<std::int32_t> most_a, most_b;
  gpu::workspace_array<unsigned> failed_tiles;
  gpu::workspace_array<unsigned char> failed;  // behind failed_tiles: cleared together
  gpu::workspace_array<double> totals;
  gpu::workspace_array<uint4> factors_a, factors_b;
  std::size_t bytes, to_clear;
};
inline log_sums_plan plan_log_sums(index_t m, index_t n, index_t k) {
  using P = log_sums_sm90;
  log_sums_plan plan{};
  plan.steps = ceil_div(std::min(k, P::range), index_t{P::depth});
  plan.panels_a = ceil_div(m, P::rows) * P::cluster, plan.panels_b = ceil_div(n, P::block_cols) * P::cluster;
  plan.stream_tiles = ceil_div(m, index_t{stream_tile}) * ceil_div(n, index_t{stream_tile});
  gpu::workspace_layout layout;
  plan.most_a = layout.add<std::int32_t>(m), plan.most_b = layout.add<std::int32_t>(n);
  const std::size_t before = layout.bytes();
  plan.failed_tiles = layout.add<unsigned>(plan.stream_tiles);
  plan.failed = layout.add<unsigned char>(m * n);
  plan.to_clear = layout.bytes() - before;
  plan.totals = layout.add<double>(k > P::range ? m * n : 0);
  plan.factors_a = layout.add<uint4>(plan.panels_a * plan.steps * (P::parts * P::bytes_a / 16));
  plan.factors_b = layout.add<uint4>(plan.panels_b * plan.steps * (P::parts * P::bytes_b / 16));
  plan.bytes = layout.bytes();
  return plan;
}

// Factors and sums of steps [first, first + range) of k.
template <class G>
void enqueue_log_range(log_sums_arguments<G>& p, index_t first, cudaStream_t stream) {
  using P = log_sums_sm90;
  const index_t count = std::min(p.g.k - first, P::range);
  p.a.steps = p.b.steps = ceil_div(count, index_t{P::depth});
  p.is_first = first == 0, p.is_last = first + count == p.g.k;
  enqueue_log_factors(p.lines_a.part(first, count), p.lines_b.part(first, count), p.a, p.b, stream);
  const auto kernel = p.g.k > P::range ? gemm_log_sums<true, G> : gemm_log_sums<false, G>;
  const index_t tiles = index_t{p.tiles_m} * p.tiles_n;
  gpu::launch_config config{gpu::grid_of(tiles * P::cluster), P::threads, P::shared_bytes, stream, true, P::cluster};
  const int resident = gpu::resident_clusters(gpu::address_of(kernel), config);
  config.blocks.x = static_cast<unsigned>(std::min<index_t>(tiles, resident)) * P::cluster;
  gpu::launch(kernel, config, p);
}

// C of one matrix that is not empty, with k of 1 or more.
template <class G>
void launch_log_sums(const context& ctx, const G& g) {
  using P = log_sums_sm90;
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const log_sums_plan plan = plan_log_sums(g.m, g.n, g.k);
  void* const workspace = ctx.workspace(plan.bytes);
  log_sums_arguments<G> p(g);
  p.lines_a.most = plan.most_a.in(workspace), p.lines_b.most = plan.most_b.in(workspace);
  p.a = {plan.factors_a.in(workspace), P::block_rows, plan.panels_a, plan.steps};
  p.b = {plan.factors_b.in(workspace), P::part_cols, plan.panels_b, plan.steps};
  p.failed = plan.failed.in(workspace), p.failed_tiles = plan.failed_tiles.in(workspace);
  p.totals = plan.totals.in(workspace);
  p.tiles_m = static_cast<unsigned>(plan.panels_a / P::cluster);
  p.tiles_n = static_cast<unsigned>(plan.panels_b / P::cluster);

  gpu::require(cudaMemsetAsync(p.failed_tiles, 0, plan.to_clear, stream), "clearing marks");
  enqueue_log_maxima(p.lines_a, p.lines_b, stream);
  for (index_t first = 0; first < g.k; first += P::range) enqueue_log_range(p, first, stream);
  enqueue_log_stream<G>(p, stream);
}

}  // namespace kleene::kernels::cuda
