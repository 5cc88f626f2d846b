// The device's side of a condensed closure: sweeps that carry the bits of pivots along arcs, both ways at once
// (pivots.hpp), and rows combined and spread by class.
#pragma once

#include "kleene/kernels/cuda/bits/pivots.hpp"
#include "kleene/kernels/cuda/tile/bits.cuh"

namespace kleene::kernels::cuda {

constexpr int sweep_threads = 256, sweep_vertices = 32;  // of a block

// Bits of pivots, two ways: 0 along arcs, 1 against them. `reached` has all bits that came to a vertex; `fresh` those
// of the last sweep, which this one carries on. fresh has three buffers: one is read, one written, one cleared.
struct pivot_marks {
  std::uint32_t* words;
  index_t n;

  static constexpr index_t count(index_t n) { return 8 * n + 1; }
  __host__ __device__ std::uint32_t* reached(int way) const { return words + way * n; }
  __device__ std::uint32_t* fresh(int sweep, int way) const { return words + (2 + sweep % 3 * 2 + way) * n; }
  // The last sweep, counted from 1, that brought a vertex a new bit.
  __host__ __device__ std::uint32_t* last() const { return words + 8 * n; }
};

// reached(0) holds the marks that pivot_search begins with.
__global__ void __launch_bounds__(sweep_threads) begin_sweeps(const pivot_marks marks) {
  const index_t v = blockIdx.x * index_t{sweep_threads} + threadIdx.x;
  if (v == 0) *marks.last() = 0;
  if (v >= marks.n) return;
  const std::uint32_t mark = marks.reached(0)[v];
  marks.reached(1)[v] = mark;
  for (int way = 0; way < 2; ++way) {
    marks.fresh(0, way)[v] = mark == pivot_search::settled ? 0 : mark;
    marks.fresh(1, way)[v] = 0;
  }
}

// Carries the fresh bits of every vertex to all its neighbours; blocks of y = 1 go against the arcs. Warps of a block
// share the words of one row, because where few vertices are fresh a sweep takes as long as a row does. The result of a
// sweep does not depend on the order of its blocks.
__global__ void __launch_bounds__(sweep_threads)
    sweep_pivots(const bit_words arcs, const bit_words reversed, const pivot_marks marks, const int sweep) {
  constexpr int ahead = 4, warps = sweep_threads / 32;
  const int way = static_cast<int>(blockIdx.y), lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bit_words graph = way == 0 ? arcs : reversed;
  std::uint32_t* const reached = marks.reached(way);
  std::uint32_t* const next = marks.fresh(sweep + 1, way);
  const index_t first = blockIdx.x * index_t{sweep_vertices}, v = first + lane, words = ceil_to_words(graph.cols);
  const std::uint32_t mine = v < marks.n ? marks.fresh(sweep, way)[v] : 0;
  if (warp == 0 && v < marks.n) marks.fresh(sweep + 2, way)[v] = 0;
  const int sharing = words >= 4096 ? 8 : words >= 2048 ? 4 : words >= 1024 ? 2 : 1, part = warp % sharing;
  bool brought = false;
  int turn = 0;
  for (unsigned open = __ballot_sync(~0u, mine != 0); open != 0; open &= open - 1) {
    if (turn++ % (warps / sharing) != warp / sharing) continue;
    const int from = __ffs(static_cast<int>(open)) - 1;
    const std::uint32_t carried = __shfl_sync(~0u, mine, from);
    for (index_t w = part * 32 * ahead; w < words; w += sharing * 32 * ahead) {
      std::uint32_t x[ahead];
#pragma unroll
      for (int u = 0; u < ahead; ++u) x[u] = graph(first + from, w + 32 * u + lane);
#pragma unroll
      for (int u = 0; u < ahead; ++u)
        for (unsigned some = __ballot_sync(~0u, x[u] != 0); some != 0; some &= some - 1) {
          const int word = __ffs(static_cast<int>(some)) - 1;
          if ((__shfl_sync(~0u, x[u], word) >> lane & 1) == 0) continue;
          const index_t j = (w + 32 * u + word) * 32 + lane;
          std::uint32_t bits = carried & ~__ldcg(reached + j);
          if (bits == 0) continue;
          bits &= ~atomicOr(reached + j, bits);
          if (bits == 0) continue;
          atomicOr(next + j, bits);
          brought = true;
        }
    }
  }
  if (brought) *marks.last() = static_cast<std::uint32_t>(sweep + 1);
}

constexpr int bit_row_threads = 256, bit_rows_of_block = bit_row_threads / 32;

// Row class_of[v] of `to` |= row v of `from`; `to` is zero before. A word is read before the atomic, as in a large
// class most words have all their bits already.
__global__ void __launch_bounds__(bit_row_threads)
    combine_bit_rows(const bit_words from, const std::int32_t* class_of, const bit_view<bit> to) {
  const index_t v = blockIdx.x * index_t{bit_rows_of_block} + threadIdx.x / 32;
  if (v >= from.rows) return;
  auto* const row = reinterpret_cast<std::uint32_t*>(to.row(class_of[v]));
  const index_t words = ceil_to_words(from.cols);
  constexpr int ahead = 8;
  for (index_t w = threadIdx.x % 32; w < words; w += 32 * ahead) {
    std::uint32_t x[ahead];
#pragma unroll
    for (int u = 0; u < ahead; ++u) x[u] = from(v, w + 32 * u);
#pragma unroll
    for (int u = 0; u < ahead; ++u)
      if (x[u] != 0 && (x[u] & ~__ldcg(row + w + 32 * u)) != 0) atomicOr(row + w + 32 * u, x[u]);
  }
}

// Row v of `to` = row class_of[v] of `from`.
__global__ void __launch_bounds__(bit_row_threads)
    spread_bit_rows(const bit_view<const bit> from, const std::int32_t* class_of, const bit_view<bit> to) {
  const index_t v = blockIdx.x * index_t{bit_rows_of_block} + threadIdx.x / 32;
  if (v >= to.rows()) return;
  const bit_word* const source = from.row(class_of[v]);
  bit_word* const row = to.row(v);
#pragma unroll 4
  for (index_t w = threadIdx.x % 32; w < to.words(); w += 32) row[w] = source[w];
}

}  // namespace kleene::kernels::cuda
