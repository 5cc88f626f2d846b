#include "kleene/networks/detail/contract_subtree.hpp"

#include "kleene/networks/detail/contract_checks.hpp"

#include <algorithm>
#include <unordered_map>

namespace kleene::detail {

contraction_subtree::contraction_subtree(std::span<const std::pair<int, int>> all, int all_leaves, int root,
                                         const std::vector<std::vector<network_axis>>& all_axes) {
  std::vector<int> stack{root};
  while (!stack.empty()) {
    const int t = stack.back();
    stack.pop_back();
    if (t < all_leaves) {
      leaves.push_back(t);
      continue;
    }
    results.push_back(t);
    const auto& [x, y] = all[static_cast<std::size_t>(t - all_leaves)];
    stack.push_back(x), stack.push_back(y);
  }
  std::sort(leaves.begin(), leaves.end());
  std::sort(results.begin(), results.end());
  std::unordered_map<int, int> number;
  for (const int t : leaves) {
    number[t] = static_cast<int>(axes.size());
    axes.push_back(all_axes[static_cast<std::size_t>(t)]);
  }
  for (const int t : results) {
    const auto& [x, y] = all[static_cast<std::size_t>(t - all_leaves)];
    pairs.push_back({number[x], number[y]});
    number[t] = static_cast<int>(leaves.size() + pairs.size()) - 1;
  }
}

contraction_plan plan_keeping(const context& ctx, plan_request& request, std::size_t memory, std::size_t others) {
  const std::size_t allowed = memory > 0 ? memory : ctx.available(), limit = allowed - std::min(allowed, others);
  const auto planned = [&](int keeps_from) {
    request.keeps_from = keeps_from;
    return plan_contraction(request);
  };
  contraction_plan plan = planned(0);
  if (plan.bytes <= limit) return plan;
  int low = 0, high = static_cast<int>(request.pairs.size());  // too much is kept from low on
  contraction_plan best = planned(high);
  require_contraction_memory(ctx, static_cast<double>(best.bytes + others), memory);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    plan = planned(middle);
    if (plan.bytes <= limit) high = middle, best = std::move(plan);
    else low = middle;
  }
  request.keeps_from = high;
  return best;
}

}  // namespace kleene::detail
