// The three things that are done with a pair of panels: sums of products of exponentials, the largest sum of a pair,
// and sums of exponentials below it. Each works a micro-tile at a time, in chains of log_sum_chain steps.
#pragma once

#include "kleene/kernels/cpu/gemm/log_sums/bounds.hpp"
#include "kleene/kernels/cpu/gemm/microkernel.inl.hpp"
#include "kleene/kernels/cpu/tile/logarithms.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

// total = the sum over chains: chain(steps, a, b) leaves its own in tile.value.
template <class Tile, class T, class Chain>
[[gnu::always_inline]] inline void add_chains(T* __restrict total, Tile& tile, index_t depth, const T* a, const T* b,
                                              const Chain& chain) {
  std::fill_n(total, Tile::rows * Tile::cols, T(0));
  for (index_t k = 0; k < depth; k += log_sum_chain) {
    chain(std::min(log_sum_chain, depth - k), a + k * Tile::rows, b + k * Tile::cols);
    for (int e = 0; e < Tile::rows * Tile::cols; ++e) total[e] += tile.value[e];
  }
}

// Exponentials are taken this many steps at a time, where one of them matters for one of the lanes.
inline constexpr int exponential_group = 4;

// tile.value = sum over k of exp(a_k + b_k - largest), of terms above e^-cut. depth is a multiple of the group.
template <class Tile, class T>
[[gnu::always_inline]] inline void sum_exponentials(Tile& tile, index_t depth, const T* __restrict a,
                                                    const T* __restrict b, const T* __restrict largest, T cut) {
  using V = typename Tile::V;
  constexpr int rows = Tile::rows, cols = Tile::cols, width = Tile::width;
#pragma GCC unroll 1
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 1
    for (int j = 0; j < cols; j += width) {
      V most, sum{};
      load(most, largest + i * cols + j);
      const V floor = most - cut;
#pragma GCC unroll 1
      for (index_t k = 0; k < depth; k += exponential_group) {
        V term[exponential_group], best = floor;
#pragma GCC unroll 8
        for (int u = 0; u < exponential_group; ++u) {
          load(term[u], b + (k + u) * cols + j);
          term[u] += a[(k + u) * rows + i];
          best = best < term[u] ? term[u] : best;
        }
        if (lane_bits(best > floor) == 0) continue;
#pragma GCC unroll 8
        for (int u = 0; u < exponential_group; ++u) {
          V y;
          exponential_of<T>(y, term[u] - most, V{});
          sum += y;
        }
      }
      store(tile.value + i * cols + j, sum);
    }
}

}  // namespace kleene::kernels::cpu
