// Whole numbers as powers of two: then sums of products, which tensor cores compute, tell minima of sums, which they do
// not. A number v is coded as 2^(62 - b v) in A and 2^(63 - b v) in B. The product of two codes is 2^(125 - b (v + w)),
// and a sum of at most 2^b - 1 of them lies between the largest and less than 2^b times that: its exponent, divided by
// b and rounded, is the least v + w, exactly, however the sum is rounded, as long as it is never less than its largest
// term. Sums are not added to each other: positive floats are in the order of their bits, so the largest of several is
// an integer maximum. What is not there (infinity) is coded as 0.
// Source: G. Yuval, "An algorithm for finding all shortest paths using N^2.81 infinite-precision multiplications",
// 1976; N. Alon, Z. Galil, O. Margalit, "On the exponent of the all pairs shortest path problem", 1997.
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kleene::kernels {

// Operands of min_plus and max_plus whose finite values are small whole numbers become levels: what lies above the
// line's least value (a line: a row of A, a column of B), or for max_plus below its greatest.

// Whether an algebra's products can be found this way, and the sign that makes its sums minima.
template <class S>
inline constexpr int level_sign = 0;
template <class T>
inline constexpr int level_sign<min_plus<T>> = 1;
template <class T>
inline constexpr int level_sign<max_plus<T>> = -1;

// What the code needs to know of one element.
struct whole_number {
  enum kind_type { finite, infinite, other } kind;  // infinite: no candidate of a minimum; other: not to be coded
  std::int32_t value = 0;                           // finite: times level_sign
};
// The largest magnitude of a number that is coded: sums of two are exact in every type, and far from where integers
// count as infinite.
inline constexpr std::int32_t most_whole_number = 1 << 22;

template <class S, class T = value_of<S>>
KLEENE_FUNCTION constexpr whole_number whole_number_of(T x) {
  if (x == S::zero() || x != x) return {whole_number::infinite};  // a NaN is no candidate
  using wide =
      std::conditional_t<std::is_integral_v<T>, std::int64_t, std::conditional_t<(sizeof(T) > 4), double, float>>;
  const wide number = static_cast<wide>(x);
  if (!(number <= wide{most_whole_number} && number >= wide{-most_whole_number})) return {whole_number::other};
  const auto value = static_cast<std::int32_t>(number);
  if constexpr (!std::is_integral_v<T>) {
    // Not whole; or -0: the sum of two of them is -0, which has no code.
    using bits = std::conditional_t<(sizeof(T) > 4), std::int64_t, std::int32_t>;
    if (std::bit_cast<bits>(static_cast<wide>(value)) != std::bit_cast<bits>(number)) return {whole_number::other};
  }
  return {whole_number::finite, level_sign<S> * value};
}

// The code of a level as bf16, where a level is worth `bits` of the exponent, and level 0 is 2^top.
KLEENE_FUNCTION constexpr std::uint16_t code_of_level(int bits, int top, int level) {
  return static_cast<std::uint16_t>((127 + top - bits * level) << 7);
}

// The code for sums of `Terms` products: 15, 31 or 63, whose b is whole.
template <int Terms>
struct exponent_code {
  static constexpr int bits = std::bit_width(static_cast<unsigned>(Terms));
  static constexpr int top_a = 62, top_b = 63, top = top_a + top_b;
  static constexpr int most_level = (top_a + 126) / bits;  // of an operand: bf16's normal numbers
  static constexpr int most_sum = (top + 126) / bits;      // of a row and a column: f32's

  static constexpr bool holds(int most_a, int most_b) {
    return most_a <= most_level && most_b <= most_level && most_a + most_b <= most_sum;
  }
  // As bf16.
  KLEENE_FUNCTION static constexpr std::uint16_t of_a(int level) { return code_of_level(bits, top_a, level); }
  KLEENE_FUNCTION static constexpr std::uint16_t of_b(int level) { return code_of_level(bits, top_b, level); }
  static constexpr std::uint16_t none = 0;

  // The least sum of levels of a positive sum of products, of which these are the bits. (Many of the largest products
  // overflow: infinity has the exponent that tells 0.)
  KLEENE_FUNCTION static constexpr int least(std::uint32_t sum) {
    return (top - (static_cast<int>(sum >> 23) - 127) + bits - 1) / bits;
  }
};

// Numbers that are not negative may be coded as they are, without a least of their line, and those from here on, finite
// ones, alike: sums of two are still told, so the least sum is right where it is less, and known to be no less, and
// finite, elsewhere.
inline constexpr int clamped_level = exponent_code<31>::most_sum / 2;
// What such a sum is marked with: sums of a thousand marks are far from where integers count as infinite.
inline constexpr std::int32_t clamped_mark = 1 << 17;

// Keys, for a witness: with 15 products a sum, 4 bits a level, the seven highest bits of a sum are 63 - s, s its least
// level, and nothing else. In place of the others goes how many sums follow: the greatest key has the least level and,
// of the sums that have it, the first.
struct exponent_key {
  using code = exponent_code<15>;
  static constexpr int terms = 15;
  static constexpr int level_shift = 25;
  static constexpr std::int32_t level_bits = -(std::int32_t{1} << level_shift);

  KLEENE_FUNCTION static constexpr std::int32_t of(std::int32_t sum, std::int32_t sums_after) {
    return (sum & level_bits) | sums_after;
  }
  KLEENE_FUNCTION static constexpr bool is_empty(std::int32_t key) { return key >> level_shift == 0; }
  KLEENE_FUNCTION static constexpr int level(std::int32_t key) { return 63 - (key >> level_shift); }
  KLEENE_FUNCTION static constexpr std::int32_t sums_after(std::int32_t key) { return key & ~level_bits; }
  // What the codes of two factors add up to, as integers, where their levels add up to `level`. Nothing else does, as
  // no product with a code of 0 has these bits.
  KLEENE_FUNCTION static constexpr std::uint32_t sum_of_codes(int level) {
    return static_cast<std::uint32_t>(2 * 127 + code::top - code::bits * level) << 7;
  }
};

}  // namespace kleene::kernels
