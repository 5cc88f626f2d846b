// The block order of a closure (operations/closure.hpp), one for every machine: where sums round it is part of the
// result.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels {

// Vertices of the blocks that are closed vertex by vertex: 64 x 64 values and predecessors fit the first-level cache of
// a core, or the shared memory of a block, together.
inline constexpr index closure_leaf = 64;

// The blocks that a matrix of n vertices is closed in where blocks of `block` were asked for: those where it has more
// vertices than one of them, else leaves. (A matrix of no more vertices than the answer is closed vertex by vertex.)
constexpr index blocks_of_closure(index n, index block) { return n > block ? block : closure_leaf; }

}  // namespace kleene::kernels
