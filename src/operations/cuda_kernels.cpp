// Registers the CUDA kernels of the library: from here on operations find them. Only in builds that have them.
#include "gpu/cuda.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemv/launch.hpp"
#include "kleene/operations/closure.hpp"

#include "kernels/bit_kernels.hpp"
#include "operations/paths_on_cuda.hpp"

namespace kleene {

namespace kernels::cuda {
#define KLEENE_ROW(algebra, type)                                                         \
  extern template void launch_gemm(const context&, const gemm_arguments<algebra<type>>&); \
  extern template void launch_gemv(const context&, const gemm_arguments<algebra<type>>&);
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out)                                                              \
  extern template void launch_mixed(const context&, const gemm_arguments<algebra<type>, none, out>&); \
  extern template void launch_gemv(const context&, const gemm_arguments<algebra<type>, none, out>&);
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED
}  // namespace kernels::cuda

#define KLEENE_ROW(algebra, type) \
  template <>                     \
  void detail::register_closure<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

namespace {

void register_kernels() {
  kernels::registered_bits_on_cuda = &kernels::bits_on_cuda;
  detail::registered_paths_on_cuda = detail::trace_paths_on_cuda;
  for_each_algebra([](auto s) {
    using S = decltype(s);
    kernels::cuda::gemm_entry<S> = &kernels::cuda::launch_gemm<kernels::gemm_arguments<S>>;
    kernels::cuda::gemv_entry<S> = &kernels::cuda::launch_gemv<kernels::gemm_arguments<S>>;
    detail::register_closure<S>();
  });
  for_each_mixed([](auto s, auto out) {
    using Out = typename decltype(out)::type;
    using G = kernels::gemm_arguments<decltype(s), none, Out>;
    kernels::cuda::gemm_entry<decltype(s), none, Out> = &kernels::cuda::launch_mixed<G>;
    kernels::cuda::gemv_entry<decltype(s), Out> = &kernels::cuda::launch_gemv<G>;
  });
}

}  // namespace

// Once, by the first context; threads that make one at the same time wait for it. Later nobody writes these pointers,
// which other threads are reading.
void detail::register_cuda_kernels() { [[maybe_unused]] static const bool once = (register_kernels(), true); }

}  // namespace kleene
