// Packed bits in the CPU suite: or_and beside xor_and, which has an instruction of its own, and the closure beside the
// product that is its bulk.
#pragma once

#include "cpu_suite.hpp"

namespace kleene::bench {

void run_cpu_bits(cpu_rows& rows, const context& one);

}  // namespace kleene::bench
