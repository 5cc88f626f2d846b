// How many blocks a launch can have.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <string>

namespace kleene::gpu {

// Along x; kernels count tiles and steps of k in 32 bits with a sign, too.
inline constexpr index_t most_blocks = 0x7fffffff;

// The grid of a launch. Launchers have checked the number before; this keeps a forgotten case from being cut to 32
// bits.
inline unsigned grid_of(index_t blocks) {
  if (blocks > most_blocks)
    throw shape_error("a launch would take " + std::to_string(blocks) + " blocks, and a grid has at most " +
                      std::to_string(most_blocks));
  return static_cast<unsigned>(blocks);
}

}  // namespace kleene::gpu
