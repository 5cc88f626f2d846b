// Products over log_plus.
#include "kleene/kernels/cuda/gemm/log_plus_launch.cuh"

namespace kleene::kernels::cuda {

template void launch_log_plus(const context&, const gemm_arguments<log_plus<float>>&);
template void launch_log_plus(const context&, const gemm_arguments<log_plus<double>>&);

}  // namespace kleene::kernels::cuda
