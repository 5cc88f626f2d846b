// Products of plus_times on the tensor cores of sm_90, over operands of 8 and 16 bits, or f32 where precision allows
// it: which way round, and how many launches a batch takes.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/gemm/wgmma/product.cuh"

#include <algorithm>
#include <utility>

namespace kleene::kernels::cuda {

// C^T = B^T A^T, which is the same product: plus_times commutes.
template <class G>
G transposed(const G& g) {
  G t = g;
  std::swap(t.m, t.n), std::swap(t.a, t.b);
  const auto flipped = [](const typename G::strides& s) { return typename G::strides{s[0], s[2], s[1]}; };
  t.sa = flipped(g.sb), t.sb = flipped(g.sa), t.sc = flipped(g.sc), t.sd = flipped(g.sd), t.smask = flipped(g.smask);
  return t;
}

// How many matrices of the batch one launch of each kernel can take, by the smallest tiles of the table. (Split-K is
// for few tiles alone.)
inline index_t wgmma_batch(index_t m, index_t n, index_t k) {
  constexpr index_t tile = 64, most_group = 16;
  const index_t tiles_m = ceil_div(m, tile), tiles_n = ceil_div(n, tile);
  if (!are_countable(tiles_m, tiles_n, most_group)) return 0;
  const index_t copied = ceil_div(2 * k, align_tile);  // blocks of an operand's copy: tiles of its lines by these
  return matrices_at_once(std::max(tiles_m * tiles_n, saturating_product(std::max(tiles_m, tiles_n), copied)), 1 << 16);
}

// Whether the code at hand can use this device's tensor cores: kernels that were compiled for sm_90 instead of sm_90a,
// or for sm_80, are empty.
template <class G>
bool has_wgmma(int capability) {
  if (capability != 90) return false;
  static const bool has = [] {
    cudaFuncAttributes is{};
    const auto kernel = gemm_wgmma<tuned_wgmma<wgmma_shape::narrow>, operand_kind<value_of<typename G::algebra>>, G>;
    if (cudaFuncGetAttributes(&is, kernel) == cudaSuccess) return is.numRegs > 64;
    cudaGetLastError();
    return false;
  }();
  return has;
}

// Rows of C next to each other in memory become columns of its transpose; few rows waste less as few columns.
template <class G>
G oriented(const G& g) {
  const bool by_columns = g.sc[2] != 1 && g.sc[1] == 1, few_rows = g.m <= 64 && g.n > 128;
  return !has_epilogue<decltype(G::epilogue)> && (by_columns || few_rows) ? transposed(g) : g;
}

// A batch of any size, on the tensor cores of sm_90 where the device has them.
template <class G>
void launch_wgmma_batch(const context& ctx, const G& g, bool on_tensor_cores) {
  const index_t at_once = on_tensor_cores ? wgmma_batch(g.m, g.n, g.k) : g.batch;
  if (at_once == 0) refuse_extents(g.m, g.n, g.k);
  if (g.batch > at_once) {
    if constexpr (gives_rows<decltype(G::epilogue)>)
      throw shape_error("results of rows of a batch of " + std::to_string(g.batch) + " matrices: one launch takes " +
                        std::to_string(at_once));
    return launch_in_parts(g, at_once, [&](const G& part) { launch_wgmma_batch(ctx, part, on_tensor_cores); });
  }
  const G product = oriented(g);
  const bool in_reach = product.k > 0 && product.m <= most_coordinate && product.n <= most_coordinate;
  wgmma_product<G>(ctx, product, on_tensor_cores && in_reach).run();
}

template <class G>
bool launch_wgmma_if_possible(const context& ctx, const G& g) {
  const gpu::on_device here(ctx.device()->ordinal);
  // f32 in two parts is read as twice as many columns, padded.
  const index_t depth = g.precision == float_precision::split ? saturating_product(2, g.k) + 64 : g.k;
  if (!has_wgmma<G>(ctx.device()->capability) || depth > most_coordinate) return false;
  launch_wgmma_batch(ctx, g, true);
  return true;
}

}  // namespace kleene::kernels::cuda
