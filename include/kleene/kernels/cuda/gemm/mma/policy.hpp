// The tile policies of products on the tensor cores of sm_80 and later, and which one a product gets. A policy may
// change speed, never a result beyond rounding.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"

namespace kleene::kernels::cuda {

// A block of warps_m x warps_n warps computes bm x bn elements of C, 128 bytes of k a step, in a ring of `stages`
// buffers; `blocks` of them share a multiprocessor. Blocks walk down `group` tiles of rows before they go right, so
// that what they share stays in L2. `rate` is the share of the tensor cores' throughput that is left with all places
// taken; one block of several, alone, brings about 0.6 of that.
struct mma_policy {
  int bm, bn, warps_m, warps_n, stages, blocks, group;
  double rate;

  constexpr int threads() const { return 32 * warps_m * warps_n; }
  constexpr int warp_m() const { return bm / warps_m; }
  constexpr int warp_n() const { return bn / warps_n; }
  constexpr int stage_bytes() const { return (bm + bn) * 128; }
  constexpr int shared_bytes(int accumulator) const {  // at the end all accumulators lie there
    const int ring = stages * stage_bytes(), tile = bm * bn * accumulator;
    return ring > tile ? ring : tile;
  }
  constexpr bool operator==(const mma_policy&) const = default;
};

// A row of the table: rows.def has them, with what was measured.
enum class mma_shape : int {
#define KLEENE_MMA_ROW(name, ...) name,
#include "kleene/kernels/cuda/gemm/mma/rows.def"
#undef KLEENE_MMA_ROW
};

inline constexpr mma_policy mma_table[] = {
#define KLEENE_MMA_ROW(name, ...) {__VA_ARGS__},
#include "kleene/kernels/cuda/gemm/mma/rows.def"
#undef KLEENE_MMA_ROW
};

template <mma_shape Row>
struct tuned_mma {
  static constexpr mma_policy value = mma_table[static_cast<int>(Row)];
};

// Of the rows first to last the one that takes the least time: rounds of tiles over all places of the device.
constexpr mma_shape choose_mma(mma_shape first, mma_shape last, index_t m, index_t n, index_t batch, int accumulator,
                               int multiprocessors, int shared_bytes) {
  mma_shape best = last;
  double least = -1;
  for (int row = static_cast<int>(first); row <= static_cast<int>(last); ++row) {
    const mma_policy p = mma_table[row];
    if (p.shared_bytes(accumulator) > shared_bytes) continue;
    const index_t tiles = ceil_div(m, p.bm) * ceil_div(n, p.bn) * batch;
    const index_t rounds = ceil_div(tiles, multiprocessors);  // blocks of a multiprocessor share its tensor cores
    const double busy = rounds < p.blocks ? 0.6 + 0.4 * double(rounds - 1) / (p.blocks - 1) : 1;
    const double time = double(rounds) * p.bm * p.bn / (p.rate * busy);
    if (least < 0 || time < least) least = time, best = static_cast<mma_shape>(row);
  }
  return best;
}

}  // namespace kleene::kernels::cuda
