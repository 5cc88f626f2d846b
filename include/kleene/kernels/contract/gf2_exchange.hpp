// An elimination over GF(2) of a whole matrix on a device, as operations hand it over.
#pragma once

#include "kleene/data/bit_matrix.hpp"

#include <cstdint>

namespace kleene::kernels {

// Gauss-Jordan elimination of the first `cols` columns of a, which are whole words or all of it, rows staying where
// they are: a pivot is a row and a column. Leftmost columns first, so that the pivots' columns are those of the reduced
// row echelon form. Behind them all columns of a are transformed.
//
// The pivots' columns become those of the identity: rows with a pivot, in the order of their columns, are the reduced
// row echelon form, and the others are zero in the first `cols` columns. Or, with `invert`, the transformation takes
// their place (each pivot exchanges its row for its column): of a square matrix where all columns have pivots
// element (row_of[c], d) is element (c, row_of[d]) of the inverse.
struct gf2_exchange {
  bit_view<bit> a;
  index_t cols;
  bool invert;
  void* memory = nullptr;  // gf2_exchange_kernels::bytes of it, on the device; what follows lies in it

  std::int32_t* row_of = nullptr;     // [c], c < cols: the row of column c's pivot, or -1
  std::int32_t* column_of = nullptr;  // [i], i < rows: the column of row i's pivot, or -1
  std::int32_t* rank = nullptr;       // their number
};

}  // namespace kleene::kernels
