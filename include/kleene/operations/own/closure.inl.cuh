// Definition of closure, for CUDA and the CPU. Include this, compiled with nvcc, for an algebra of your own:
//
//   kleene::enable_cuda_closure<my_semiring>();   once, before the first closure over my_semiring on a CUDA context
//
// Algebras of the catalog need none of this.
#pragma once

#include "kleene/kernels/cuda/closure/launch.cuh"

#pragma nv_diag_suppress 1675  // the CPU kernels' pragmas are GCC's
#include "kleene/operations/own/closure.inl.hpp"
#pragma nv_diag_default 1675

namespace kleene {

namespace detail {
template <closed_semiring S>
inline constexpr cuda_closures<S> compiled_closures{
    &kernels::cuda::launch_closure<S>, &kernels::cuda::launch_closure_batch<S>, &kernels::cuda::spread_graph<S>};
}

template <closed_semiring S>
void enable_cuda_closure() {
  detail::own_closures_on_cuda<S> = detail::compiled_closures<S>;
}

}  // namespace kleene
