// The truth about linear algebra over GF(2): Gauss-Jordan elimination, bit by bit. Tested by hand on tiny inputs; the
// kernels are tested against it. Bits past the last column are never read, and written as zero.
#pragma once

#include "kleene/data/bit_matrix.hpp"

#include <vector>

namespace kleene::kernels::reference {

// a in reduced row echelon form, as far as its first `cols` columns go; the columns of the pivots.
inline std::vector<index_t> row_reduce(const bit_view<bit>& a, index_t cols) {
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = a.cols(); j < a.words() * bits_per_word; ++j) a.set(i, j, false);
  std::vector<index_t> pivots;
  for (index_t col = 0; col < cols; ++col) {
    // Rows that have no pivot yet are zero in the columns before.
    const auto add = [&](index_t from, index_t to) {
      for (index_t j = col; j < a.cols(); ++j) a.set(to, j, a(to, j) != a(from, j));
    };
    const auto row = static_cast<index_t>(pivots.size());
    index_t found = row;
    while (found < a.rows() && !a(found, col)) ++found;
    if (found == a.rows()) continue;
    if (found != row) add(found, row), add(row, found), add(found, row);  // change places
    for (index_t i = 0; i < a.rows(); ++i)
      if (i != row && a(i, col)) add(row, i);
    pivots.push_back(col);
  }
  return pivots;
}

// A X = B with zero for the unknowns that are free; false, and X as it was, where there is none.
inline bool solve(const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& x) {
  bit_matrix both(a.rows(), a.cols() + b.cols());
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < both.cols(); ++j) both.set(i, j, j < a.cols() ? a(i, j) : b(i, j - a.cols()));
  const std::vector<index_t> pivots = row_reduce(both.view(), a.cols());
  const auto rank = static_cast<index_t>(pivots.size());
  for (index_t i = rank; i < a.rows(); ++i)
    for (index_t j = 0; j < b.cols(); ++j)
      if (both(i, a.cols() + j)) return false;
  for (index_t i = 0; i < x.rows(); ++i)
    for (index_t j = 0; j < x.words() * bits_per_word; ++j) x.set(i, j, false);
  for (index_t i = 0; i < rank; ++i)
    for (index_t j = 0; j < x.cols(); ++j) x.set(pivots[static_cast<std::size_t>(i)], j, both(i, a.cols() + j));
  return true;
}

// A X = I; false, and X as it was, where there is none.
inline bool inverse(const bit_view<const bit>& a, const bit_view<bit>& x) {
  bit_matrix identity(a.rows(), a.rows());
  for (index_t i = 0; i < a.rows(); ++i) identity.set(i, i, true);
  return solve(a, identity.view(), x);
}

// A basis of {x : A x = 0} in rows: a row for each column without a pivot, with no bit at the other ones.
inline bit_matrix null_space(const bit_view<const bit>& a) {
  bit_matrix reduced(a.rows(), a.cols());
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < a.cols(); ++j) reduced.set(i, j, a(i, j));
  const std::vector<index_t> pivots = row_reduce(reduced.view(), a.cols());
  const auto rank = static_cast<index_t>(pivots.size());
  bit_matrix basis(a.cols() - rank, a.cols());
  for (index_t col = 0, next = 0, row = 0; col < a.cols(); ++col) {
    if (next < rank && pivots[static_cast<std::size_t>(next)] == col) {
      ++next;
      continue;
    }
    basis.set(row, col, true);
    for (index_t i = 0; i < rank; ++i) basis.set(row, pivots[static_cast<std::size_t>(i)], reduced(i, col));
    ++row;
  }
  return basis;
}

}  // namespace kleene::kernels::reference
