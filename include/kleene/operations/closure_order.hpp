// The block order of a closure (closure.hpp), the same on every machine: where sums round, it is part of the result.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::detail {

// Vertices of the blocks that are closed vertex by vertex.
inline constexpr index closure_leaf = 64;

// The block size for a matrix of n vertices where `block` was asked for: `block` if the matrix has more vertices than
// that, else closure_leaf. (A matrix of no more vertices than the answer is closed vertex by vertex.)
constexpr index blocks_of_closure(index n, index block) { return n > block ? block : closure_leaf; }

}  // namespace kleene::detail
