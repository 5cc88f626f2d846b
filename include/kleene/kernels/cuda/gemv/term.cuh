// Running sums of products, with or without the smallest k that gave them.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/kernels/cuda/tile/log_sum.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

// `stored` is a partial sum of split-K, as they are combined.
template <class S, bool Witness>
struct running_sum {
  using A = accumulator_of<S>;
  using stored = A;
  A value;

  __device__ static running_sum zero() { return {widen<S>(S::zero())}; }
  __device__ static running_sum of(const stored& part) { return {part}; }
  __device__ stored part() const { return value; }
  __device__ A result() const { return value; }
  __device__ __forceinline__ void add(const A& term, index_t) { value = S::add(value, term); }
  __device__ __forceinline__ void join(const running_sum& other) { value = S::add(value, other.value); }
  __device__ std::int32_t smallest() const { return -1; }
};

// Terms of one sum come by rising k; sums that are joined have theirs in any order.
template <class S>
struct running_sum<S, true> {
  using A = accumulator_of<S>;
  using stored = A;
  A value;
  std::int32_t k;

  __device__ static running_sum zero() { return {widen<S>(S::zero()), -1}; }
  __device__ static running_sum of(const stored& part) { return {part, -1}; }
  __device__ stored part() const { return value; }
  __device__ A result() const { return value; }
  __device__ __forceinline__ void add(const A& term, index_t at) {
    const A next = S::add(value, term);
    if (!(next == value)) k = static_cast<std::int32_t>(at);
    value = next;
  }
  __device__ __forceinline__ void join(const running_sum& other) {
    const A next = S::add(value, other.value);
    const bool is_mine = next == value, is_other = next == other.value;
    k = is_other && (!is_mine || other.k < k) ? other.k : k;
    value = next;
  }
  __device__ std::int32_t smallest() const { return k; }
};

// Over log_plus terms come in groups (add_groups).
template <class T>
struct running_sum<log_plus<T>, false> : log_sum<T> {
  using stored = log_sum<T>;

  __device__ static running_sum zero() { return {stored::zero()}; }
  __device__ static running_sum of(const stored& part) { return {part}; }
  __device__ stored part() const { return *this; }
  __device__ T result() const { return stored::value(); }
  __device__ std::int32_t smallest() const { return -1; }
};
template <class S>
inline constexpr bool adds_groups = false;
template <class T>
inline constexpr bool adds_groups<log_plus<T>> = true;

// Whether loads are of one element, one at a time: long algebras are limited by their instructions.
template <class S>
inline constexpr bool loads_singly = is_long<S> && !adds_groups<S>;

// Joins what `lanes` neighbouring lanes of a warp have, a power of two; all of a warp come here.
template <class Sum>
__device__ __forceinline__ void join_lanes(Sum& sum, int lanes) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) sum.join(gpu::warp_xor(sum, mask));
}

}  // namespace kleene::kernels::cuda
