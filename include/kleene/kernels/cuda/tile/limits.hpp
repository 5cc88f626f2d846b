// What the integers of kernels and of launches can hold, in one place. Launchers ask here before anything runs: a batch
// that does not fit one launch goes in several, and what cannot be split is refused with the numbers.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace kleene::kernels::cuda {

// Rows, columns and k where kernels hold them in 32 bits with a sign (TMA's coordinates do): room is left
// for a cluster of tiles, or a step of k, that reaches over the end.
inline constexpr index_t most_coordinate = (index_t{1} << 31) - (index_t{1} << 16);

// Whether tiles_m x tiles_n tiles can be numbered: their product, and `group` rows of tiles, as kernels walk over them.
constexpr bool are_countable(index_t tiles_m, index_t tiles_n, index_t group) {
  return saturating_product(tiles_m, tiles_n) <= gpu::most_blocks &&
         saturating_product(group, tiles_n) <= 2 * gpu::most_blocks;
}

// How many matrices of a batch fit one launch in which each takes `blocks` blocks, and what all share `common`; 0 if
// not even one does.
constexpr index_t matrices_at_once(index_t blocks, index_t common = 0) {
  if (common > gpu::most_blocks) return 0;
  return (gpu::most_blocks - common) / std::max<index_t>(blocks, 1);
}

// A product of which not even one matrix fits.
[[noreturn]] inline void refuse_extents(index_t m, index_t n, index_t k) {
  throw shape_error("a product of " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) +
                    " has more tiles or steps of k than the device's kernels can count (" +
                    std::to_string(gpu::most_blocks) + "): compute it in parts");
}

// Matrices first .. first + count of the batch of G = gemm_arguments<...>.
template <class G>
G part_of_batch(const G& g, index_t first, index_t count) {
  G part = g;
  part.batch = count;
  const auto move = [&](auto& pointer, const std::array<index_t, 3>& strides) {
    if (pointer) pointer += first * strides[0];
  };
  move(part.a, g.sa), move(part.b, g.sb), move(part.c, g.sc), move(part.d, g.sd);
  move(part.mask, g.smask), move(part.witness, g.switness), move(part.lookup, g.slookup);
  return part;
}

// Calls launch(part) for one part of the batch after another, `most` matrices each.
template <class G, class Launch>
void launch_in_parts(const G& g, index_t most, const Launch& launch) {
  for (index_t first = 0; first < g.batch; first += most)
    launch(part_of_batch(g, first, std::min(most, g.batch - first)));
}

}  // namespace kleene::kernels::cuda
