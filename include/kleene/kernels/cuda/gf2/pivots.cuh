// The pivots of a word of 64 columns: one block finds rows that are independent there, in the order of the rows, until
// there are as many as columns or no more rows, and reduces them in all of the panel.
//
// Rows that add something to what is known so far are picked out by the whole block, 96 at a time; a warp eliminates
// among them, three a lane. Of most matrices the first 96 rows have all pivots. A pick adds at least one pivot, and
// rows that were passed over depend on those that were not: so no row is looked at more than 65 times.
//
// Columns in place of rows, two a lane, take one broadcast a step and no vote, but have to be turned and back: 16 us a
// word in place of 13.5 (H200, searches alone, of 16,384 rows).
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/kernels/cuda/gf2/panel.cuh"

namespace kleene::kernels::cuda {

struct gf2_search {
  static constexpr int threads = 1024, warps = threads / 32, each = 4;  // rows of a thread
  static constexpr int rows = threads * each, picked_of_lane = 3, most_picked = 32 * picked_of_lane;
  static_assert(warps == 32, "a warp adds up what each has found");

  // By column: the row of its pivot, and what became of its word, with the transformation in the pivots' columns. Zero
  // where there is none.
  bit_word basis[64];
  int row[64];
  bit_word columns;       // that have one
  bit_word sums[16][16];  // of every subset of four neighbours in the basis
  bit_word picked[most_picked];
  int picked_row[most_picked];
  int hits[warps];
  unsigned taken[rows / 32];  // rows of the first part that have a pivot now
  int first_free;             // of them
};

// A word in halves, which is what shuffles and shifts take.
struct half_words {
  unsigned half[2];

  __device__ half_words() : half{} {}
  __device__ explicit half_words(bit_word w) : half{static_cast<unsigned>(w), static_cast<unsigned>(w >> 32)} {}
  __device__ bit_word whole() const { return half[0] | static_cast<bit_word>(half[1]) << 32; }
  __device__ void add(const half_words& x, unsigned mask) { half[0] ^= x.half[0] & mask, half[1] ^= x.half[1] & mask; }
};

// What warp 0 holds of the rows at hand: those with pivots, two a lane, and those just picked.
struct gf2_warp_rows {
  static constexpr int each = gf2_search::picked_of_lane;
  half_words known[2], x[each];
  int column[each];  // whose pivot it became, or -1
  half_words columns;

  // Column c of the half that Half says: a pivot is looked for, and all others with a bit there add its row.
  template <int Half>
  __device__ __forceinline__ void eliminate(int c) {
    if ((columns.half[Half] >> c & 1) != 0) return;
    int mine = each;
#pragma unroll
    for (int k = each - 1; k >= 0; --k)
      if (column[k] < 0 && (x[k].half[Half] >> c & 1) != 0) mine = k;
    const unsigned found = __ballot_sync(gpu::all_lanes, mine < each);
    if (found == 0) return;
    const int leader = __ffs(static_cast<int>(found)) - 1;
    half_words row;
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (k == mine) row = x[k];
    row.half[Half] ^= 1u << c;  // who adds it keeps the bit: it says so
    row.half[0] = __shfl_sync(gpu::all_lanes, row.half[0], leader);
    row.half[1] = __shfl_sync(gpu::all_lanes, row.half[1], leader);
    const bool leads = gpu::lane_id() == leader;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const bool pivot = leads && k == mine;
      x[k].add(row, pivot ? 0u : 0u - (x[k].half[Half] >> c & 1));
      if (pivot) column[k] = 32 * Half + c;
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) known[k].add(row, 0u - (known[k].half[Half] >> c & 1));
    columns.half[Half] |= 1u << c;
  }
};

// Warp 0: pivots among the rows that were picked.
__device__ __forceinline__ void take_picked(gf2_search& s, int count) {
  constexpr int each = gf2_search::picked_of_lane;
  const int lane = gpu::lane_id();
  gf2_warp_rows rows;
  rows.columns = half_words(s.columns);
#pragma unroll
  for (int k = 0; k < 2; ++k) rows.known[k] = half_words(s.basis[32 * k + lane]);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = each * lane + k;
    rows.x[k] = i < count ? half_words(s.picked[i]) : half_words();
    rows.column[k] = -1;
  }
#pragma unroll 1
  for (int c = 0; c < 32; ++c) rows.eliminate<0>(c);
#pragma unroll 1
  for (int c = 0; c < 32; ++c) rows.eliminate<1>(c);
#pragma unroll
  for (int k = 0; k < 2; ++k) s.basis[32 * k + lane] = rows.known[k].whole();
  __syncwarp();  // zero where a picked row comes now
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (const int c = rows.column[k]; c >= 0) s.basis[c] = rows.x[k].whole(), s.row[c] = s.picked_row[each * lane + k];
  if (lane == 0) s.columns = rows.columns.whole();
}

// The block: tables of the basis.
__device__ __forceinline__ void add_up_basis(gf2_search& s) {
  const unsigned t = threadIdx.x / 16, subset = threadIdx.x % 16;
  if (t >= 16) return;
  bit_word sum = 0;
#pragma unroll
  for (int b = 0; b < 4; ++b) sum ^= (subset >> b & 1) != 0 ? s.basis[4 * t + b] : 0;
  s.sums[t][subset] = sum;
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

// The rows of the pivots, reduced in all of the panel: each is a sum of old ones.
template <int Words>
__device__ __forceinline__ void reduce_pivots(const gf2_panel_state<Words>& p, const gf2_search& s, int w) {
  __shared__ bit_word rows[64][Words];
  static_assert(64 * Words <= gf2_search::threads);
  const int c = static_cast<int>(threadIdx.x) / Words, v = static_cast<int>(threadIdx.x) % Words;
  if (c < 64) rows[c][v] = s.row[c] >= 0 ? p.t[s.row[c] * index_t{Words} + v] : 0;
  __syncthreads();
  if (c >= 64) return;
  const half_words terms(s.basis[c]);
  bit_word sum = 0;
#pragma unroll 16
  for (int k = 0; k < 64; ++k) sum ^= rows[k][v] & (bit_word{0} - (terms.half[k / 32] >> k % 32 & 1));
  if (v == w) sum = s.row[c] >= 0 ? s.basis[c] ^ bit_word { 1 } << c : 0;
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
    if (hits > 0 && thread < 32) take_picked(s, hits < gf2_search::most_picked ? hits : gf2_search::most_picked);
    if (hits <= gf2_search::most_picked) base += gf2_search::rows;
    __syncthreads();
    if (hits == 0 || s.columns == all) continue;
    add_up_basis(s);
    __syncthreads();
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
