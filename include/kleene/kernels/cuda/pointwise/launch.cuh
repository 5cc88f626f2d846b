// The launches of a batch of products of single elements.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/pointwise/kernel.cuh"
#include "kleene/kernels/cuda/pointwise/launch.hpp"

#include <algorithm>
#include <cstdlib>

namespace kleene::kernels::cuda {

template <class S>
void launch_pointwise(const context& ctx, const gemm_arguments<S>& g) {
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  pointwise_arguments<gemm_arguments<S>> p;
  p.g = g;
  const index_t other = std::max(g.m, g.n);
  p.count = g.batch * other;
  p.along_batch = g.batch > 1 && (other == 1 || std::abs(g.sc[0]) < std::abs(g.n == 1 ? g.sc[1] : g.sc[2]));
  p.length = p.along_batch ? g.batch : other;
  p.axes = pointwise_axes<gemm_arguments<S>>(g, p.along_batch);
  if constexpr (requires { S::name; }) p.algebra = S::name;
  else p.algebra = "the algebra";
  p.fault = ctx.faults();
  const unsigned blocks = gpu::grid_of(
      std::min(ceil_div(p.count, index_t{pointwise_threads}), 16 * index_t{ctx.device()->multiprocessors}));
  if constexpr (looks_at_values<S>)
    if (g.check_domain) {
      p.found = static_cast<pointwise_findings*>(ctx.workspace(sizeof(pointwise_findings)));
      gpu::launch(clear_pointwise_findings, {1, 1, 0, stream}, p.found);
      gpu::launch(inspect_pointwise<gemm_arguments<S>>, {blocks, pointwise_threads, 0, stream, true}, p);
    }
  gpu::launch(multiply_pointwise<gemm_arguments<S>>, {blocks, pointwise_threads, 0, stream, true}, p);
  if (explain_enabled())
    explain("pointwise on " + ctx.device()->name + ": " + std::to_string(p.count) + " elements, " +
            std::to_string(p.length) + " along " + (p.along_batch ? "the batch" : "rows or columns"));
}

}  // namespace kleene::kernels::cuda
