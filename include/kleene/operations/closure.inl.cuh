// Definition of closure for CUDA. Include this, compiled with nvcc, for an algebra of your own:
//
//   kleene::enable_cuda_closure<my_semiring>();   once, before the first closure over my_semiring on a CUDA context
//
// and operations/closure.inl.hpp, which has the checks (and the CPU). Algebras of the catalog need none of this.
#pragma once

#include "kleene/gpu/host/runtime.cuh"
#include "kleene/operations/closure_batch.inl.cuh"
#include "kleene/operations/closure_matrix.inl.cuh"
#include "kleene/operations/closure_spread.inl.cuh"

namespace kleene::detail {

template <class S>
closure_info run_closure_on_cuda(const context& ctx, const matrix_view<value_of<S>>& a,
                                 const matrix_view<std::int32_t>& p, const closure_options& options) {
  if (a.rows() > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a closure of " + std::to_string(a.rows()) + " vertices");
  const gpu::on_device here(ctx.device()->ordinal);
  refuse_capture(ctx);
  return closure_on_device<S>(ctx, a, p, options).run();
}

}  // namespace kleene::detail

namespace kleene {

template <closed_semiring S>
void enable_cuda_closure() {
  detail::closure_on_cuda<S> = &detail::run_closure_on_cuda<S>;
  detail::closure_batch_on_cuda<S> = &detail::run_closure_batch_on_cuda<S>;
  detail::spread_graph_on_cuda<S> = &detail::spread_on_cuda<S>;
}

}  // namespace kleene
