// For tests: what happens when an allocation of device or pinned memory fails.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::detail {

// The n-th allocation of this process from now on (1: the next) fails once as if there was no memory left; 0: none
// does. Returns how many were still to come until an earlier call's failure: 0 where it happened.
index_t fail_device_allocation(index_t n);

// Every such allocation calls this before it calls CUDA.
bool may_allocate();

}  // namespace kleene::detail
