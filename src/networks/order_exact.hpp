// The best order of a few tensors, by trying every tree.
#pragma once

#include "networks/order_problem.hpp"

namespace kleene::detail {

inline constexpr int most_exact_tensors = 10;  // 3^10 / 2 ways to part their sets in two: some milliseconds

// An order of at most most_exact_tensors tensors with the least operations and weighted traffic of those that make
// nothing larger than 2^most_elements; nothing where all do.
order_pairs exact_order(const order_problem& p, double traffic_weight, double most_elements);

}  // namespace kleene::detail
