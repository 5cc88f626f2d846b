// What the value of cuda_backend (cuda.cu) is made of besides its own file.
#pragma once

#include "kleene/data/device_matrix.hpp"

namespace kleene::detail {

// copy.cu
void copy_on_cuda(const context& ctx, const copy_request& request);

}  // namespace kleene::detail
