// Tensors in the CPU suite: copies with another order of axes beside plain copies, einsum beside gemm.
#pragma once

#include "cpu_suite.hpp"

namespace kleene::bench {

void run_cpu_tensors(cpu_rows& rows, const context& one, const context& all);

}  // namespace kleene::bench
