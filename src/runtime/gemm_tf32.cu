// plus_times over f32 on the tensor cores, where precision allows it.
#include "kleene/kernels/cuda/gemm/wgmma/launch.cuh"

namespace kleene::kernels::cuda {

template bool launch_wgmma_if_possible(const context&, const gemm_arguments<plus_times<float>>&);

}  // namespace kleene::kernels::cuda
