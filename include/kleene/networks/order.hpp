// In which order to contract a network: the operations and the memory that it takes hang on little else.
//
//   contraction_order order = find_order(n, {.seconds = 10, .most_elements = index_t{1} << 24});
//   order.pairs                 tensors to contract, pair by pair
//   order.sliced                indices that are fixed, one assignment after the other, so that tensors stay small
//   order.cost                  log2 of operations, of the largest tensor, of traffic
//   describe(order, rates)      in words, with the seconds to expect
//
// Contract
//   pairs      of tensors, where those of the network are 0 to n - 1 and the result of pair s is n + s: einsum's order.
//              Depth first, the larger of two operands before the other, so that few results wait at a time.
//              n - 1 of them; none for a network of one tensor or of none. Networks that fall apart are contracted
//              part by part, the results, scalars but for open indices, multiplied at the end.
//   index      summed over as soon as no tensor that is left has it, and it is not open.
//   operations of a pair: the product of the extents of all indices of both. Of all slices together.
//   elements   of a tensor: the product of the extents of its indices, each once: of a diagonal what is read.
//   most_elements
//              no tensor that the contraction makes, and no operand, has more elements in a slice. Indices are
//              sliced until it holds, none that need not be; open ones never. error(memory) where it cannot, or would
//              take more than 2^62 slices: with the log2 of the elements that the smallest order found needs.
//   seconds    as a budget of wall time, checked often; what was found until then is given. One greedy order is found
//              whatever it takes: seconds, of hundreds of thousands of tensors. 0: a few trials of greedy and of
//              min-fill, without a clock.
//   sweeps     set, the seconds are not looked at: the result hangs on no clock.
//   seed       the same network, seed, threads or not, and sweeps give the same order.
//   threads    0: as many as there are processors.
//   progress   called from the thread that called, a few times a second, with the part of the budget that is used, and
//              the best cost; returns whether to go on: false ends the search with what there is.
//
// Method: tensors whose indices another one has are contracted with it at once. Then greedy (the pair whose result
// outgrows its operands least, with noise drawn from the seed, many trials) and elimination of indices by min-fill, and
// in the order of their numbers (row by row of a lattice), made a tree; then
// annealing of the best tree by rotations (Kalachev, Panteleev, Yung: Multi-tensor contraction for XEB verification of
// quantum circuits, 2021, "TreeSA"), of very large ones piece by piece, with slices chosen on the way. Up to ten
// tensors: all trees, by dynamic programming.
#pragma once

#include "kleene/networks/network.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kleene {

// Powers of two: 2^operations products (x), of all slices together.
struct contraction_cost {
  double operations = -std::numeric_limits<double>::infinity();
  double largest = 0;                                         // elements of the largest tensor of a slice
  double traffic = -std::numeric_limits<double>::infinity();  // elements read and written, of all slices together
};

struct contraction_order {
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> sliced;
  index_t slices = 1;  // the product of the extents of `sliced`
  contraction_cost cost;
  std::string method;  // which search found it: "greedy", "min-fill", "annealed from greedy", "exact", ...
};

struct order_options {
  double seconds = 1;
  index_t most_elements = std::numeric_limits<index_t>::max();
  std::uint64_t seed = 1;
  int threads = 0;
  int sweeps = 0;              // of annealing, each over all of the tree; 0: as many as the seconds allow
  double traffic_weight = 16;  // what an element read or written costs, in operations
  std::function<bool(double part, const contraction_cost& best)> progress = {};
};

// Throws what require_network throws, and error(memory). argument_error: an option below 0, most_elements below 1.
contraction_order find_order(const network& n, const order_options& options = {});

// The order with the slices that `most_elements` asks for and no others, its own first: for another element type, or
// memory, than it was found for. Which pair comes when may change. error(memory) as find_order's; argument_error where
// it is no order of that network, and for a limit below 1.
contraction_order slice_order(const network& n, const contraction_order& order, index_t most_elements);

// What an order costs. argument_error where it is no order of that network.
contraction_cost cost_of(const network& n, const std::vector<std::pair<int, int>>& pairs,
                         const std::vector<int>& sliced = {});

// Rates to predict from, a second: operations, elements moved, pairs begun.
struct contraction_rates {
  double operations, elements, pairs;
};
double predicted_seconds(const contraction_order& order, const contraction_rates& rates);

// One line: "2^30.5 operations, largest tensor 2^24 elements, traffic 2^27, 4 slices over 2 indices, annealed from
// greedy; about 0.3 s".
std::string describe(const contraction_order& order, const contraction_rates& rates);

}  // namespace kleene
