// Elements of the matrix -> vectors of accumulators; lanes of a vector -> one value.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/view.hpp"
#include "kleene/kernels/cpu/tile/halves.hpp"
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
// Whether it is that but for zero(), which becomes widen(zero()).
template <class S>
inline constexpr bool widens_by_conversion_but_zero =
    std::is_arithmetic_v<value_of<S>> && std::is_same_v<S, min_times<value_of<S>>>;
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

// The conversion of all elements, to integers in steps that double their size: GCC 12 makes of others one conversion an
// element.
template <class V, class Narrow>
[[gnu::always_inline]] inline void convert(V& to, const Narrow& from) {
  using T = std::remove_cvref_t<decltype(from[0])>;
  using A = std::remove_cvref_t<decltype(to[0])>;
  if constexpr (std::is_integral_v<T> && std::is_integral_v<A> && sizeof(V) > 2 * sizeof(Narrow)) {
    using next = std::conditional_t<sizeof(T) == 1, std::int16_t, std::int32_t>;
    using wider = std::conditional_t<std::is_signed_v<T>, next, std::make_unsigned_t<next>>;
    convert(to, __builtin_convertvector(from, vector_of<wider, 2 * sizeof(Narrow)>));
  } else {
    to = __builtin_convertvector(from, V);
  }
}

// Bytes as integers of 32 bits. The steps of convert() are nine instructions, most of them for one port of a Xeon; here
// each part of 16 bytes takes its four from copies of eight bytes, and shifts them down.
template <class V, class T>
[[gnu::always_inline]] inline void load_bytes(V& v, const T* from) {
#if defined(__GNUC__) && !defined(__clang__)
  if constexpr (sizeof(V) >= 32) {
    using words = vector_of<std::int64_t, sizeof(V)>;
    using bytes = vector_of<std::int8_t, sizeof(V)>;
    std::int64_t first, second;
    std::memcpy(&first, from, sizeof(first));
    words copies = first - words{};
    if constexpr (sizeof(V) == 64) {
      std::memcpy(&second, from + sizeof(first), sizeof(second));
      const words low = {-1, -1, -1, -1};
      copies = (copies & low) | ((second - words{}) & ~low);
    }
    bytes place;
    for (int l = 0; l < static_cast<int>(sizeof(V)); ++l) place[l] = static_cast<std::int8_t>(l / 16 * 16 + l / 4 % 8);
    const auto top =
        reinterpret_cast<vector_of<std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, sizeof(V)>>(
            __builtin_shuffle(reinterpret_cast<bytes>(copies), place));
    v = reinterpret_cast<V>(top >> 24);
    return;
  }
#endif
  vector_of<T, sizeof(V) / 4> narrow;
  std::memcpy(&narrow, from, sizeof(narrow));
  convert(v, narrow);
}

// A vector of accumulators from neighbouring elements.
template <class S, class V>
[[gnu::always_inline]] inline void load_widened(V& v, const value_of<S>* from) {
  using T = value_of<S>;
  using A = accumulator_of<S>;
  constexpr int width = sizeof(V) / sizeof(A);
  if constexpr (std::is_same_v<V, A>) {
    v = widen<S>(*from);
  } else if constexpr (is_its_accumulator<S>) {
    std::memcpy(&v, from, sizeof(V));
  } else if constexpr (widens_as_half<S>) {
    load_halves(v, from);
  } else if constexpr (widens_by_conversion<S> && sizeof(T) == 1 && std::is_same_v<A, std::int32_t>) {
    load_bytes(v, from);
  } else if constexpr ((widens_by_conversion<S> && !std::is_same_v<T, bool>) || widens_by_conversion_but_zero<S>) {
    vector_of<T, width* int{sizeof(T)}> narrow;
    std::memcpy(&narrow, from, sizeof(narrow));
    convert(v, narrow);
    if constexpr (widens_by_conversion_but_zero<S>) v = v == A(S::zero()) ? widen<S>(S::zero()) - V{} : v;
  } else {
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
