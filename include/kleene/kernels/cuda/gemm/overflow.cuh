// Results that do not fit: what a product's kernels found becomes the context's fault.
#pragma once

#include "kleene/data/context.hpp"

namespace kleene::kernels::cuda {

// A finite result did not fit: that is the context's fault, unless it has one already.
template <class G>
__global__ void record_overflow(const unsigned* overflow, const char* algebra, device_fault* fault) {
  if (*overflow && fault->kind == device_fault::none) *fault = {device_fault::overflow, algebra, "", 0, 0, 0};
}

}  // namespace kleene::kernels::cuda
