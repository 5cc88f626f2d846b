// An order as a binary tree: leaves are tensors, node tensors + s is the result of pair s, with the indices it keeps.
#pragma once

#include "networks/order_problem.hpp"

#include <array>
#include <vector>

namespace kleene::detail {

struct contraction_tree {
  int leaves = 0;
  order_pairs pairs;
  std::vector<index_set> sets;  // of every node

  int nodes() const { return static_cast<int>(sets.size()); }
};

contraction_tree tree_of(const order_problem& p, const order_pairs& pairs);
// The pairs depth first, larger results first: what is made is used soon, and little is kept at a time.
order_pairs depth_first(const contraction_tree& tree, const order_problem& p);

// Costs with `sliced` indices (one flag an index; empty: none) fixed.
contraction_cost tree_cost(const contraction_tree& tree, const order_problem& p, const std::vector<char>& sliced);
// What searches make small: log2 of operations and weighted traffic.
inline double score_of(const contraction_cost& cost, double traffic_weight) {
  return traffic_weight > 0 ? log2_of_sum(cost.operations, cost.traffic + std::log2(traffic_weight)) : cost.operations;
}

}  // namespace kleene::detail
