// One launch of the dense product: its arguments, which tile a block computes, and whether it is the launch to do the
// work.
#pragma once

#include "kleene/kernels/contract/excluded_range.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/raster.hpp"
#include "kleene/kernels/cuda/gemm/simt/atoms.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/findings.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

namespace kleene::kernels::cuda {

// What a launch needs beside the product itself.
template <class Atom, class G>
struct simt_arguments {
  using S = typename G::algebra;

  G g;  // alpha and beta point nowhere here: their values are below
  typename G::scalar alpha{}, beta{};
  bool has_alpha = false, has_beta = false;

  const typename Atom::operand* a = nullptr;  // packed panels, or null: the tiles are read from g.a and g.b
  const typename Atom::operand* b = nullptr;
  index_t a_batch = 0, b_batch = 0;   // operands from one matrix of the batch to the next, 0: one for all
  index_t depth = 0;                  // operands along k
  unsigned tiles_m = 0, tiles_n = 0;  // a grid holds fewer than 2^31 blocks
  index_t split_depth = 0;            // operands along k for each of `splits` blocks that share a tile
  int splits = 1;

  typename Atom::accumulator* partials = nullptr;  // splits > 1: [tile][split][element][thread]
  std::int32_t* groups = nullptr;                  // witness: [tile][split][element][thread], the group of steps
  // Witness: the panels' operands once more, those of a row of A or a column of B side by side, line_depth of them.
  const typename Atom::operand* lines_a = nullptr;
  const typename Atom::operand* lines_b = nullptr;
  index_t line_depth = 0;

  excluded_range excluded_rows, excluded_cols;  // rows and columns of C and D that the product does not have
  index_t first_m = 0, first_n = 0;             // this launch's tiles: tiles_m by tiles_n of them from here on,
  excluded_range excluded_tile_rows, excluded_tile_cols;  // these left out

  gemm_checks checks;                         // nothing is done unless they agree
  unsigned* overflow = nullptr;               // set to 1 by a finite result that does not fit
  bool vectors_a = false, vectors_b = false;  // strided tiles can be read 16 bytes at a time
  bool store_runs = false;  // C's rows are contiguous and aligned, and nothing is asked but the product
};

// Whether finished elements can go out several at a time: C holds the algebra's elements as they are.
template <class G>
inline constexpr bool can_store_runs =
    !has_epilogue<decltype(G::epilogue)> &&
    std::is_same_v<std::remove_pointer_t<decltype(G::c)>, value_of<typename G::algebra>>;

// Which tile of which product, in the order that keeps neighbours in L2.
struct tile_position {
  index_t batch, m, n;
  int split;
};
template <class Arguments>
__device__ __forceinline__ tile_position position_of(const Arguments& p, unsigned block, int group) {
  tile_position at;
  at.split = static_cast<int>(p.splits == 1 ? 0 : block % p.splits);
  if (p.splits > 1) block /= p.splits;
  const unsigned tiles = p.tiles_m * p.tiles_n;
  at.batch = block / tiles;
  block %= tiles;
  const raster_tile tile = rasterise(block, p.tiles_m, p.tiles_n, group);
  at.m = p.first_m + p.excluded_tile_rows.nth_kept(tile.row);
  at.n = p.first_n + p.excluded_tile_cols.nth_kept(tile.col);
  return at;
}

// False once validation failed, the closure diverged, or C was computed another way: nothing is written then.
template <class S>
__device__ bool values_are_valid(const gemm_checks& checks) {
  if (checks.stop && *checks.stop >= 0) return false;
  if (checks.done && *checks.done) return false;
  return may_run<S>(checks);
}

// The launches for all classes of signs are in the stream: whether this one, compiled for Class, is the one that the
// operands' signs select.
template <class S, sign_class Class>
__device__ bool is_selected(const gemm_checks& checks) {
  if (checks.find_class && class_of<S>(checks) != Class) return false;
  return values_are_valid<S>(checks);
}

}  // namespace kleene::kernels::cuda
