// Running sums of products, with or without the smallest k that gave them.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/kernels/cuda/tile/log_sum.hpp"

#include <cstdint>
#include <type_traits>

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

// Whether a warp at most shares a row, and a thread has no other, by rows: sums that are dear to keep and to join. Over
// log_plus<double>, A of 16384 x 8192 on an H200, GB/s by rows a thread, loads in flight of each, and lanes:
//   4 rows, 2 loads   256: 3,102   128: 3,211      2 rows, 4 loads   256: 3,307   128: 3,556   64: 3,576
//                                                  1 row, 4 loads    256: 3,288                32: 3,669
// (and 2,559 where lanes and warps were joined two at a time, with two exponentials for each pair). These are with an
// exponential that was not kept (tile/exponential.hpp); with the one there is the last was 3,652.
template <class S>
inline constexpr bool keeps_to_warps = adds_groups<S> && sizeof(value_of<S>) == 8;

// Whether loads are of one element, one at a time: long algebras are limited by their instructions.
template <class S>
inline constexpr bool loads_singly = is_long<S> && !adds_groups<S>;

// Algebras over bytes, four of which have their terms in one instruction or two.
template <class S>
inline constexpr bool is_bitwise = std::is_same_v<S, or_and<bool>> || std::is_same_v<S, xor_and<bool>>;
template <class S>
inline constexpr bool takes_words =
    is_bitwise<S> || std::is_same_v<S, plus_times<std::int8_t>> || std::is_same_v<S, plus_times<std::uint8_t>>;

// y (+) z, of each byte.
template <class S>
__device__ __forceinline__ std::uint32_t plus_bits(std::uint32_t y, std::uint32_t z) {
  return std::is_same_v<S, xor_and<bool>> ? y ^ z : y | z;
}

// sum (+)= the products of all bytes of a and x.
template <class S, int Words>
__device__ __forceinline__ void add_words(accumulator_of<S>& sum, const std::uint32_t (&a)[Words],
                                          const std::uint32_t (&x)[Words]) {
  if constexpr (is_bitwise<S>) {
    std::uint32_t all = 0;
#pragma unroll
    for (int w = 0; w < Words; ++w) all = plus_bits<S>(all, a[w] & x[w]);
    all = plus_bits<S>(all, all >> 16);
    sum = static_cast<accumulator_of<S>>(plus_bits<S>(sum, plus_bits<S>(all, all >> 8) & 1u));
  } else {
    using word = std::conditional_t<std::is_signed_v<value_of<S>>, int, unsigned>;
    auto all = static_cast<word>(sum);
#pragma unroll
    for (int w = 0; w < Words; ++w) all = __dp4a(static_cast<word>(a[w]), static_cast<word>(x[w]), all);
    sum = static_cast<accumulator_of<S>>(all);
  }
}

// Joins what `lanes` neighbouring lanes of a warp have, a power of two; all of a warp come here.
template <class Sum>
__device__ __forceinline__ void join_lanes(Sum& sum, int lanes) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) sum.join(gpu::warp_xor(sum, mask));
}
// Over log_plus an exponential a lane, where joins by twos would take two each.
template <class T>
__device__ __forceinline__ void join_lanes(running_sum<log_plus<T>, false>& sum, int lanes) {
  T most = sum.reference;
  for (int mask = lanes / 2; mask > 0; mask /= 2) most = log_sum<T>::larger(most, gpu::warp_xor(most, mask));
  sum.lower_to(most);
  for (int mask = lanes / 2; mask > 0; mask /= 2) {
    sum.sum += gpu::warp_xor(sum.sum, mask);
    sum.lost += gpu::warp_xor(sum.lost, mask);
  }
}

}  // namespace kleene::kernels::cuda
