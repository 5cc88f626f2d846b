#include "networks/order_fit.hpp"

#include <fmt/format.h>

#include <utility>

namespace kleene {

namespace detail {

double log2_limit(index_t most_elements) {
  const bool is_limited = most_elements != std::numeric_limits<index_t>::max();
  return is_limited ? log2_extent(most_elements) : std::numeric_limits<double>::infinity();
}

void refuse_order(const char* who, double log2_elements, index_t most_elements) {
  throw error(
      fault_code::memory,
      fmt::format("{}: the smallest order found has a tensor of 2^{:.1f} elements; at most {} (2^{:.1f}) may be", who,
                  log2_elements, most_elements, log2_extent(most_elements)));
}

contraction_order fitting_order(const char* who, const network& n, const order_problem& whole, order_candidate found,
                                index_t most_elements) {
  contraction_order order;
  order.pairs = depth_first(tree_of(whole, found.pairs), whole);
  for (int i = 0; i < whole.indices(); ++i)
    if (found.sliced[at(i)] != 0) order.sliced.push_back(i), order.slices *= n.extents[at(i)];
  order.cost = cost_of(n, order.pairs, order.sliced);
  order.method = std::move(found.method);
  const order_wishes wishes{.most_elements = log2_limit(most_elements)};
  if (!wishes.fits(order.cost)) refuse_order(who, order.cost.largest, most_elements);
  return order;
}

}  // namespace detail

contraction_order slice_order(const network& n, const contraction_order& order, index_t most_elements) {
  if (most_elements < 1)
    throw argument_error(fmt::format("slice_order: at most {} elements; a scalar has one", most_elements));
  (void)cost_of(n, order.pairs, order.sliced);
  const double axes = static_cast<double>(order.pairs.size()) * 16;
  return detail::with_memory("slice_order", 64 * axes, [&] {
    const detail::order_problem whole = detail::problem_of(n);
    std::vector<char> sliced(n.extents.size(), 0);
    for (const int i : order.sliced) sliced[detail::at(i)] = 1;
    const detail::order_wishes wishes{.most_elements = detail::log2_limit(most_elements)};
    detail::order_candidate found = detail::fitted(whole, order.pairs, std::move(sliced), wishes);
    found.method = order.method;
    return detail::fitting_order("slice_order", n, whole, std::move(found), most_elements);
  });
}

}  // namespace kleene
