// Closures on a device, as operations call them: of one matrix, of many, of a sparse graph.
#pragma once

#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/closure/batch.cuh"
#include "kleene/kernels/cuda/closure/matrix.cuh"
#include "kleene/kernels/cuda/closure/spread_graph.cuh"

namespace kleene::kernels::cuda {

template <class S>
closure_info launch_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                            const closure_options& options) {
  if (a.rows() > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a closure of " + std::to_string(a.rows()) + " vertices");
  const gpu::on_device here(ctx.device()->ordinal);
  refuse_capture(ctx);
  return closure_on_device<S>(ctx, a, p, options).run();
}

}  // namespace kleene::kernels::cuda
