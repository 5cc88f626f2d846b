// Launches of the streamed path: of elements without proof, or of all.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/gemm/log_sums/stream.cuh"
#include "kleene/kernels/cuda/tile/limits.hpp"

namespace kleene::kernels::cuda {

// The elements that `p` has marked.
template <class G>
void enqueue_log_stream(const log_problem<G>& p, cudaStream_t stream) {
  stream_arguments<G> all;
  static_cast<log_problem<G>&>(all) = p;
  all.near = -stream_cut<value_of<typename G::algebra>>(p.g.k), all.part = p.g.k;
  const unsigned tiles = gpu::grid_of(ceil_div(p.g.m, index_t{stream_tile}) * p.stream_tiles_n());
  gpu::launch(stream_log_sums<G, 4>, {tiles, stream_threads, 0, stream, true}, all);
}

// All elements of a batch, with k of 1 or more.
template <class G>
void launch_log_stream(const context& ctx, const G& g) {
  constexpr index_t most_batch = 65535;  // a grid's second extent
  if (g.batch > most_batch) return launch_in_parts(g, most_batch, [&](const G& part) { launch_log_stream(ctx, part); });
  using T = value_of<typename G::algebra>;
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const stream_plan plan = plan_stream(g.m, g.n, g.k, g.batch, ctx.device()->multiprocessors);
  stream_arguments<G> p(g);
  p.near = -stream_cut<T>(g.k), p.part = plan.part;
  if (plan.parts > 1)
    p.sums = static_cast<log_sum<T>*>(
        ctx.workspace(sizeof(log_sum<T>) * static_cast<std::size_t>(plan.parts * g.batch * g.m * g.n)));
  const dim3 blocks(gpu::grid_of(plan.tiles), static_cast<unsigned>(g.batch), static_cast<unsigned>(plan.parts));
  const gpu::launch_config config{blocks, stream_threads, 0, stream, true};
  if (plan.each == 4) gpu::launch(stream_log_sums<G, 4>, config, p);
  else if (plan.each == 2) gpu::launch(stream_log_sums<G, 2>, config, p);
  else gpu::launch(stream_log_sums<G, 1>, config, p);
  if (plan.parts > 1)
    gpu::launch(join_log_sums<G>,
                {gpu::grid_of(ceil_div(g.batch * g.m * g.n, index_t{stream_threads})), stream_threads, 0, stream, true},
                p, plan.parts);
}

}  // namespace kleene::kernels::cuda
