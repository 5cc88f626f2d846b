// A panel of an elimination over GF(2): some columns of all rows, copied out of the matrix, a row's words together.
// Rows stay where they are, and every kernel but the search for pivots (pivots.cuh) gives a row to a few neighbouring
// lanes, 16 bytes each.
#pragma once

#include "kleene/data/bit_matrix.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/ptx/programmatic_launch.cuh"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// Columns [col, col + cols) of `rows` rows, at most 64 Words of them. A word of 64 columns after the other gets its
// pivots. In their columns the panel holds the transformation so far (a pivot's row is exchanged for its column):
// which old rows of pivots a row is the sum of.
template <int Words>
struct gf2_panel_state {
  static constexpr int words = Words, sharing = Words / 2, threads = 256, rows_of_block = threads / sharing;
  static constexpr int added_at_once = 2;  // rows of a lane that adds pivots

  index_t rows, col, cols;
  bit_word* t;        // rows x Words
  bit_word* offered;  // [i]: the word whose pivots come next; zero where row i has a pivot. Padded by zeros.
  bit_word* reduced;  // 64 x Words: the rows of a word's pivots, in the order of columns, each without its own bit
  bit_word* columns;  // [w]: which columns of word w of the matrix have pivots
  std::int32_t *row_of, *column_of;  // as in gf2_exchange; column_of is padded by -1
  std::int32_t* rank;
  std::int32_t* first_free;  // all rows before it have pivots; a multiple of 4

  index_t blocks(int rows_of_lane = 1) const {
    const index_t of_block = index_t{rows_of_block} * rows_of_lane;
    return (rows + of_block - 1) / of_block;
  }
  __host__ __device__ index_t word() const { return col / bits_per_word; }
};

// What a lane has of a row: two words.
template <int Words>
struct gf2_panel_lane {
  index_t row;
  int part;
  bool inside;

  // Of `turns` rows of the lane the one of this turn.
  __device__ explicit gf2_panel_lane(const gf2_panel_state<Words>& p, int turn = 0, int turns = 1)
      : row((blockIdx.x * index_t{turns} + turn) * p.rows_of_block + threadIdx.x / p.sharing),
        part(static_cast<int>(threadIdx.x) % p.sharing),
        inside(row < p.rows) {}
  __device__ uint4& at(const gf2_panel_state<Words>& p) const {
    return reinterpret_cast<uint4*>(p.t)[row * p.sharing + part];
  }
  // Whether column `column` of the matrix is in word w of the panel; its place in there.
  __device__ static bool is_in_word(const gf2_panel_state<Words>& p, int w, std::int32_t column, int& place) {
    const index_t from = column - (p.col + w * index_t{bits_per_word});
    place = static_cast<int>(from);
    return column >= 0 && from >= 0 && from < bits_per_word;
  }
};

__device__ __forceinline__ bit_word word_of(const uint4& two, int which) {
  return which == 0 ? two.x | static_cast<bit_word>(two.y) << 32 : two.z | static_cast<bit_word>(two.w) << 32;
}
__device__ __forceinline__ uint4 two_words(bit_word a, bit_word b) {
  return make_uint4(static_cast<unsigned>(a), static_cast<unsigned>(a >> 32), static_cast<unsigned>(b),
                    static_cast<unsigned>(b >> 32));
}

// The panel's columns of the matrix; words behind the last one are zero.
template <int Words>
__global__ void __launch_bounds__(gf2_panel_state<Words>::threads)
    load_gf2_panel(const gf2_panel_state<Words> p, const bit_view<const bit> a) {
  const gf2_panel_lane<Words> lane(p);
  if (!lane.inside) return;
  const index_t words = words_for(p.cols);
  bit_word word[2];
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    const index_t w = 2 * lane.part + e;
    word[e] = w < words ? a.row(lane.row)[p.word() + w] : 0;
    if (w == words - 1) word[e] &= last_word_mask(p.cols);
  }
  lane.at(p) = two_words(word[0], word[1]);
  if (lane.part == 0) p.offered[lane.row] = p.column_of[lane.row] < 0 ? word[0] : 0;
}

// The panel back to its place. In t each pivot's row loses its own bit: it is there already, and t P is what is added.
template <int Words>
__global__ void __launch_bounds__(gf2_panel_state<Words>::threads)
    store_gf2_panel(const gf2_panel_state<Words> p, const bit_view<bit> a) {
  const gf2_panel_lane<Words> lane(p);
  if (!lane.inside) return;
  const index_t words = words_for(p.cols);
  const std::int32_t column = p.column_of[lane.row];
  const uint4 two = lane.at(p);
  bit_word word[2] = {word_of(two, 0), word_of(two, 1)};
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    const int w = 2 * lane.part + e;
    if (w < words) a.row(lane.row)[p.word() + w] = word[e];
    if (int place = 0; lane.is_in_word(p, w, column, place)) word[e] ^= bit_word{1} << place;
  }
  lane.at(p) = two_words(word[0], word[1]);
}

// A lane's part of a row, to which the pivots' rows are added that a word of the row names.
template <int Words>
struct gf2_row_sum {
  uint4 x;
  unsigned half[2];

  __device__ void take_word(int w) {
    constexpr int sharing = gf2_panel_state<Words>::sharing;
    const bit_word mine = word_of(x, w % 2);
    const int owner = static_cast<int>(threadIdx.x) % 32 / sharing * sharing + w / 2;
    half[0] = __shfl_sync(~0u, static_cast<unsigned>(mine), owner);
    half[1] = __shfl_sync(~0u, static_cast<unsigned>(mine >> 32), owner);
  }
  __device__ void add(int c, const uint4& term) {
    const auto taken = static_cast<unsigned>(static_cast<int>(half[c / 32] << (31 - c % 32)) >> 31);
    x.x ^= term.x & taken, x.y ^= term.y & taken, x.z ^= term.z & taken, x.w ^= term.w & taken;
  }
};

// What the pivots of word w mean for all rows: the pivots' own become what they are, the others add those that their
// bits in the pivots' columns name. Masks and no tables: all rows take the same pivot at the same time, so that a read
// of shared memory, which is the bound, serves two rows of every lane.
template <int Words>
__global__ void __launch_bounds__(gf2_panel_state<Words>::threads)
    add_gf2_pivots(const gf2_panel_state<Words> p, const int w) {
  using P = gf2_panel_state<Words>;
  constexpr int turns = P::added_at_once;
  __shared__ uint4 reduced[64 * P::sharing];
  gpu::launch_dependents();
  gpu::grid_dependency_wait();
  for (int e = static_cast<int>(threadIdx.x); e < 64 * P::sharing; e += P::threads)
    reduced[e] = reinterpret_cast<const uint4*>(p.reduced)[e];
  const bool any = p.columns[p.word() + w] != 0;
  gf2_row_sum<Words> row[turns];
  std::int32_t column[turns];
  const int part = static_cast<int>(threadIdx.x) % P::sharing;
#pragma unroll
  for (int e = 0; e < turns; ++e) {
    const gf2_panel_lane<Words> lane(p, e, turns);
    row[e].x = lane.inside ? lane.at(p) : make_uint4(0, 0, 0, 0);
    column[e] = lane.inside ? p.column_of[lane.row] : -1;
  }
  __syncthreads();
  if (any) {
#pragma unroll
    for (int e = 0; e < turns; ++e) row[e].take_word(w);
#pragma unroll
    for (int c = 0; c < 64; ++c) {
      const uint4 term = reduced[c * P::sharing + part];
#pragma unroll
      for (int e = 0; e < turns; ++e) row[e].add(c, term);
    }
  }
#pragma unroll
  for (int e = 0; e < turns; ++e) {
    const gf2_panel_lane<Words> lane(p, e, turns);
    if (int place = 0; lane.is_in_word(p, w, column[e], place)) {
      const uint4 x = reduced[place * P::sharing + part];
      const bit_word own = part == w / 2 ? bit_word{1} << place : 0;
      row[e].x = two_words(word_of(x, 0) ^ (w % 2 == 0 ? own : 0), word_of(x, 1) ^ (w % 2 == 0 ? 0 : own));
    }
    if (!lane.inside) continue;
    if (any) lane.at(p) = row[e].x;
    if (w + 1 < Words && part == (w + 1) / 2) p.offered[lane.row] = column[e] < 0 ? word_of(row[e].x, (w + 1) % 2) : 0;
  }
}

}  // namespace kleene::kernels::cuda
