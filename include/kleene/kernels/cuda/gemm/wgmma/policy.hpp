// The tile policies of products on the tensor cores of sm_90, and which one a product gets. A policy may change speed,
// never a result beyond rounding.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"

namespace kleene::kernels::cuda {

// A block computes tiles of bm x bn elements of C, 128 bytes of k a step, in a ring of `stages` buffers. Tiles of 128
// rows are shared by its two consumers; those of 64 rows are theirs in turns (ping-pong). The `cluster` blocks above
// each other fetch their common tile of B once. Clusters walk down `group` of them before they go right. The last three
// are what a step, the rest of a tile, and an epilogue cost, in clocks.
struct wgmma_policy {
  int bm, bn, stages, cluster, group;
  int step_clocks, tile_clocks, epilogue_clocks;

  static constexpr int consumers = 2;
  constexpr bool is_ping_pong() const { return bm == 64; }
  constexpr int readers() const { return bm / 64; }  // consumers that read a buffer
  constexpr int first_row(int consumer) const { return is_ping_pong() ? 0 : 64 * consumer; }
  static constexpr int threads = 128 * (1 + consumers);
  static constexpr int box_bytes = 64 * 128;  // what a warpgroup stores at a time
  constexpr int boxes() const { return is_ping_pong() ? 1 : 2; }
  // Of a consumer: its boxes, or 64 x 33 sums.
  constexpr int out_bytes() const { return is_ping_pong() ? box_bytes + 1024 : 2 * box_bytes; }
  constexpr int stage_bytes() const { return (bm + bn) * 128; }
  constexpr int shared_bytes() const { return stages * stage_bytes() + consumers * out_bytes() + 2 * stages * 8; }
  constexpr bool operator==(const wgmma_policy&) const = default;
};

// A row of the table: rows.def has them, with what was measured.
enum class wgmma_shape : int {
#define KLEENE_WGMMA_ROW(name, ...) name,
#include "kleene/kernels/cuda/gemm/wgmma/rows.def"
#undef KLEENE_WGMMA_ROW
};

inline constexpr wgmma_policy wgmma_table[] = {
#define KLEENE_WGMMA_ROW(name, ...) {__VA_ARGS__},
#include "kleene/kernels/cuda/gemm/wgmma/rows.def"
#undef KLEENE_WGMMA_ROW
};

template <wgmma_shape Row>
struct tuned_wgmma {
  static constexpr wgmma_policy value = wgmma_table[static_cast<int>(Row)];
};

// f32 in two parts asks for more than the tensor cores' own sums, which round towards zero at every step: every few
// steps they are added to sums in ordinary registers. So do floats of 8 bits, at every step. Two sets of accumulators,
// and three, fit for tiles up to this wide.
inline constexpr int most_folding_columns = 128, folding_steps = 4;

// A row of the table, and split-K: in how many ranges k is summed.
struct wgmma_choice {
  wgmma_shape shape;
  int splits;
};

// What else the choice depends on. ping_pong: whether there is a kernel for it.
struct wgmma_demands {
  bool folds = false, ping_pong = false, epilogue = false;
};

// Fewer steps than these do not hide what a consumer does between its turns (k = 256: 73 us beside 67 at 8192 x 8192).
inline constexpr index_t least_ping_pong_steps = 8;

// The cheapest: rounds of blocks, each so many steps and what comes after them; split-K costs a launch and its partial
// sums' way through memory, twice. `steps`: of 128 bytes of k.
constexpr wgmma_choice choose_wgmma(index_t m, index_t n, index_t steps, index_t batch, int multiprocessors,
                                    wgmma_demands demands) {
  constexpr double combine_clocks = 5000, bytes_per_clock = 1500, last_turn_clocks = 2500;
  wgmma_choice best{wgmma_shape::wide, 1};
  double least = -1;
  for (int shape = 0; shape < 4; ++shape) {
    const wgmma_policy p = wgmma_table[shape];
    if (demands.folds && p.bn > most_folding_columns) continue;
    if (p.is_ping_pong() && (!demands.ping_pong || steps < least_ping_pong_steps)) continue;
    const int tile_clocks = p.tile_clocks + (demands.epilogue ? p.epilogue_clocks : 0);
    const index_t rows = index_t(p.bm) * p.cluster;
    const index_t tiles = ceil_div(m, rows) * p.cluster * ceil_div(n, p.bn) * batch;
    for (index_t splits = 1; splits <= steps / 4 || splits == 1; ++splits) {
      if (splits > 1 && (p.is_ping_pong() || tiles * splits > 2 * multiprocessors)) break;
      const index_t rounds = ceil_div(tiles * splits, multiprocessors);
      double clocks = double(rounds) * (double(ceil_div(steps, splits)) * p.step_clocks + tile_clocks);
      if (p.is_ping_pong()) clocks += last_turn_clocks;
      if (splits > 1) clocks += combine_clocks + double(tiles * splits) * p.bm * p.bn * 8 / bytes_per_clock;
      if (least < 0 || clocks < least)
        least = clocks, best = {static_cast<wgmma_shape>(shape), static_cast<int>(splits)};
    }
  }
  return best;
}

}  // namespace kleene::kernels::cuda
