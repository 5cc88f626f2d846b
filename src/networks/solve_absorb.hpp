// Which tensors of a network another one can take in at once: those whose indices it has, too.
#pragma once

#include "kleene/networks/network.hpp"

#include <vector>

namespace kleene::detail {

struct absorption {
  std::vector<int> into;   // of each tensor: one with all its indices, -1: it stays
  std::vector<int> order;  // in which they are taken in: none is before what it takes in itself
};
absorption absorb_tensors(const network& n);

}  // namespace kleene::detail
