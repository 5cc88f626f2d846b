// The part of a contraction that makes one of its results, numbered on its own.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/networks/detail/contract_plan.hpp"

#include <span>
#include <utility>
#include <vector>

namespace kleene::detail {

struct contraction_subtree {
  contraction_subtree(std::span<const std::pair<int, int>> all, int all_leaves, int root,
                      const std::vector<std::vector<network_axis>>& all_axes);

  // The number in the whole contraction of what has a number here.
  int original(int tensor) const {
    const auto t = static_cast<std::size_t>(tensor);
    return t < leaves.size() ? leaves[t] : results[t - leaves.size()];
  }

  std::vector<int> leaves, results;  // in the whole contraction, rising
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::vector<network_axis>> axes;  // of the leaves
};

// The plan that keeps as many results, counted from the end, as `memory` bytes hold (0: as the context has) beside
// `others`, which goes into request.keeps_from. error(memory) where they do not even hold the contraction.
contraction_plan plan_keeping(const context& ctx, plan_request& request, std::size_t memory, std::size_t others);

}  // namespace kleene::detail
