// What a library without CUDA has in place of permute.cu.
#include "kleene/kernels/cuda/permute/launch.hpp"

namespace kleene::kernels::cuda {

void launch_permute(const context&, const permute_plan&) { kleene::detail::refuse_cuda(); }
void launch_spread(const context&, const spread_arguments&) { kleene::detail::refuse_cuda(); }

}  // namespace kleene::kernels::cuda
