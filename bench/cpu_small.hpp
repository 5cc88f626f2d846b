// The CPU suite's rows of small work: batches of small products and of small closures, and a ring over structs, each
// beside what somebody would write without Kleene, or the same without what it is to cost little.
#pragma once

#include "cpu_suite.hpp"

namespace kleene::bench {

void run_cpu_small(cpu_rows& rows, const context& one);

}  // namespace kleene::bench
