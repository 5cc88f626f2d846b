// How many best arcs (predecessors.cuh) a device has room for at once. Plain C++: operations count memory by it.
#pragma once

#include "kleene/data/view.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

// Of a graph of n < 2^31 vertices. All n^2 arcs can be best (a matrix that is closed already), but few graphs have so
// many, and memory for all would double what a closure takes. Where there are more than this function returns, they are
// listed for a strip of heads at a time. A strip of one head always fits, and 32 bits can number the list.
constexpr index_t best_arc_room(index_t n) {
  const index_t all = n * n;
  return std::min<index_t>({all, std::max<index_t>(all / 16, 1 << 20), 0xffffffff});
}

}  // namespace kleene::kernels::cuda
