// Definitions of gemm for CUDA: for an algebra, an epilogue or a policy of your own, compiled with nvcc (C++20,
// --expt-relaxed-constexpr where the algebra's functions are constexpr rather than __device__). Products of 8 and 16
// bits use the tensor cores of Hopper where the code is compiled for them: for sm_90a, with its `a`. Compiled for
// sm_90 or sm_80 they use those that every device since sm_80 has, floats of 8 bits one thread an element.
//
//   kleene::enable_cuda<my_semiring>();                       once, before the first product over it on a CUDA context
//   kleene::enable_cuda<my_semiring, my_epilogue, float>();   with an epilogue and the element type of C
//   kleene::enable_cuda<plus_times<f8_e4m3>, none, bf16>();   floats of 8 bits
//   kleene::gemm_with<my_policy>(ctx, S{}, A, B, C);          one product with a tile policy of your own
//
// Algebras of the catalog need none of this. my_policy is a struct with `static constexpr simt_policy value{...}`, see
// kernels/cuda/gemm/simt/policy.hpp; one that no kernel can follow does not compile, and a sentence says why.
#pragma once

#include "kleene/kernels/cuda/gemm/launch.cuh"
#include "kleene/kernels/cuda/gemm/mixed_launch.cuh"

#pragma nv_diag_suppress 1675  // the CPU kernels' pragmas are GCC's
#include "kleene/operations/own/gemm.inl.hpp"
#pragma nv_diag_default 1675

namespace kleene {

template <product_algebra S, class Epilogue = none, class Out = value_of<S>>
void enable_cuda() {
  using E = std::remove_const_t<Epilogue>;  // decltype of a const variable, as gemm deduces it
  using G = kernels::gemm_arguments<S, E, Out>;
  if constexpr (kernels::cuda::is_mixed<S>) kernels::cuda::gemm_entry<S, E, Out> = &kernels::cuda::launch_mixed<G>;
  else if constexpr (kernels::gives_rows<E>)
    kernels::cuda::gemm_entry<S, E, Out> = +[](const context& ctx, const G& g) {
      if (g.n > 0) kernels::cuda::launch_gemm(ctx, g);
      kernels::cuda::fold_stored(ctx, g);
    };
  else kernels::cuda::gemm_entry<S, E, Out> = &kernels::cuda::launch_gemm<G>;
}

// gemm with a tile policy of the caller's choice: faster or slower, never another result. With an epilogue
// (gemm_options<T, F>{.epilogue = f}) C may have another element type, as in gemm.
template <class Policy, product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C>
void gemm_with(const context& ctx, S, A&& a, B&& b, C&& c,
               const detail::options_for<S, none, detail::element_of<C>>& options = {}) {
  using Out = detail::element_of<C>;
  using G = kernels::gemm_arguments<S, none, Out>;
  detail::reach_and_run<S, none, Out>(ctx, a, b, c, {}, options, &kernels::cuda::launch_simt<Policy, false, G>);
}
template <class Policy, product_algebra S, detail::viewable A, detail::viewable B, detail::viewable C, class U,
          class Epilogue, class Scalar>
void gemm_with(const context& ctx, S, A&& a, B&& b, C&& c, const gemm_options<U, Epilogue, Scalar>& options) {
  static_assert(!kernels::gives_rows<Epilogue>,
                "a policy is for one kernel: epilogues that give results of rows use gemm");
  using Out = detail::element_of<C>;
  using G = kernels::gemm_arguments<S, Epilogue, Out>;
  const auto launch = &kernels::cuda::launch_simt<Policy, false, G>;
  if constexpr (std::is_same_v<U, none>)
    detail::reach_and_run<S, Epilogue, Out>(ctx, a, b, c, {}, detail::with_value_type<S>(options), launch);
  else detail::reach_and_run<S, Epilogue, Out>(ctx, a, b, c, {}, options, launch);
}

}  // namespace kleene
