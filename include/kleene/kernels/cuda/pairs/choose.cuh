// One block goes back through all pairs: what one finds is where the next one looks, so that there is nothing to share
// among more.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/kernels/contract/pair_choice.hpp"
#include "kleene/kernels/cuda/pairs/multiply.cuh"

#include <cstdint>

namespace kleene::kernels::cuda {

// Term `n` of a pair, the last of its summed axes innermost.
__device__ __forceinline__ pair_offsets offsets_of_term(const choice_axis* summed, int count, index_t n) {
  pair_offsets at{0, 0};
  for (int r = count - 1; r >= 0; --r) {
    const index_t digit = n % summed[r].extent;
    n /= summed[r].extent;
    at.a += digit * summed[r].a, at.b += digit * summed[r].b;
  }
  return at;
}

// values: of each index; those that a pair sums over are written. lost: becomes 1 where no term gives an element.
template <class S>
__global__ void __launch_bounds__(pair_threads)
    choose_terms(const pair_choice<value_of<S>>* pairs, int count, const choice_axis* axes, std::int32_t* values,
                 unsigned* lost) {
  using T = value_of<S>;
  __shared__ unsigned long long found;
  constexpr unsigned long long none = ~0ull;
  for (int s = 0; s < count; ++s) {
    const pair_choice<T> p = pairs[s];
    const choice_axis *const kept = axes + p.first, *const summed = kept + p.kept;
    if (threadIdx.x == 0) found = none;
    __syncthreads();
    index_t a = 0, b = 0, c = 0;
    for (int r = 0; r < p.kept; ++r) {
      const index_t value = values[kept[r].label];
      a += value * kept[r].a, b += value * kept[r].b, c += value * kept[r].c;
    }
    const T wanted = p.c[c];
    for (index_t first = 0; first < p.terms; first += pair_threads) {
      const index_t t = first + threadIdx.x;
      if (t < p.terms) {
        const pair_offsets at = offsets_of_term(summed, p.summed, t);
        const T sum = normalise<S>(add_term<S>(widen<S>(S::zero()), p.a[a + at.a], p.b[b + at.b]));
        if (sum == wanted) atomicMin(&found, static_cast<unsigned long long>(t));
      }
      if (__syncthreads_or(found != none)) break;
    }
    if (threadIdx.x == 0) {
      if (found == none) *lost = 1;
      index_t n = found == none ? 0 : static_cast<index_t>(found);
      for (int r = p.summed - 1; r >= 0; --r) {
        values[summed[r].label] = static_cast<std::int32_t>(n % summed[r].extent);
        n /= summed[r].extent;
      }
    }
    __syncthreads();
  }
}

}  // namespace kleene::kernels::cuda
