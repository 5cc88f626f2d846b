// From the best sum of a chunk to an element of C.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

namespace kleene::kernels::cuda {

// A warp's 16 x 64 elements, from (row, col) on: lane l holds of row l / 4 + 8 h and column 8 g + 2 (l % 4) + e the
// element 4 g + 2 h + e.
template <int Terms, class G>
__device__ __forceinline__ void store_levels(const exponents_arguments<G>& p, const int (&best)[32], index_t row,
                                             index_t col) {
  using S = typename G::algebra;
  using code = exponent_code<Terms>;
  gemm_writer<G> writer{p.g, 0};
  const int lane = gpu::lane_id();
  const index_t first_row = row + lane / 4, first_col = col + lane % 4 * 2;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const index_t i = first_row + 8 * h;
    if (i >= p.g.m) continue;
    const std::int32_t least_a = p.least_a[i];
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const index_t j = first_col + e / 2 * 8 + e % 2;
      if (j >= p.g.n) continue;
      const int found = best[e / 2 * 4 + h * 2 + e % 2];
      auto sum = widen<S>(S::zero());
      if (found > 0)
        sum = widen<S>(static_cast<value_of<S>>(level_sign<S> * (least_a + p.least_b[j] + code::least(found))));
      writer.store(i, j, sum);
    }
  }
}

// The keys instead, where the witness will be (witness.cuh).
template <class G>
__device__ __forceinline__ void store_keys(const exponents_arguments<G>& p, const int (&best)[32], index_t row,
                                           index_t col) {
  const gemm_writer<G> writer{p.g, 0};
  const int lane = gpu::lane_id();
  const index_t first_row = row + lane / 4, first_col = col + lane % 4 * 2;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const index_t i = first_row + 8 * h;
    if (i >= p.g.m) continue;
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const index_t j = first_col + e / 2 * 8 + e % 2;
      if (j < p.g.n) writer.witness_at(i, j) = best[e / 2 * 4 + h * 2 + e % 2];
    }
  }
}

// The minimum of C and the elements, written where it is less than C. Those from clamped_level on, whose value is not
// known, are marked (clamped.cuh). C is read 16 elements at a time, as nothing that is written may be read again.
template <int Terms, class G>
__device__ __forceinline__ void store_less(const exponents_arguments<G>& p, const int (&best)[32], index_t row,
                                           index_t col) {
  using S = typename G::algebra;
  using T = value_of<S>;
  const int lane = gpu::lane_id();
  const index_t first_row = row + lane / 4, first_col = col + lane % 4 * 2;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const index_t i = first_row + 8 * h;
    if (i >= p.g.m) continue;
    T* const to = p.g.c + i * p.g.sc[1];
    T before[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const index_t j = first_col + e / 2 * 8 + e % 2;
      before[e] = j < p.g.n ? to[j * p.g.sc[2]] : T(S::zero());
    }
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const index_t j = first_col + e / 2 * 8 + e % 2;
      const int found = best[e / 2 * 4 + h * 2 + e % 2];
      if (found == 0 || j >= p.g.n) continue;
      const int level = exponent_code<Terms>::least(found);
      const T value = static_cast<T>(level_sign<S> * (level < clamped_level ? level : clamped_mark));
      if (!(S::add(value, before[e]) == before[e])) to[j * p.g.sc[2]] = value;
    }
  }
}

// Whichever of them it is.
template <int Terms, exponents_kind Kind, class G>
__device__ __forceinline__ void store_greatest(const exponents_arguments<G>& p, const int (&best)[32], index_t row,
                                               index_t col) {
  if constexpr (Kind == exponents_kind::keyed) store_keys(p, best, row, col);
  else if constexpr (Kind == exponents_kind::clamped) store_less<Terms>(p, best, row, col);
  else store_levels<Terms>(p, best, row, col);
}

}  // namespace kleene::kernels::cuda
