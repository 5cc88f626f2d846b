// The tile policies of products on the matrix units of sm_90, and which one a product gets. A policy may change speed,
// never a result beyond rounding.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels::cuda {

// A block computes 128 x bn elements of C, 128 bytes of k a step, in a ring of `stages` buffers. The `cluster` blocks
// above each other fetch their common tile of B once. Clusters walk down `group` of them before they go right. The last
// two are what a step and the rest of a tile cost, in clocks.
struct wgmma_policy {
  int bn, stages, cluster, group;
  int step_clocks, tile_clocks;

  static constexpr int bm = 128, consumers = 2;
  static constexpr int threads = 128 * (1 + consumers);
  static constexpr int box_bytes = 64 * 128;                   // what a warpgroup stores at a time
  static constexpr int out_bytes = consumers * 2 * box_bytes;  // two of them each, in turns
  constexpr int stage_bytes() const { return (bm + bn) * 128; }
  constexpr int shared_bytes() const { return stages * stage_bytes() + out_bytes + 2 * stages * 8; }
  constexpr bool operator==(const wgmma_policy&) const = default;
};

// Evidence: one H200, bf16, Tops at 8192 / 4096 / 1024 cubed, A row-major, B column-major, all in one run. (At 8192 the
// card's power sets the clock: wide was at 725 to 812 in other runs, cuBLASLt beside it at 789 to 824.)
// clang-format off
enum class wgmma_shape : int { wide, middle, narrow };
inline constexpr wgmma_policy wgmma_table[] = {
//     bn  stages  cluster  group  step  tile
    { 256,      4,       2,     8, 1150, 2500 },  // wide: 725 / 791 / 123 (one block a cluster 656 / 770, groups of 16 656 / 785)
    { 128,      6,       2,     8,  680, 1500 },  // middle: 712 / 760 / 184 (one block a cluster 494 / 602)
    {  64,      8,       1,    16,  400, 1000 },  // narrow: 205 at 1024
};
// clang-format on

template <wgmma_shape Row>
struct tuned_wgmma {
  static constexpr wgmma_policy value = wgmma_table[static_cast<int>(Row)];
};

// f32 in two parts asks for more than the matrix units' own sums, which round towards zero at every step: every few steps
// they are added to sums in ordinary registers. So do floats of 8 bits, at every step. Two sets of accumulators, and three,
// fit for tiles up to this wide.
inline constexpr int most_folding_columns = 128, folding_steps = 4;

// A row of the table and in how many parts k is summed.
struct wgmma_choice {
  wgmma_shape shape;
  int splits;
};

// The cheapest: rounds of blocks, each so many steps and what comes after them; parts of k cost a launch and their way
// through memory, twice. `steps`: of 128 bytes of k; `folds`: see above.
constexpr wgmma_choice choose_wgmma(index m, index n, index steps, index batch, int multiprocessors, bool folds) {
  constexpr double combine_clocks = 5000, bytes_per_clock = 1500;
  wgmma_choice best{wgmma_shape::wide, 1};
  double least = -1;
  for (int shape = 0; shape < 3; ++shape) {
    if (folds && wgmma_table[shape].bn > most_folding_columns) continue;
    const wgmma_policy p = wgmma_table[shape];
    const index rows = index(p.bm) * p.cluster;
    const index tiles = (m + rows - 1) / rows * p.cluster * ((n + p.bn - 1) / p.bn) * batch;
    for (index splits = 1; splits <= steps / 4 || splits == 1; ++splits) {
      if (splits > 1 && tiles * splits > 2 * multiprocessors) break;
      const index rounds = (tiles * splits + multiprocessors - 1) / multiprocessors;
      double clocks = double(rounds) * (double((steps + splits - 1) / splits) * p.step_clocks + p.tile_clocks);
      if (splits > 1) clocks += combine_clocks + double(tiles * splits) * p.bm * p.bn * 8 / bytes_per_clock;
      if (least < 0 || clocks < least) least = clocks, best = {static_cast<wgmma_shape>(shape), static_cast<int>(splits)};
    }
  }
  return best;
}

}  // namespace kleene::kernels::cuda
