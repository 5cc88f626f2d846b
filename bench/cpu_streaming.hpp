// The CPU suite's rows of sequences: reduce beside a parallel copy, merge beside std::merge, sorts beside libstdc++'s
// parallel sort, each with as many threads as the context.
#pragma once

#include "cpu_suite.hpp"

namespace kleene::bench {

void run_cpu_streaming(cpu_rows& rows, const context& ctx);

}  // namespace kleene::bench
