// Greedy orders: again and again the neighbours whose result outgrows them least.
#pragma once

#include "networks/order_problem.hpp"

#include <cstdint>

namespace kleene::detail {

struct greedy_options {
  double operand_weight = 1;  // how much of its operands a result may make up for
  double noise = 0;           // in powers of two, of the extreme value distribution: choices by Boltzmann's weights
  std::uint64_t seed = 1;
};

// An order of all the problem's tensors, those that share no index, and scalars, in the end, smallest first. Where
// `end` came before that: nothing.
order_pairs greedy_order(const order_problem& p, const greedy_options& options, const search_end& end);

}  // namespace kleene::detail
