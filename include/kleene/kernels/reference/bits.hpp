// The truth about packed bits: plain loops, bit by bit. Tested by hand on tiny inputs; every other kernel is tested
// against them. Bits past the last column are never read, and written as zero.
#pragma once

#include "kleene/data/bit_matrix.hpp"

namespace kleene::kernels::reference {

// Element (i, j) of A B as a count.
inline index_t count_products(const bit_view<const bit>& a, const bit_view<const bit>& b, index_t i, index_t j) {
  index_t count = 0;
  for (index_t k = 0; k < a.cols(); ++k) count += a(i, k) && b(k, j);
  return count;
}

// C = value(count, what C held there).
template <class Value>
void bit_product(const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& c,
                 const Value& value) {
  for (index_t i = 0; i < c.rows(); ++i)
    for (index_t j = 0; j < c.words() * bits_per_word; ++j)
      c.set(i, j, j < c.cols() && value(count_products(a, b, i, j), c(i, j)));
}
inline void or_and(const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& c,
                   bool accumulate) {
  bit_product(a, b, c, [&](index_t count, bool before) { return count > 0 || (accumulate && before); });
}
inline void xor_and(const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& c,
                    bool accumulate) {
  bit_product(a, b, c, [&](index_t count, bool before) { return (count % 2 != 0) != (accumulate && before); });
}

inline void transpose(const bit_view<const bit>& from, const bit_view<bit>& to) {
  for (index_t i = 0; i < to.rows(); ++i)
    for (index_t j = 0; j < to.words() * bits_per_word; ++j) to.set(i, j, j < to.cols() && from(j, i));
}

// Warshall's algorithm, the diagonal set.
inline void closure(const bit_view<bit>& a) {
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < a.words() * bits_per_word; ++j) a.set(i, j, j < a.cols() && (i == j || a(i, j)));
  for (index_t k = 0; k < a.rows(); ++k)
    for (index_t i = 0; i < a.rows(); ++i)
      for (index_t j = 0; a(i, k) && j < a.cols(); ++j)
        if (a(k, j)) a.set(i, j, true);
}

}  // namespace kleene::kernels::reference
