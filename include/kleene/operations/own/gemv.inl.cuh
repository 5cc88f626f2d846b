// Definitions of gemv for CUDA: for an algebra of your own, compiled with nvcc (C++20, --expt-relaxed-constexpr where
// the algebra's functions are constexpr rather than __device__).
//
//   kleene::enable_cuda_gemv<my_semiring>();                  once, before the first product over it on a CUDA context
//   kleene::enable_cuda_gemv<plus_times<f8_e4m3>, float>();   with the element type of y
//
// Algebras of the catalog need none of this.
#pragma once

#include "kleene/kernels/cuda/gemv/launch.cuh"

#pragma nv_diag_suppress 1675  // the CPU kernels' pragmas are GCC's
#include "kleene/operations/own/gemv.inl.hpp"
#pragma nv_diag_default 1675

namespace kleene {

template <product_algebra S, class Out = value_of<S>>
void enable_cuda_gemv() {
  kernels::cuda::gemv_entry<S, Out> = &kernels::cuda::launch_gemv<kernels::gemm_arguments<S, none, Out>>;
}

}  // namespace kleene
