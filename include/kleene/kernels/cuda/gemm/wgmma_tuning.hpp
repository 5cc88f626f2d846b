// The tile policies of products on the matrix units of sm_90. A policy may change speed, never a result beyond rounding.
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels::cuda {

// A block computes 128 x bn elements of C, 128 bytes of k a step, in a ring of `stages` buffers. The `cluster` blocks above
// each other fetch their common tile of B once. Clusters walk down `group` of them before they go right.
struct wgmma_policy {
  int bn, stages, cluster, group;

  static constexpr int bm = 128, consumers = 2;
  static constexpr int threads = 128 * (1 + consumers);
  constexpr int stage_bytes() const { return (bm + bn) * 128; }
  static constexpr int box_bytes = 64 * 128;                      // what a warpgroup stores at a time
  static constexpr int out_bytes = consumers * 2 * box_bytes;     // two of them each, in turns
  constexpr int shared_bytes() const { return stages * stage_bytes() + out_bytes + 2 * stages * 8; }
  constexpr bool operator==(const wgmma_policy&) const = default;
};

// clang-format off
enum class wgmma_shape : int { wide, middle, narrow };
inline constexpr wgmma_policy wgmma_table[] = {
//     bn  stages  cluster  group
    { 256,      4,       2,     8 },  // wide: large products
    { 128,      6,       2,     8 },  // middle
    {  64,      8,       1,    16 },  // narrow: few columns, or few tiles
};
// clang-format on

template <wgmma_shape Row>
struct tuned_wgmma {
  static constexpr wgmma_policy value = wgmma_table[static_cast<int>(Row)];
};

}  // namespace kleene::kernels::cuda
