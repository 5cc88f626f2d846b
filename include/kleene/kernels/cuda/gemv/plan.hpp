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
inline constexpr int gemv_rows_together = 4;     // rows that a thread has at the same time, by rows, where not one
inline constexpr int gemv_columns_together = 8;  // columns, by columns

// What a plan follows from. Strides count elements.
struct gemv_facts {
  index_t rows = 0, depth = 0, row_stride = 0, depth_stride = 0, x_stride = 0;
  int vector = 1;        // elements in 16 bytes; 1 where kernels for that are not compiled
  bool aligned = false;  // every matrix and every x begins at a multiple of 16 bytes
  int multiprocessors = 1;
  index_t batch = 1;
  bool keeps_to_warps = false;  // a thread has one row, and no more than a warp share it, whatever the shape
  bool looks = false;           // at values
};

struct gemv_plan {
  bool by_rows = true;
  int vector = 1;         // elements of a load
  int rows_together = 1;  // by rows: of a thread
  int lanes_log2 = 0;     // by rows: neighbouring threads that share rows; by columns: those that have different rows
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

// Whether a thread has one row, and a warp at most shares it, or four, and up to a block do. On an H200, cold cache, us
// for four rows and for one (at most four blocks a multiprocessor, below):
//
//                                 min_plus f32    witness        plus_times f16   max_times f32, looked at
//   16384 x 16384                 263    262      272    264     138    138       275    275
//   4096 x 4096                   26.8   23.9     30.0   24.1    18.6   15.3      32.3   27
//   1024 x 1024                   8.8    7.2      8.9    7.2     7.1    5.8       11.2   9.7
//   131072 x 2048                                                                 284    268
//   262144 x 1024                 265    256      272    259     138    133       275    286
//   262144 x 256                  79.4   71.7     83.9   73.9    42.1   41.9      83.4   82.3
//   1048576 x 64                  89.8   132      112    155     75.9   102       133    166
//   256 x 65536                   27.2   24.5     29.3   24.5    18.5   16.2      33.3   26.7
//   4096 x 65536                  272    279      272    281     144    150       278    289
//   1 x 16777216                                  65.2   69.3    34.4   44.9      164    172
//
// Loads of single elements are more at a time with four rows (291 and 355 where those of min_plus f32 are not aligned).
// Matrices of a batch have an x each, which blocks of fewer rows read more often: 256 of 1024 x 1024 of plus_times f32
// took 245 and 254 us; but 256 of 32 x 512, which are few, 13.0 and 10.9.
inline bool has_row_a_thread(const gemv_plan& p, const gemv_facts& f, index_t loads) {
  if (f.keeps_to_warps) return true;
  if (p.vector == 1 || f.rows < 4 || loads < 64) return false;
  if (f.rows * f.batch < (f.looks ? 4096 : 16384)) return true;
  return f.batch == 1 && (!f.looks || (loads >= 512 && loads < 4096));
}

// By rows: lanes enough for whole lines of memory, then more of them while each keeps several loads.
inline void plan_rows(gemv_plan& p, const gemv_facts& f, index_t wanted) {
  const index_t loads = ceil_div(std::max<index_t>(f.depth, 1), p.vector);  // of a row
  p.rows_together = has_row_a_thread(p, f, loads) ? 1 : gemv_rows_together;
  const int most_lanes_log2 = p.rows_together == 1 ? 5 : gemv_threads_log2;
  const auto tiles = [&] { return ceil_div(f.rows, index_t{gemv_threads >> p.lanes_log2} * p.rows_together); };
  const auto each = [&] { return loads >> p.lanes_log2; };
  while (p.lanes_log2 < 3 && p.lanes() < loads) ++p.lanes_log2;
  while (p.lanes_log2 < most_lanes_log2 && (each() >= 16 || (tiles() < wanted && each() >= 4))) ++p.lanes_log2;
  p.tile = index_t{gemv_threads >> p.lanes_log2} * p.rows_together;
  p.tiles = tiles();
  // Of blocks whose threads have one row each no more than are resident, and no second kernel to save a few steps:
  // 4096 x 4096 of min_plus f32 25.7 us in two parts, 1024 x 1024 8.2.
  const bool is_one = p.rows_together == 1;
  const index_t most = is_one && each() < 16 ? 1 : std::max<index_t>(each() / 4, 1);
  p.parts = std::clamp<index_t>((is_one ? wanted / 2 : wanted) / p.tiles, 1, most);
  p.part = round_up(ceil_div(std::max<index_t>(f.depth, 1), std::min(p.parts, most_parts)), p.lanes() * p.vector);
  int least_log2 = p.lanes_log2;
  while (index_t{p.rows_together} << (least_log2 - p.lanes_log2) < f.rows) ++least_log2;
  share_blocks(p, f, least_log2);
  p.tile = index_t{p.rows_together} << (p.share_log2 - p.lanes_log2);
}

// By columns: a warp across rows (fewer lanes where there are not so many), the others along k, with as many columns at
// a time as they keep in flight, to the end: 2048 x 2048 of f32 on an H200 took 13.7 us where parts ended anywhere and
// 12.2 since, log_plus f32 31.0 and 19.3.
inline void plan_columns(gemv_plan& p, const gemv_facts& f, index_t wanted) {
  // Where columns begin with a line of memory half a warp reads two lines, and two blocks a multiprocessor have them
  // all: fewer parts to join. Us for that, and for a warp and six blocks: min_plus f32 4096 x 4096 23.7, 25.8; 2048 x
  // 2048 11.6, 12.1; log_plus f32 26.9, 32.8 and 14.6, 18.5; or_and bool 4096 x 4096 13.8, 17.8. But f32 3000 x 5008
  // 48.7, 31.6; and with more tiles than blocks min_max f64 16384 x 8192 283, 264.
  const index_t tiles_of_two_lines = ceil_div(f.rows, index_t{16} * p.vector);
  const bool by_two_lines = p.vector > 1 && f.depth_stride % (8 * p.vector) == 0 &&
                            tiles_of_two_lines * f.batch <= 2 * index_t{f.multiprocessors};
  const int most_lanes_log2 = by_two_lines ? 4 : 5;
  if (by_two_lines) wanted = ceil_div(2 * index_t{f.multiprocessors}, std::max<index_t>(f.batch, 1));
  while (p.lanes_log2 < most_lanes_log2 && index_t{p.vector} << p.lanes_log2 < f.rows) ++p.lanes_log2;
  p.tile = index_t{p.vector} << p.lanes_log2;
  p.tiles = ceil_div(f.rows, p.tile);
  const index_t slices = gemv_threads >> p.lanes_log2, depth = std::max<index_t>(f.depth, 1);
  p.parts = std::clamp<index_t>(wanted / p.tiles, 1, most_parts);
  p.part = round_up(ceil_div(depth, p.parts), slices * gemv_columns_together);
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
  // Blocks of each matrix: so many that the last wave is a small part of all.
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
