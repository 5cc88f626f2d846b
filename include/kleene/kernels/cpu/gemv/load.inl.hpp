// Elements of the matrix -> vectors of accumulators; lanes of a vector -> one value.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

// Whether widening an element is a conversion between arithmetic types, or nothing at all.
template <class S>
inline constexpr bool widens_by_conversion =
    std::is_arithmetic_v<value_of<S>> && std::is_arithmetic_v<accumulator_of<S>> &&
    !requires(value_of<S> x) { S::widen(x); };
template <class S>
inline constexpr bool is_its_accumulator =
    !requires(value_of<S> x) { S::widen(x); } &&
    (std::is_same_v<value_of<S>, accumulator_of<S>> ||
     (std::is_same_v<value_of<S>, bool> && std::is_same_v<accumulator_of<S>, std::uint8_t>));

// How many elements ahead a line of the cache is asked for, where it is: 2 KB, and into all levels of the cache. (f32
// max_times by rows, one core of a Zen 5: 83, 86, 88 and 80 % of memory with 1, 1.5, 2 and 4 KB past the second level,
// 79 without, 85 into all levels with 2 KB. Past the second level i32 of 8192 x 8192 takes 7.8 GB/s on a Xeon, an
// Emerald Rapids, over min_plus and plus_times; into all of them 14.2 and 13.7, where reading alone is at 15.)
template <class T>
inline constexpr index_t prefetched = std::max<index_t>(2048 / index_t{sizeof(T)}, 1);
// Whether a line of the cache begins between element `n` and the one before it, counted from the beginning of one.
template <class T>
constexpr bool begins_line(index_t n) {
  constexpr index_t line = 64, size = sizeof(T);
  return n * size % line < size;
}

// A vector of accumulators from neighbouring elements.
template <class S, class V>
[[gnu::always_inline]] inline void load_widened(V& v, const value_of<S>* from) {
  using T = value_of<S>;
  using A = accumulator_of<S>;
  if constexpr (std::is_same_v<V, A>) {
    v = widen<S>(*from);
  } else if constexpr (is_its_accumulator<S>) {
    std::memcpy(&v, from, sizeof(V));
  } else if constexpr (widens_by_conversion<S> && !std::is_same_v<T, bool>) {
    typedef T narrow_vector __attribute__((vector_size(sizeof(V) / sizeof(A) * sizeof(T))));
    narrow_vector narrow;
    std::memcpy(&narrow, from, sizeof(narrow));
    v = __builtin_convertvector(narrow, V);
  } else {
    constexpr int width = sizeof(V) / sizeof(A);
    A lane[width];
    for (int l = 0; l < width; ++l) lane[l] = widen<S>(from[l]);
    std::memcpy(&v, lane, sizeof(V));
  }
}

// All lanes added up, in a fixed order.
template <class S, class V>
[[gnu::always_inline]] inline accumulator_of<S> fold_lanes(const V& v) {
  using A = accumulator_of<S>;
  if constexpr (std::is_same_v<V, A>) {
    return v;
  } else if constexpr (sizeof(V) > 16) {
    using Half = vector_of<A, sizeof(V) / 2>;
    Half low, high;
    std::memcpy(&low, &v, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof(low), sizeof(high));
    add_to<S>(low, high);
    return fold_lanes<S>(low);
  } else {
    A sum = v[0];
    for (int l = 1; l < static_cast<int>(sizeof(V) / sizeof(A)); ++l) sum = S::add(sum, v[l]);
    return sum;
  }
}

// acc = acc (+) (matrix (x) vector), the other way round where the vector comes First.
template <class S, bool First, class V>
[[gnu::always_inline]] inline void add_term(V& acc, const V& matrix, const V& vector) {
  if constexpr (First) multiply_add<S>(acc, vector, matrix);
  else multiply_add<S>(acc, matrix, vector);
}
template <class S, bool First, class V>
[[gnu::always_inline]] inline void form_term(V& term, const V& matrix, const V& vector) {
  if constexpr (std::is_same_v<V, accumulator_of<S>>) term = First ? S::mul(vector, matrix) : S::mul(matrix, vector);
  else if constexpr (First) multiply<S>(term, vector, matrix);
  else multiply<S>(term, matrix, vector);
}

}  // namespace kleene::kernels::cpu
