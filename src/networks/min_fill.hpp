// Orders from eliminating indices: all tensors that have the index are contracted, and it is summed over. What that
// makes has the index's neighbours, so the orders with small results are those of small tree decompositions.
#pragma once

#include "networks/order_problem.hpp"

#include <cstdint>
#include <limits>

namespace kleene::detail {

// The indices that are not open, in the order to eliminate them: the one whose neighbours lack the fewest edges first
// (min-fill; ties by the smaller neighbourhood, then by the seed), and the one with the fewest neighbours (min-degree)
// from where counting what lacks has taken too much work. Where `end` came before that: nothing.
std::vector<int> min_fill_order(const order_problem& p, std::uint64_t seed, const search_end& end);

// The same indices as they are numbered, row by row of a lattice.
std::vector<int> numbered_indices(const order_problem& p);
inline constexpr double most_in_turn = 62;  // log2 of the elements beyond which that is hopeless, and slow

// The order of pairs: of each index the tensors that have it, smallest first. Nothing where a result would have more
// than 2^most elements.
order_pairs elimination_pairs(const order_problem& p, const std::vector<int>& indices, const search_end& end,
                              double most = std::numeric_limits<double>::infinity());

}  // namespace kleene::detail
