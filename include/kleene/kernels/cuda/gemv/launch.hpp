// The CUDA product of a matrix and a vector, from above. Plain C++: the kernels are registered by whoever compiles them
// with nvcc.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"

namespace kleene::kernels::cuda {

// Puts one checked product (n or m is 1, no batch) on the context's stream and returns. Throws error(memory) for want
// of workspace, error(device) where a launch fails; what the kernels find wrong with values is left in ctx.faults().
template <class S, class Out = value_of<S>>
using gemv_launcher = void (*)(const context& ctx, const gemm_arguments<S, none, Out>& g);

// The launcher of a G = gemm_arguments<...>; defined in launch.cuh, compiled into CUDA builds for every row of the
// catalog and of mixed.def.
template <class G>
void launch_gemv(const context& ctx, const G& g);

// The launcher for products over S, null until it is registered. Those of the catalog are registered by
// context::cuda(), others by kleene::enable_cuda_gemv (operations/gemv.inl.cuh).
template <class S, class Out = value_of<S>>
inline gemv_launcher<S, Out> gemv_entry = nullptr;

}  // namespace kleene::kernels::cuda
