// CUDA products of a matrix and a vector, from above. Plain C++: a program links the same to a library with kernels
// and to one without.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"

namespace kleene::kernels::cuda {

// Puts checked products (n or m is 1; one, or a batch) on the context's stream and returns. Throws error(memory) for
// want of workspace, error(device) where a launch fails; what the kernels find wrong with values is left in
// ctx.faults().
template <class S, class Out = value_of<S>>
using gemv_launcher = void (*)(const context& ctx, const gemm_arguments<S, none, Out>& g);

// The launcher of a G = gemm_arguments<...>; defined in launch.cuh, compiled into CUDA builds for every row of the
// catalog and of mixed.def.
template <class G>
void launch_gemv(const context& ctx, const G& g);

// The launcher for products over an algebra of one's own, null until kleene::enable_cuda_gemv registers it
// (operations/own/gemv.inl.cuh).
template <class S, class Out = value_of<S>>
inline gemv_launcher<S, Out> gemv_entry = nullptr;

// The launcher for any product, or null. For rows of the catalog and of mixed.def these are functions of the library.
template <class S, class Out = value_of<S>>
gemv_launcher<S, Out> find_gemv() {
  return gemv_entry<S, Out>;
}
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  gemv_launcher<algebra<type>> find_gemv<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out) \
  template <>                            \
  gemv_launcher<algebra<type>, out> find_gemv<algebra<type>, out>();
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED

}  // namespace kleene::kernels::cuda
