// Matrix times vector in the CPU suite: bytes of the matrix a second, beside what the memory gives in the same run.
#pragma once

#include "cpu_suite.hpp"

namespace kleene::bench {

void run_cpu_gemv(cpu_rows& rows, const context& one, const context& all);

}  // namespace kleene::bench
