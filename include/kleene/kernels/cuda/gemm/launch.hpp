// The CUDA product, from above. Plain C++: the kernels are registered by whoever compiles them with nvcc, so that a
// program links the same with and without them.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"

namespace kleene::kernels::cuda {

// Puts one checked product on the context's stream and returns. Throws error(memory) for want of workspace,
// error(device) where a launch fails; what the kernels find wrong with values is left in ctx.faults().
template <class S, class Epilogue = none, class Out = value_of<S>>
using gemm_launcher = void (*)(const context& ctx, const gemm_arguments<S, Epilogue, Out>& g);

// The launcher of a G = gemm_arguments<...>; defined in launch.cuh, compiled into CUDA builds for every row of the
// catalog.
template <class G>
void launch_gemm(const context& ctx, const G& g);

// The launcher of a G whose operands have 8 or 16 bits; defined in mixed_launch.cuh, compiled for every row of
// mixed.def.
template <class G>
void launch_mixed(const context& ctx, const G& g);

// The same of f32 whose precision allows it: false, and nothing is done, where the device, the program's code or k are
// not for it. Compiled for plus_times<f32>.
template <class G>
bool launch_wgmma_if_possible(const context& ctx, const G& g);

// The launcher for products over S, null until it is registered. Those of the catalog are registered by
// context::cuda(), others by kleene::enable_cuda (operations/gemm.inl.cuh).
template <class S, class Epilogue = none, class Out = value_of<S>>
inline gemm_launcher<S, Epilogue, Out> gemm_entry = nullptr;

}  // namespace kleene::kernels::cuda
