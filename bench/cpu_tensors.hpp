// Tensors in the CPU suite: copies with another order of axes beside plain copies, einsum beside gemm.
#pragma once

#include "cpu_suite.hpp"

namespace kleene::bench {

void run_cpu_tensors(const context& one, const context& all, int rounds,
                     const std::function<void(const cpu_row&)>& add);

}  // namespace kleene::bench
