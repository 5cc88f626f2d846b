#include "solve_order.hpp"

#include "kleene/data/parallel.hpp"
#include "networks/order_fit.hpp"

#include <chrono>

namespace kleene::detail {

namespace {

// Two operands, a result and a copy are there at a time, and what waits for its turn.
constexpr std::size_t tensors_at_a_time = 5;
constexpr index_t least_elements = 64;

// An order of the factor graph's own network as one of what is left of it.
contraction_order order_of_rest(const network& n, const std::vector<int>& places, const contraction_order& found) {
  require_pairs(static_cast<int>(places.size()), found.pairs);
  contraction_order order = found;
  order.pairs = pairs_of_rest(found.pairs, places, n.size());
  order.cost = cost_of(n, order.pairs, order.sliced);
  return order;
}

}  // namespace

index_t question_order::most_elements(std::size_t element) const {
  if (is_limited()) return options_.order.most_elements;
  const std::size_t memory = options_.memory > 0 ? options_.memory : ctx_.available();
  return std::max(static_cast<index_t>(memory / (tensors_at_a_time * element)), least_elements);
}

contraction_order question_order::first_order(const network& n, const std::vector<int>& places, index_t most) const {
  if (options_.found) return order_of_rest(n, places, *options_.found);
  const auto begun = std::chrono::steady_clock::now();
  order_options looked = options_.order;
  if (looked.threads == 0) looked.threads = ctx_.kind() == device_kind::cpu ? ctx_.threads() : default_threads();
  looked.most_elements = most;
  contraction_order order = find_order(n, looked);
  report_.order_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return order;
}

contraction_order question_order::sliced(const network& n, index_t most) const {
  const bool fits = base_->sliced.empty() && base_->cost.largest <= log2_limit(most) + 1e-9;
  contraction_order order = fits ? *base_ : slice_order(n, *base_, most);
  report_.tensors = n.size(), report_.cost = order.cost, report_.slices = order.slices, report_.method = order.method;
  return order;
}

}  // namespace kleene::detail
