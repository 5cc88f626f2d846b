// How products of a matrix and a vector, one or a batch, are cut up on a CUDA device: plain arithmetic on facts, which
// a CPU test asks.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/integers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace kleene::kernels::cuda {

inline constexpr int gemv_threads_log2 = 8, gemv_threads = 1 << gemv_threads_log2;
inline constexpr int gemv_rows_together = 4;     // rows that a thread has at the same time, by rows, or one
inline constexpr int gemv_columns_together = 8;  // columns, by columns

// What a plan follows from. Strides count elements.
struct gemv_facts {
  index_t rows = 0, depth = 0, row_stride = 0, depth_stride = 0, x_stride = 0;
  int vector = 1;        // elements in 16 bytes; 1 where kernels for that are not compiled
  bool aligned = false;  // every matrix and every x begins at a multiple of 16 bytes
  int multiprocessors = 1;
  index_t batch = 1;
  int rows_together = gemv_rows_together;
  int most_lanes_log2 = gemv_threads_log2;  // that share rows
};

struct gemv_plan {
  bool by_rows = true;
  int vector = 1;      // elements of a load
  int lanes_log2 = 0;  // by rows: neighbouring threads that share rows; by columns: those that have different rows
  int share_log2 = gemv_threads_log2;      // threads of a block that have the same matrix
  index_t tile = 1;                        // rows of theirs
  index_t tiles = 1, part = 1, parts = 1;  // split-K: they have a tile, and `part` steps of k of it

  int lanes() const { return 1 << lanes_log2; }
  int matrices() const { return gemv_threads >> share_log2; }  // of a block: more than one have a tile each
};

namespace detail {

inline constexpr index_t most_parts = 65535;  // a grid's second extent

// Where a block could hold several matrices they share it, down to 1 << least_log2 threads each, while blocks are
// enough. A block for each of 262,144 matrices of 32 x 32 of f32 had 16 bytes a thread to read: 0.97 TB/s on an H200.
inline void share_blocks(gemv_plan& p, const gemv_facts& f, int least_log2) {
  if (p.tiles > 1 || p.part < f.depth) return;
  while (p.share_log2 > least_log2 && ceil_div(f.batch, index_t{2} * p.matrices()) >= 8 * index_t{f.multiprocessors})
    --p.share_log2;
}

// By rows: lanes enough for whole lines of memory, then more of them while each keeps several loads.
inline void plan_rows(gemv_plan& p, const gemv_facts& f, index_t wanted) {
  const index_t loads = ceil_div(std::max<index_t>(f.depth, 1), p.vector);  // of a row
  const auto tiles = [&] { return ceil_div(f.rows, index_t{gemv_threads >> p.lanes_log2} * f.rows_together); };
  const auto each = [&] { return loads >> p.lanes_log2; };
  while (p.lanes_log2 < 3 && p.lanes() < loads) ++p.lanes_log2;
  while (p.lanes_log2 < f.most_lanes_log2 && (each() >= 16 || (tiles() < wanted && each() >= 4))) ++p.lanes_log2;
  p.tile = index_t{gemv_threads >> p.lanes_log2} * f.rows_together;
  p.tiles = tiles();
  p.parts = std::clamp<index_t>(wanted / p.tiles, 1, std::max<index_t>(each() / 4, 1));
  p.part = round_up(ceil_div(std::max<index_t>(f.depth, 1), std::min(p.parts, most_parts)), p.lanes() * p.vector);
  int least_log2 = p.lanes_log2;
  while (index_t{f.rows_together} << (least_log2 - p.lanes_log2) < f.rows) ++least_log2;
  share_blocks(p, f, least_log2);
  p.tile = index_t{f.rows_together} << (p.share_log2 - p.lanes_log2);
}

// By columns: a warp across rows (fewer lanes where there are not so many), the others along k.
inline void plan_columns(gemv_plan& p, const gemv_facts& f, index_t wanted) {
  while (p.lanes_log2 < 5 && index_t{p.vector} << p.lanes_log2 < f.rows) ++p.lanes_log2;
  p.tile = index_t{p.vector} << p.lanes_log2;
  p.tiles = ceil_div(f.rows, p.tile);
  const index_t slices = gemv_threads >> p.lanes_log2, depth = std::max<index_t>(f.depth, 1);
  p.parts = std::clamp<index_t>(wanted / p.tiles, 1, std::max<index_t>(depth / (4 * slices), 1));
  p.part = ceil_div(depth, std::min(p.parts, most_parts));
  int least_log2 = p.lanes_log2;
  while (index_t{gemv_columns_together} << (least_log2 - p.lanes_log2) < depth) ++least_log2;
  share_blocks(p, f, least_log2);
}

}  // namespace detail

inline gemv_plan plan_gemv(const gemv_facts& f) {
  gemv_plan p;
  p.by_rows = f.rows == 1 ||
              (f.depth > 1 &&
               (f.depth_stride == 1 || (f.row_stride != 1 && std::abs(f.depth_stride) <= std::abs(f.row_stride))));
  const index_t along = p.by_rows ? f.depth_stride : f.row_stride, across = p.by_rows ? f.row_stride : f.depth_stride;
  const bool one_line = p.by_rows ? f.rows == 1 : f.depth <= 1;
  const bool vectors =
      along == 1 && f.aligned && (one_line || across % f.vector == 0) && (!p.by_rows || f.x_stride == 1);
  p.vector = vectors ? f.vector : 1;
  // Blocks of each matrix: by rows so many that the last wave is a small part of all; by columns, which are cut into
  // parts of any length, as many as are resident at 40 registers a thread (4096 x 4096 of f32 on an H200: 8 a
  // multiprocessor 26.1 us, 6 24.0, 4 23.5; 16384 x 16384: 279, 269, 271; 3000 x 5000: 28.7, 28.5, 32.1).
  const index_t wanted = ceil_div((p.by_rows ? 8 : 6) * index_t{f.multiprocessors}, std::max<index_t>(f.batch, 1));
  p.by_rows ? detail::plan_rows(p, f, wanted) : detail::plan_columns(p, f, wanted);
  p.parts = ceil_div(std::max<index_t>(f.depth, 1), p.part);
  return p;
}

// Tiles of all matrices of a batch, one after the other, as a grid whose first extent is at most `most`, and where a
// block of it is: the first of its matrices. Blocks of the last row of the grid may be too many.
struct gemv_grid {
  index_t tiles = 1, batch = 1, together = 1;  // matrices of a block
  index_t blocks() const { return tiles * ceil_div(batch, together); }
  index_t x(index_t most) const { return std::min(blocks(), most); }
  index_t z(index_t most) const { return ceil_div(blocks(), x(most)); }
};
struct gemv_place {
  index_t matrix = 0, tile = 0;
};
KLEENE_FUNCTION gemv_place place_of(const gemv_grid& grid, index_t block) {
  constexpr index_t most_of_32_bits = 0xffffffff;
  if (grid.batch == 1) return {0, block};
  if (grid.together > 1) return {block * grid.together, 0};
  if (block > most_of_32_bits || grid.tiles > most_of_32_bits) return {block / grid.tiles, block % grid.tiles};
  const auto small = static_cast<std::uint32_t>(block), tiles = static_cast<std::uint32_t>(grid.tiles);
  return {small / tiles, small % tiles};
}

}  // namespace kleene::kernels::cuda
