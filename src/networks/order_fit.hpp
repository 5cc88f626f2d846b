// What a search has found as an order of the network, checked by the costs that cost_of counts.
#pragma once

#include "networks/order_walk.hpp"

namespace kleene::detail {

// error(memory), in the name of `who` and with the log2 of the elements that the order needs, where they are more than
// `most_elements`.
contraction_order fitting_order(const char* who, const network& n, const order_problem& whole, order_candidate found,
                                index_t most_elements);
[[noreturn]] void refuse_order(const char* who, double log2_elements, index_t most_elements);

// The limit as a power of two: infinite where there is none.
double log2_limit(index_t most_elements);

}  // namespace kleene::detail
