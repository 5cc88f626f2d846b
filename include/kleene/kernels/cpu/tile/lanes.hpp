// A vector of accumulators and the algebra on it. Arithmetic types live in GCC/Clang vector-extension types; any other
// type is a vector of one. An algebra whose add and mul accept whole vectors (those that Kleene ships) is called with
// vectors; a user's scalar add(a, b) is called lane by lane, which the compiler turns into the same instructions.
// Functions return through a reference: returning a 64-byte vector by value has no ABI on the baseline.
#pragma once

#include "kleene/algebra/concepts.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

// Vectors that this unit's own flags have no registers for are returned by functions that are inlined always (ops.hpp).
// Not taken back: GCC warns where templates are instantiated, which may be at the end of the unit.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace kleene::kernels::cpu {

template <class T, int Bytes>
struct lanes {
  static constexpr int count = std::is_arithmetic_v<T> ? Bytes / static_cast<int>(sizeof(T)) : 1;
};

namespace detail {
template <class T, int Bytes, bool Arithmetic = std::is_arithmetic_v<T>>
struct vector_type {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <class T, int Bytes>
struct vector_type<T, Bytes, false> {
  using type = T;
};
template <int Bytes>
struct integer_of;
template <>
struct integer_of<1> {
  using type = std::int8_t;
};
template <>
struct integer_of<2> {
  using type = std::int16_t;
};
template <>
struct integer_of<4> {
  using type = std::int32_t;
};
template <>
struct integer_of<8> {
  using type = std::int64_t;
};
template <class T>
struct counter {
  using type = std::int32_t;
};
template <class T>
requires std::is_arithmetic_v<T>
struct counter<T> : integer_of<sizeof(T)> {};
}  // namespace detail

template <class T, int Bytes>
using vector_of = typename detail::vector_type<T, Bytes>::type;

// An integer as wide as T: what indices are kept in beside values of T.
template <class T>
using counter_of = typename detail::counter<T>::type;

template <class S, class V>
concept algebra_on_vectors = requires(const V& v) {
  S::template add<V>(v, v);
  S::template mul<V>(v, v);
};

template <class T, class V>
[[gnu::always_inline]] inline void load(V& v, const T* from) {
  std::memcpy(&v, from, sizeof(V));
}
template <class T, class V>
[[gnu::always_inline]] inline void store(T* to, const V& v) {
  std::memcpy(to, &v, sizeof(V));
}
// out = elements L... of x and y behind each other, as many as each has. (GCC 11 lacks __builtin_shufflevector; nvcc
// prints it for the host compiler with its pack not expanded. Clang makes one shuffle of the elements by themselves.)
template <int... L, class V>
[[gnu::always_inline]] inline void shuffle(V& out, const V& x, const V& y) {
#ifdef __clang__
  constexpr int lanes = sizeof...(L);
  out = V{(L < lanes ? x[L % lanes] : y[L % lanes])...};
#else
  using places = decltype(V{} < V{});
  out = __builtin_shuffle(x, y, places{L...});
#endif
}
// acc = acc (+) (x (x) y)
template <class S, class V>
[[gnu::always_inline]] inline void multiply_add(V& acc, const V& x, const V& y) {
  using A = accumulator_of<S>;
  if constexpr (std::is_same_v<V, A>) {
    acc = S::add(acc, S::mul(x, y));
  } else if constexpr (algebra_on_vectors<S, V>) {
    acc = S::template add<V>(acc, S::template mul<V>(x, y));
  } else {
    V product{};
    for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(A)); ++l) product[l] = S::mul(x[l], y[l]);
    V sum{};
    for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(A)); ++l) sum[l] = S::add(acc[l], product[l]);
    acc = sum;
  }
}

// acc = acc (+) x
template <class S, class V>
[[gnu::always_inline]] inline void add_to(V& acc, const V& x) {
  using A = accumulator_of<S>;
  if constexpr (std::is_same_v<V, A>) {
    acc = S::add(acc, x);
  } else if constexpr (algebra_on_vectors<S, V>) {
    acc = S::template add<V>(acc, x);
  } else {
    V sum{};
    for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(A)); ++l) sum[l] = S::add(acc[l], x[l]);
    acc = sum;
  }
}

// product = x (x) y
template <class S, class V>
[[gnu::always_inline]] inline void multiply(V& product, const V& x, const V& y) {
  using A = accumulator_of<S>;
  if constexpr (algebra_on_vectors<S, V>) product = S::template mul<V>(x, y);
  else
    for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(A)); ++l) product[l] = S::mul(x[l], y[l]);
}

// A mask (each lane 0 or -1) as the bits of one number: bit l is lane l.
template <class I>
[[gnu::always_inline]] inline std::uint64_t lane_bits(const I& mask) {
  if constexpr (std::is_integral_v<I>) {
    return mask & 1;
  } else {
    constexpr int count = sizeof(I) / sizeof(mask[0]);
    std::uint64_t bits = 0;
    if constexpr (count < 8) {
      for (int l = 0; l < count; ++l) bits |= std::uint64_t(mask[l] & 1) << l;
    } else {
      typedef std::int8_t bytes __attribute__((vector_size(count)));
      const bytes narrow = __builtin_convertvector(mask, bytes);
      for (int l = 0; l < count; l += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, reinterpret_cast<const char*>(&narrow) + l, 8);
        bits |= (eight & 0x0101010101010101u) * 0x0102040810204080u >> 56 << l;  // byte b lands in bit 56 + b
      }
    }
    return bits;
  }
}

// mark = value where now differs from before, lane by lane.
template <class V, class I>
[[gnu::always_inline]] inline void mark_changes(I& mark, const V& before, const V& now, const I& value) {
  mark = (now == before) ? mark : value;
}

}  // namespace kleene::kernels::cpu
