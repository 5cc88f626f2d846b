// How many best arcs (predecessors.cuh) a device has room for at once. Plain C++: operations count memory by it.
#pragma once

#include "kleene/data/view.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

// Of a graph of n < 2^31 vertices. All n^2 arcs can be best (a matrix that is closed already), but few graphs have so
// many, and room for them would double what a closure takes: where they are more than these they are listed a strip of
// heads at a time. A strip of one head fits always, and 32 bits number what is listed.
constexpr index best_arc_room(index n) {
  const index all = n * n;
  return std::min<index>({all, std::max<index>(all / 16, 1 << 20), 0xffffffff});
}

}  // namespace kleene::kernels::cuda
