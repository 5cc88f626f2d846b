// The CUDA product of single elements, from above: a batch whose k is 1, where A has a single row or B a single column.
// Plain C++: a program links the same to a library with kernels and to one without.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"

namespace kleene::kernels::cuda {

// Puts one checked product, without alpha, beta and mask, on the context's stream and returns. error(device) where a
// launch fails; what the kernels find wrong with values is left in ctx.faults().
template <class S>
using pointwise_launcher = void (*)(const context& ctx, const gemm_arguments<S>& g);

// The launcher, or null: gemm's kernels do it, too. Rows of the catalog are in the library (src/kernels/pointwise.cu).
template <class S>
pointwise_launcher<S> find_pointwise() {
  return nullptr;
}
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  pointwise_launcher<algebra<type>> find_pointwise<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene::kernels::cuda
