// One launch of the product on the tensor cores of sm_90: its arguments, and which tile and steps of k a cluster takes.
#pragma once

#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/raster.hpp"
#include "kleene/kernels/cuda/gemm/rows.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/policy.hpp"

#include <type_traits>

namespace kleene::kernels::cuda {

// What a launch needs beside the product itself.
template <class G>
struct wgmma_arguments {
  using S = typename G::algebra;
  using out = std::remove_pointer_t<decltype(G::c)>;
  using factor = std::remove_cv_t<std::remove_pointer_t<decltype(G::alpha)>>;

  CUtensorMap a, b, c;
  G g;  // alpha and beta point nowhere here: their values are below
  factor alpha{}, beta{};
  bool has_alpha = false, has_beta = false;
  gpu::major a_major = gpu::major::k, b_major = gpu::major::k;
  bool a_batched = false, b_batched = false;  // otherwise one matrix for all of the batch

  unsigned clusters_m = 0, tiles_n = 0;  // clusters above each other, tiles beside each other
  unsigned units = 0;                    // clusters of tiles, over the batch and split-K
  int steps = 0, splits = 1, split_steps = 0;
  int term_steps = 0;                     // where sums are folded: steps of each term (f32 in two parts: of three)
  bool in_boxes = false;                  // C goes out through TMA
  bool scales_sums = false;               // floats of 8 bits: alpha before anything else, has_alpha not set
  accumulator_of<S>* partials = nullptr;  // splits > 1: [unit][block of the cluster][64 rows][element][thread]
  unsigned* overflow = nullptr;           // set to 1 by a finite result that does not fit
  row_total_of<G>* totals = nullptr;      // splits == 1, results of rows: [row][column of tiles]
};

// Which tile, and which steps of k.
struct wgmma_unit {
  int batch, m, n;  // m: of bm rows, n: of bn columns
  int first_step, steps;
};
template <wgmma_policy P, class G>
__device__ wgmma_unit unit_at(const wgmma_arguments<G>& p, unsigned unit, unsigned rank) {
  const unsigned split = p.splits == 1 ? 0 : unit % p.splits;
  if (p.splits > 1) unit /= p.splits;
  const unsigned clusters = p.clusters_m * p.tiles_n;
  const unsigned batch = unit / clusters;
  unit %= clusters;
  const raster_tile tile = rasterise(unit, p.clusters_m, p.tiles_n, P.group);
  const int first = static_cast<int>(split) * p.split_steps;
  return {static_cast<int>(batch), static_cast<int>(tile.row * P.cluster + rank), static_cast<int>(tile.col), first,
          p.steps - first < p.split_steps ? p.steps - first : p.split_steps};
}

}  // namespace kleene::kernels::cuda
