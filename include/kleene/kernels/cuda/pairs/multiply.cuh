// The kernels of a pair: gathers, since operands of a contraction lie as their own products left them.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/contract/pair_product.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

inline constexpr int pair_threads = 256, pair_terms = 1024;

struct pair_offsets {
  index_t a, b;
};

// Where element `n` of some axes begins in both operands, the last axis innermost.
__device__ __forceinline__ pair_offsets offsets_of(const pair_axis* axes, int count, index_t n) {
  pair_offsets at{0, 0};
#pragma unroll 1
  for (int r = count - 1; r >= 0; --r) {
    const auto extent = static_cast<std::uint32_t>(axes[r].extent);
    index_t digit;
    if ((extent & (extent - 1)) == 0) {
      digit = n & (extent - 1), n >>= 31 - __clz(static_cast<int>(extent));
    } else {
      digit = n % extent, n /= extent;
    }
    at.a += digit * axes[r].a, at.b += digit * axes[r].b;
  }
  return at;
}

template <class S>
__device__ __forceinline__ accumulator_of<S> add_term(const accumulator_of<S>& sum, const value_of<S>& a,
                                                      const value_of<S>& b) {
  return S::add(sum, S::mul(widen<S>(a), widen<S>(b)));
}

template <class S>
__device__ __forceinline__ void store_pair(const pair_product<value_of<S>>& p, index_t item,
                                           const accumulator_of<S>& sum, unsigned* overflow) {
  if constexpr (can_overflow<S>)
    if (S::overflows(sum)) *overflow = 1;
  p.c[item] = normalise<S>(sum);
}

// A thread an element; the offsets of the terms are the same for all of them, in shared memory.
template <class S>
__global__ void __launch_bounds__(pair_threads)
    multiply_pair(const __grid_constant__ pair_product<value_of<S>> p, unsigned* overflow) {
  __shared__ pair_offsets terms[pair_terms];
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const index_t stride = index_t{gridDim.x} * pair_threads;
  const bool at_once = p.terms <= pair_terms;
  if (at_once) {
    for (index_t t = threadIdx.x; t < p.terms; t += pair_threads) terms[t] = offsets_of(p.axes + p.kept, p.summed, t);
    __syncthreads();
  }
  for (index_t block = index_t{blockIdx.x} * pair_threads; block < p.items; block += stride) {
    const index_t item = block + threadIdx.x;
    const bool is_there = item < p.items;
    const pair_offsets from = offsets_of(p.axes, p.kept, is_there ? item : 0);
    const value_of<S>*const a = p.a + from.a, *const b = p.b + from.b;
    auto sum = widen<S>(S::zero());
    for (index_t first = 0; first < p.terms; first += pair_terms) {
      const int count = static_cast<int>(min(p.terms - first, index_t{pair_terms}));
      if (!at_once) {
        __syncthreads();
        for (int t = static_cast<int>(threadIdx.x); t < count; t += pair_threads)
          terms[t] = offsets_of(p.axes + p.kept, p.summed, first + t);
        __syncthreads();
      }
#pragma unroll 4
      for (int t = 0; t < count; ++t) sum = add_term<S>(sum, a[terms[t].a], b[terms[t].b]);
    }
    if (is_there) store_pair<S>(p, item, sum, overflow);
  }
}

// Few elements of many terms: `splits` blocks share those of each, and leave their sums in `partials`, [item][split].
template <class S>
__global__ void __launch_bounds__(pair_threads)
    multiply_pair_split(const __grid_constant__ pair_product<value_of<S>> p, const unsigned splits,
                        accumulator_of<S>* partials) {
  __shared__ alignas(16) unsigned char memory[pair_threads * sizeof(accumulator_of<S>)];
  auto* const sums = reinterpret_cast<accumulator_of<S>*>(memory);
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const index_t item = blockIdx.x / splits, split = blockIdx.x % splits;
  const pair_offsets from = offsets_of(p.axes, p.kept, item);
  const index_t begin = p.terms * split / splits, end = p.terms * (split + 1) / splits;
  auto sum = widen<S>(S::zero());
  for (index_t t = begin + threadIdx.x; t < end; t += pair_threads) {
    const pair_offsets term = offsets_of(p.axes + p.kept, p.summed, t);
    sum = add_term<S>(sum, p.a[from.a + term.a], p.b[from.b + term.b]);
  }
  sums[threadIdx.x] = sum;
  for (int half = pair_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = S::add(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
template <class S>
__global__ void __launch_bounds__(pair_threads)
    join_pair_splits(const __grid_constant__ pair_product<value_of<S>> p, const unsigned splits,
                     const accumulator_of<S>* partials, unsigned* overflow) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const index_t item = index_t{blockIdx.x} * pair_threads + threadIdx.x;
  if (item >= p.items) return;
  auto sum = partials[item * splits];
  for (unsigned s = 1; s < splits; ++s) sum = S::add(sum, partials[item * splits + s]);
  store_pair<S>(p, item, sum, overflow);
}

}  // namespace kleene::kernels::cuda
