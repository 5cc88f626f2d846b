// What a library without CUDA has in place of permute.cu.
#include "kleene/kernels/cuda/permute/launch.hpp"

namespace kleene::kernels::cuda {

void launch_permute(const context&, const permute_plan&) { kleene::detail::refuse_cuda(); }

}  // namespace kleene::kernels::cuda
