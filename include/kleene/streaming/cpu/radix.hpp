// Radix sort on the CPU: from the lowest byte of the keys to the highest, each pass counts the bytes of every part, and
// then every part knows where its items go.
#pragma once

#include "kleene/streaming/cpu/sort_steps.hpp"

#include <array>
#include <cstdint>
#include <limits>

namespace kleene::detail {

template <std::size_t Bytes>
using unsigned_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

// An unsigned integer that is ordered as the key is: the sign bit turned for signed integers and positive floats, all
// bits turned for negative floats, whose magnitudes count backwards. -0 and +0 are one key.
template <class K>
auto radix_bits(K key) {
  static_assert(std::is_arithmetic_v<K> && sizeof(K) <= 8, "radix sorts take integers and floats of up to 64 bits");
  using bits = unsigned_of<sizeof(K)>;
  constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(K) - 1));
  const bits b = std::bit_cast<bits>(key);
  if constexpr (std::is_floating_point_v<K>) return static_cast<bits>(b & sign && b != sign ? ~b : b | sign);
  else if constexpr (std::is_signed_v<K>) return static_cast<bits>(b ^ sign);
  else return b;
}

using byte_counts = std::array<index_t, 256>;

// Moves from to to, ordered by one byte of the keys; false, and nothing moved, if it is the same in all of them.
template <class Track>
bool radix_pass(Track from, Track to, index_t n, int byte, int parts, byte_counts* counts) {
  const auto digit = [=](index_t i) { return static_cast<std::size_t>(radix_bits(from.keys[i]) >> (8 * byte) & 255); };
  for_each_part(parts, [&](int p) {
    byte_counts own{};
    for (index_t i = part_begin(n, parts, p); i < part_begin(n, parts, p + 1); ++i) ++own[digit(i)];
    counts[p] = own;
  });
  index_t next = 0;
  for (std::size_t d = 0; d < 256; ++d) {
    const index_t before = next;
    for (int p = 0; p < parts; ++p) next += std::exchange(counts[p][d], next);
    if (next - before == n) return false;
  }
  for_each_part(parts, [&](int p) {
    byte_counts place = counts[p];
    for (index_t i = part_begin(n, parts, p); i < part_begin(n, parts, p + 1); ++i)
      to.copy_item(place[digit(i)]++, from, i);
  });
  return true;
}

// Sorts data; other has room for n items.
template <class Track>
void radix_in_parts(const context& ctx, Track data, Track other, index_t n) {
  if (n < 2) return;
  const int parts = parts_for(ctx, n);
  const scratch<byte_counts> counts(ctx, parts);
  Track from = data, to = other;
  for (int byte = 0; byte < static_cast<int>(sizeof(typename Track::key)); ++byte)
    if (radix_pass(from, to, n, byte, parts, counts.data())) std::swap(from, to);
  if (from.keys != data.keys)
    for_each_range(ctx, n, [&](index_t begin, index_t end) { data.copy_range(from, begin, end); });
}

}  // namespace kleene::detail
