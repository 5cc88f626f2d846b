// The numbers of a permutation on the CPU, each with its measurement.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels::cpu {

// About as many units as a tile is long on both sides, so that a tile and its copy stay in the first two caches. The
// reverse of 28 axes of f32 on two Zen 4 cores, share of a copy's rate: 32 0.37, 64 0.39, 128 0.31, 256 0.22.
constexpr index_t tile_side(int unit) { return unit == 1 ? 128 : unit <= 4 ? 64 : 32; }

// A contiguous run of so many bytes is copied as it is.
inline constexpr index_t run_bytes = 256;
// And cut after so many, for other threads to have a part.
inline constexpr index_t most_run_bytes = 1 << 16;
// Copies of so many bytes bypass the caches, which could not hold them: written lines are then not read first.
inline constexpr index_t stream_bytes = 1 << 23;
// A page: tiles that share pages follow each other, since an address costs a walk through the page table else.
inline constexpr index_t page_bytes = 4096;

}  // namespace kleene::kernels::cpu
