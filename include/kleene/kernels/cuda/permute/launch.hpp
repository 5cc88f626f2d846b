// A copy of a tensor with its axes in another order, on a CUDA device: the interface. It is compiled once, for elements
// of any size: an algebra makes no difference to bytes.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/cuda/permute/plan.hpp"

namespace kleene::kernels::cuda {

// Puts the copy on the context's stream and returns. Extents are at least 1; pointers are the device's. error(device)
// where a launch fails.
void launch_permute(const context& ctx, const permute_plan& plan);

}  // namespace kleene::kernels::cuda
