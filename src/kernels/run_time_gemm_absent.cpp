// What a library without CUDA has in place of run_time_gemm.cu.
#include "kernels/run_time_gemm.hpp"

namespace kleene::kernels::cuda {

const std::vector<const void*>& ring_kernels::of(const ring_part&, int) { kleene::detail::refuse_cuda(); }

template <class T>
std::string assertions_for() {
  return {};
}

template <class T>
void launch_gemm(const context&, const gemm_arguments<any_ring<T>>&, ring_kernels&) {
  kleene::detail::refuse_cuda();
}

template <class T>
closure_info launch_closure(const context&, const matrix_view<T>&, const closure_options&, ring_kernels&) {
  kleene::detail::refuse_cuda();
}

#define KLEENE_RING_TYPE(type)                                                                                 \
  template std::string assertions_for<type>();                                                                 \
  template void launch_gemm<type>(const context&, const gemm_arguments<any_ring<type>>&, ring_kernels&);       \
  template closure_info launch_closure<type>(const context&, const matrix_view<type>&, const closure_options&, \
                                             ring_kernels&);
KLEENE_FOR_RING_TYPES(KLEENE_RING_TYPE)
#undef KLEENE_RING_TYPE

}  // namespace kleene::kernels::cuda
