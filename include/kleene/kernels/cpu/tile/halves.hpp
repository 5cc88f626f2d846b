// Floats of 16 bits -> vectors of float, and f16 of them.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/half.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

// Of a float of 16 bits, whether it becomes the float that it is.
template <class S>
inline constexpr bool widens_as_half =
    (std::is_same_v<value_of<S>, f16> || std::is_same_v<value_of<S>, bf16>) &&
    std::is_same_v<accumulator_of<S>, float> && !requires(value_of<S> x) { S::widen(x); };

// f16 or bf16 as float: f16_value() and bf16's conversion (algebra/half.hpp), of a vector.
template <class V, class T>
[[gnu::always_inline]] inline void load_halves(V& v, const T* from) {
  using bits = vector_of<std::uint32_t, sizeof(V)>;
  vector_of<std::uint16_t, sizeof(V) / 2> narrow;
  std::memcpy(&narrow, from, sizeof(narrow));
  const bits half = __builtin_convertvector(narrow, bits);
  if constexpr (std::is_same_v<T, bf16>) {
    v = reinterpret_cast<V>(half << 16);
  } else {
    const bits sign = (half & 0x8000u) << 16, size = half & 0x7FFFu;
    const V subnormal = reinterpret_cast<V>(0x3F000000u | size) - 0.5f;
    const bits normal = (size << 13) + (size < 0x7C00u ? 0x38000000u - bits{} : 0x70000000u - bits{});
    v = reinterpret_cast<V>(sign | (size < 0x400u ? reinterpret_cast<bits>(subnormal) : normal));
  }
}

// f16_bits() of a vector. (Numbers without their sign are compared as signed integers, for which there are
// instructions.)
template <class V>
[[gnu::always_inline]] inline void store_halves(f16* to, const V& from) {
  using bits = vector_of<std::int32_t, sizeof(V)>;
  const bits x = reinterpret_cast<bits>(from), size = x & 0x7FFFFFFF, sign = x >> 16 & 0x8000;
  const bits subnormal = reinterpret_cast<bits>(reinterpret_cast<V>(size) + 0.5f) - 0x3F000000;
  const bits normal = (size - (0x38000000 - 0xFFF) + (size >> 13 & 1)) >> 13;
  const bits nan = 0x7E00 | (size >> 13 & 0x1FF), infinity = 0x7C00 - bits{};
  const bits finite = size < 0x38800000 ? subnormal : normal;
  const bits number = size < 0x477FF000 ? finite : infinity;
  const auto half =
      __builtin_convertvector(sign | (size > 0x7F800000 ? nan : number), vector_of<std::uint16_t, sizeof(V) / 2>);
  std::memcpy(to, &half, sizeof(half));
}

}  // namespace kleene::kernels::cpu
