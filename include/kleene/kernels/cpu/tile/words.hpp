// Structs of a few machine words, as kernels hold many of them: word by word, each word of all lanes side by side, so
// that the compiler makes vector code of an add and a mul on structs. (Side by side as structs, lanes are scalars.)
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kleene::kernels::cpu {

namespace detail {
template <std::size_t Bytes>
using word_of_bytes = std::conditional_t<
    Bytes == 8, std::uint64_t,
    std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;
}  // namespace detail

// What is aligned as one of its words is.
template <class T>
concept struct_of_words = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                          alignof(T) <= sizeof(std::uint64_t) && sizeof(T) / alignof(T) <= 4;

template <struct_of_words T>
struct words {
  using word = detail::word_of_bytes<alignof(T)>;
  static constexpr int count = static_cast<int>(sizeof(T) / sizeof(word));
  static constexpr int lanes(int bytes) { return bytes / static_cast<int>(sizeof(word)); }

  // Lane l of words that lie `stride` apart.
  [[gnu::always_inline]] static T get(const word* from, int l, int stride) {
    std::array<word, count> all;
    for (int w = 0; w < count; ++w) all[w] = from[w * stride + l];
    return std::bit_cast<T>(all);
  }
  [[gnu::always_inline]] static void put(word* to, int l, int stride, const T& value) {
    const auto all = std::bit_cast<std::array<word, count>>(value);
    for (int w = 0; w < count; ++w) to[w * stride + l] = all[w];
  }
};

}  // namespace kleene::kernels::cpu
