// The CUDA product, from above. Plain C++: a program links the same to a library with kernels and to one without.
#pragma once

#include "kleene/algebra/catalog.hpp"
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

// The launcher for products over an algebra of one's own, null until kleene::enable_cuda registers it
// (operations/own/gemm.inl.cuh).
template <class S, class Epilogue = none, class Out = value_of<S>>
inline gemm_launcher<S, Epilogue, Out> gemm_entry = nullptr;

// The launcher for any product, or null. For rows of the catalog and of mixed.def these are functions of the library,
// one a row, and so a program has the kernels of those algebras alone that it calls.
template <class S, class Epilogue = none, class Out = value_of<S>>
gemm_launcher<S, Epilogue, Out> find_gemm() {
  return gemm_entry<S, Epilogue, Out>;
}
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  gemm_launcher<algebra<type>> find_gemm<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out) \
  template <>                            \
  gemm_launcher<algebra<type>, none, out> find_gemm<algebra<type>, none, out>();
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED

}  // namespace kleene::kernels::cuda
