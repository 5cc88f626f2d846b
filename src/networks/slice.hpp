// Indices to fix, one assignment after the other, so that no tensor is too large.
#pragma once

#include "networks/tree.hpp"

namespace kleene::detail {

struct slice_options {
  double most_elements = 0;  // log2
  double traffic_weight = 16;
};

// `sliced` (a flag for each index) with as many more as it takes, chosen one by one from the largest tensor: the one
// that lets operations grow least for what it takes away. Those that are not needed any more are dropped. What cannot
// be made fit stays too large.
std::vector<char> sliced_to_fit(const contraction_tree& tree, const order_problem& p, std::vector<char> sliced,
                                const slice_options& options);

}  // namespace kleene::detail
