// The block order of a closure (operations/closure.hpp), the same on every machine: where sums round, it is part of the
// result.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels {

// Vertices of the blocks that are closed vertex by vertex: 64 x 64 values and predecessors fit the first-level cache of
// a core, or the shared memory of a block, together.
inline constexpr index_t closure_leaf = 64;

// The block size for a matrix of n vertices where `block` was asked for: `block` if the matrix has more vertices than
// that, else closure_leaf. (A matrix of no more vertices than the answer is closed vertex by vertex.)
constexpr index_t blocks_of_closure(index_t n, index_t block) { return n > block ? block : closure_leaf; }

}  // namespace kleene::kernels
