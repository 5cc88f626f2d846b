// Definition of closure for CUDA. Include this, compiled with nvcc, for an algebra of your own:
//
//   kleene::enable_cuda_closure<my_semiring>();   once, before the first closure over my_semiring on a CUDA context
//
// and operations/closure.inl.hpp, which has the checks (and the CPU). Algebras of the catalog need none of this.
#pragma once

#include "kleene/kernels/cuda/closure/launch.cuh"
#include "kleene/operations/closure.hpp"

namespace kleene {

template <closed_semiring S>
void enable_cuda_closure() {
  detail::closure_on_cuda<S> = &kernels::cuda::launch_closure<S>;
  detail::closure_batch_on_cuda<S> = &kernels::cuda::launch_closure_batch<S>;
  detail::spread_graph_on_cuda<S> = &kernels::cuda::spread_graph<S>;
}

}  // namespace kleene
