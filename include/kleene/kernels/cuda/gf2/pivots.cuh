// The pivots of a word of 64 columns: one block finds rows that are independent there, in the order of the rows, until
// there are as many as columns or no more rows, and reduces them in all of the panel.
//
// Rows that add something to what is known so far are picked out by the whole block, 96 at a time; a warp eliminates
// among them, a lane two columns: so a step takes one broadcast, of the column whose pivot is looked for. Of most
// matrices the first 96 rows have all pivots. A pick adds at least one pivot, and rows that were passed over depend on
// those that were not: so no row is looked at more than 65 times.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/kernels/cuda/gf2/panel.cuh"

namespace kleene::kernels::cuda {

struct gf2_search {
  static constexpr int threads = 1024, warps = threads / 32, each = 4;  // rows of a thread
  static constexpr int rows = threads * each, picked_words = 3, most_picked = 32 * picked_words;
  // Rows in an elimination: those picked, then those of the pivots so far, by their columns.
  static constexpr int row_words = picked_words + 2;
  static_assert(warps == 32, "a warp adds up what each has found, and two columns go to each");

  // By column: the row of its pivot, and what became of its word, with the transformation in the pivots' columns. Zero
  // where there is none.
  bit_word basis[64];
  int row[64];
  bit_word columns;       // that have one
  bit_word sums[16][16];  // of every subset of four neighbours in the basis
  bit_word picked[most_picked];
  int picked_row[most_picked];
  unsigned by_column[64][row_words];  // bit i of word k: row 32 k + i of the elimination has a bit in this column
  int new_pivot[64];                  // by column: the number of its row in the elimination, or -1
  int hits[warps];
  unsigned taken[rows / 32];  // rows of the first part that have a pivot now
  int first_free;             // of them
};

// The rows of an elimination, turned: each warp has two columns of bits.
__device__ __forceinline__ void turn_rows(gf2_search& s, int count) {
  const int lane = gpu::lane_id(), first = static_cast<int>(threadIdx.x) / 32 * 2;
#pragma unroll
  for (int k = 0; k < gf2_search::row_words; ++k) {
    const int i = 32 * k + lane;
    const bit_word x = k >= gf2_search::picked_words ? s.basis[i - gf2_search::most_picked]
                       : i < count                   ? s.picked[i]
                                                     : 0;
#pragma unroll
    for (int c = first; c < first + 2; ++c) {
      const unsigned bits = __ballot_sync(gpu::all_lanes, (x >> c & 1) != 0);
      if (lane == 0) s.by_column[c][k] = bits;
    }
  }
}

// And back: rows of pivots to the basis.
__device__ __forceinline__ void turn_back(gf2_search& s) {
  const int lane = gpu::lane_id(), first = static_cast<int>(threadIdx.x) / 32 * 2;
#pragma unroll
  for (int c = first; c < first + 2; ++c) {
    const int found = s.new_pivot[c], i = found >= 0 ? found : gf2_search::most_picked + c;
    const unsigned low = __ballot_sync(gpu::all_lanes, (s.by_column[lane][i / 32] >> i % 32 & 1) != 0);
    const unsigned high = __ballot_sync(gpu::all_lanes, (s.by_column[lane + 32][i / 32] >> i % 32 & 1) != 0);
    if (lane != 0) continue;
    s.basis[c] = low | static_cast<bit_word>(high) << 32;
    if (found >= 0) s.row[c] = s.picked_row[found];
  }
}

// What a lane of warp 0 has of an elimination: columns `lane` and `lane + 32`, of all rows.
struct gf2_lane_columns {
  static constexpr int words = gf2_search::row_words, picked = gf2_search::picked_words;
  unsigned column[2][words];
  unsigned open[picked];  // picked rows that are no pivots yet; the same in all lanes
  int pivot[2];           // rows of new ones
  unsigned known[2];      // columns that have one; the same in all lanes

  // A pivot for column c of half h: the first open row that has a bit there. All other rows with one add it.
  template <int Half>
  __device__ __forceinline__ void eliminate(int c) {
    if ((known[Half] >> c & 1) != 0) return;
    unsigned added[words], row[picked], before = 0;  // the column; the pivot's row as a bit
#pragma unroll
    for (int k = 0; k < words; ++k) added[k] = __shfl_sync(gpu::all_lanes, column[Half][k], c);
#pragma unroll
    for (int k = 0; k < picked; ++k) {
      const unsigned candidates = added[k] & open[k];
      row[k] = before == 0 ? candidates & (0u - candidates) : 0;
      before |= candidates;
    }
    if (before == 0) return;
    known[Half] |= 1u << c;
#pragma unroll
    for (int k = 0; k < picked; ++k) open[k] &= ~row[k], added[k] &= ~row[k];
    const bool own = gpu::lane_id() == c;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      unsigned has = 0;
#pragma unroll
      for (int k = 0; k < picked; ++k) has |= column[h][k] & row[k];
      if (h == Half && own) {  // its bits say who adds the row
        has = 0;
#pragma unroll
        for (int k = 0; k < picked; ++k)
          if (row[k] != 0) pivot[Half] = 32 * k + __ffs(static_cast<int>(row[k])) - 1;
      }
#pragma unroll
      for (int k = 0; k < words; ++k) column[h][k] ^= has != 0 ? added[k] : 0;
    }
  }
};

// Warp 0: pivots among the rows that were picked.
__device__ __forceinline__ void eliminate_picked(gf2_search& s) {
  constexpr int words = gf2_search::row_words;
  const int lane = gpu::lane_id();
  gf2_lane_columns x;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    x.known[h] = static_cast<unsigned>(s.columns >> 32 * h), x.pivot[h] = -1;
#pragma unroll
    for (int k = 0; k < words; ++k) x.column[h][k] = s.by_column[32 * h + lane][k];
  }
#pragma unroll
  for (int k = 0; k < gf2_search::picked_words; ++k) x.open[k] = ~0u;
#pragma unroll 1
  for (int c = 0; c < 32; ++c) x.eliminate<0>(c);
#pragma unroll 1
  for (int c = 0; c < 32; ++c) x.eliminate<1>(c);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    s.new_pivot[32 * h + lane] = x.pivot[h];
#pragma unroll
    for (int k = 0; k < words; ++k) s.by_column[32 * h + lane][k] = x.column[h][k];
  }
  if (lane == 0) s.columns = x.known[0] | static_cast<bit_word>(x.known[1]) << 32;
}

// The whole block: pivots among the rows that were picked, and the basis with them.
__device__ __forceinline__ void take_picked(gf2_search& s, int count) {
  turn_rows(s, count);
  __syncthreads();
  if (threadIdx.x < 32) eliminate_picked(s);
  __syncthreads();
  turn_back(s);
  __syncthreads();
  if (const unsigned t = threadIdx.x / 16, subset = threadIdx.x % 16; t < 16) {
    bit_word sum = 0;
#pragma unroll
    for (int b = 0; b < 4; ++b) sum ^= (subset >> b & 1) != 0 ? s.basis[4 * t + b] : 0;
    s.sums[t][subset] = sum;
  }
  __syncthreads();
}

// x without what the pivots so far account for; in their columns, which of them those are.
__device__ __forceinline__ bit_word left_of(const gf2_search& s, bit_word x, bit_word columns) {
  bit_word left = x & ~columns;
#pragma unroll
  for (int t = 0; t < 16; ++t) left ^= s.sums[t][x >> 4 * t & 15];
  return left;
}

// Picks the first rows of [base, base + gf2_search::rows) that add something; returns how many do.
template <int Words>
__device__ __forceinline__ int pick_rows(const gf2_panel_state<Words>& p, gf2_search& s, index_t base) {
  constexpr int each = gf2_search::each;
  const int lane = gpu::lane_id(), warp = static_cast<int>(threadIdx.x) / 32;
  const index_t first = base + threadIdx.x * index_t{each};
  const bit_word columns = s.columns;
  bit_word x[each] = {};
  if (first < p.rows) {  // padded to whole vectors
    const uint4 a = reinterpret_cast<const uint4*>(p.offered + first)[0];
    const uint4 b = reinterpret_cast<const uint4*>(p.offered + first)[1];
    x[0] = word_of(a, 0), x[1] = word_of(a, 1), x[2] = word_of(b, 0), x[3] = word_of(b, 1);
  }
  int before = 0, mine = 0, all = 0;  // hits of lanes below, of this one, of the warp
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (columns != 0 && __any_sync(gpu::all_lanes, x[k] != 0)) x[k] = left_of(s, x[k], columns);
    const unsigned hits = __ballot_sync(gpu::all_lanes, (x[k] & ~columns) != 0);
    before += __popc(hits & ((1u << lane) - 1)), all += __popc(hits);
    mine += static_cast<int>(hits >> lane & 1);
  }
  if (lane == 0) s.hits[warp] = all;
  __syncthreads();
  const int others = s.hits[lane];
  const int place = static_cast<int>(__reduce_add_sync(gpu::all_lanes, lane < warp ? others : 0)) + before;
  int to = place;
#pragma unroll
  for (int k = 0; k < each; ++k)
    if ((x[k] & ~columns) != 0 && to < gf2_search::most_picked) {
      s.picked[to] = x[k], s.picked_row[to] = static_cast<int>(first) + k;
      ++to;
    }
  return static_cast<int>(__reduce_add_sync(gpu::all_lanes, others));
}

// The rows of the pivots, reduced in all of the panel: each is a sum of old ones, four of them from a table at a time.
template <int Words>
__device__ __forceinline__ void reduce_pivots(const gf2_panel_state<Words>& p, const gf2_search& s, int w) {
  __shared__ bit_word rows[64][Words], sums[16][16][Words];
  static_assert(64 * Words <= gf2_search::threads);
  const int thread = static_cast<int>(threadIdx.x), c = thread / Words, v = thread % Words;
  if (c < 64) rows[c][v] = s.row[c] >= 0 ? p.t[s.row[c] * index_t{Words} + v] : 0;
  __syncthreads();
  for (int e = thread / Words; e < 256; e += gf2_search::threads / Words) {
    bit_word sum = 0;
#pragma unroll
    for (int b = 0; b < 4; ++b) sum ^= (e >> b & 1) != 0 ? rows[e / 16 * 4 + b][v] : 0;
    sums[e / 16][e % 16][v] = sum;
  }
  __syncthreads();
  if (c >= 64) return;
  const bit_word terms = s.basis[c];
  bit_word sum = 0;
#pragma unroll
  for (int t = 0; t < 16; ++t) sum ^= sums[t][terms >> 4 * t & 15][v];
  if (v == w) sum = s.row[c] >= 0 ? terms ^ bit_word { 1 } << c : 0;
  p.reduced[c * Words + v] = sum;
}

// The first rows that have a pivot by now, four a thread: the next search begins with the first four that do not all.
template <int Words>
__device__ __forceinline__ void advance_first_free(const gf2_panel_state<Words>& p, gf2_search& s, int first,
                                                   const int4& pivots) {
  constexpr int each = gf2_search::each;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 64 && s.row[thread] >= 0 && s.row[thread] - first < gf2_search::rows)
    atomicOr(s.taken + (s.row[thread] - first) / 32, 1u << (s.row[thread] - first) % 32);
  __syncthreads();
  const unsigned before =
      (pivots.x >= 0 ? 1u : 0u) | (pivots.y >= 0 ? 2u : 0u) | (pivots.z >= 0 ? 4u : 0u) | (pivots.w >= 0 ? 8u : 0u);
  const unsigned taken = before | s.taken[thread * each / 32] >> thread * each % 32 & 15u;
  if (taken != 15u) atomicMin(&s.first_free, thread * each);
  __syncthreads();
  if (thread != 0) return;
  const index_t next = first + index_t{s.first_free};
  *p.first_free = static_cast<int>(next < p.rows ? next : p.rows / each * each);
}

template <int Words>
__global__ void __launch_bounds__(gf2_search::threads) find_gf2_pivots(const gf2_panel_state<Words> p, const int w) {
  __shared__ gf2_search s;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < 64) s.basis[thread] = 0, s.row[thread] = -1;
  if (thread < gf2_search::rows / 32) s.taken[thread] = 0;
  gpu::launch_dependents();
  gpu::grid_dependency_wait();
  const int first = *p.first_free;
  // Of this thread's first rows; asked for now, as they are long in coming.
  const index_t mine = first + index_t{gf2_search::each} * thread;
  const int4 pivots = mine < p.rows ? *reinterpret_cast<const int4*>(p.column_of + mine) : make_int4(-1, -1, -1, -1);
  if (thread == 0) s.columns = 0, s.first_free = gf2_search::rows;
  __syncthreads();
  const index_t width = p.cols - w * index_t{bits_per_word};
  const bit_word all = width < bits_per_word ? last_word_mask(width) : ~bit_word{0};
  for (index_t base = first; base < p.rows && s.columns != all;) {
    const int hits = pick_rows(p, s, base);
    __syncthreads();
    if (hits > 0) take_picked(s, hits < gf2_search::most_picked ? hits : gf2_search::most_picked);
    if (hits <= gf2_search::most_picked) base += gf2_search::rows;
  }
  reduce_pivots(p, s, w);
  if (thread < 64) {
    const index_t column = p.col + w * index_t{bits_per_word} + thread;
    p.row_of[column] = s.row[thread];
    if (s.row[thread] >= 0) p.column_of[s.row[thread]] = static_cast<std::int32_t>(column);
  }
  if (thread == 0) p.columns[p.word() + w] = s.columns, *p.rank += __popcll(s.columns);
  advance_first_free(p, s, first, pivots);
}

}  // namespace kleene::kernels::cuda
