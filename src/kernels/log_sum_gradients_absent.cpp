// In place of log_sum_gradients.cu where there is no CUDA.
#include "kleene/kernels/cuda/gemm/log_sums/gradients.hpp"

namespace kleene::kernels::cuda {

template <class T>
void launch_log_sum_factors(const context&, const log_sum_gradients<T>&) {
  kleene::detail::refuse_cuda();
}
template <class T>
void launch_log_sum_terms(const context&, const log_sum_gradients<T>&, const batch_view<T, memory::device>&,
                          const batch_view<T, memory::device>&) {
  kleene::detail::refuse_cuda();
}
template void launch_log_sum_factors(const context&, const log_sum_gradients<float>&);
template void launch_log_sum_factors(const context&, const log_sum_gradients<double>&);
template void launch_log_sum_terms(const context&, const log_sum_gradients<float>&,
                                   const batch_view<float, memory::device>&, const batch_view<float, memory::device>&);
template void launch_log_sum_terms(const context&, const log_sum_gradients<double>&,
                                   const batch_view<double, memory::device>&,
                                   const batch_view<double, memory::device>&);

}  // namespace kleene::kernels::cuda
