// Which tensors of a network another one can take in at once: those whose indices it has, too.
#pragma once

#include "kleene/networks/network.hpp"

#include <utility>
#include <vector>

namespace kleene::detail {

struct absorption {
  std::vector<int> into;   // of each tensor: one with all its indices, -1: it stays
  std::vector<int> order;  // in which they are taken in: none is before what it takes in itself
};
absorption absorb_tensors(const network& n);

// An order of all tensors as one of those that stay, places[t] of which is their number, -1: taken in. Of the `left`
// tensors that there are then, those that the order does not know come last. No result has an index more than it had.
std::vector<std::pair<int, int>> pairs_of_rest(const std::vector<std::pair<int, int>>& pairs,
                                               const std::vector<int>& places, int left);

}  // namespace kleene::detail
