// A panel of an elimination over GF(2), as operations hand it to a machine.
#pragma once

#include "kleene/data/bit_matrix.hpp"

namespace kleene::kernels {

inline constexpr index_t gf2_panel_columns = 512;

// Gauss-Jordan elimination of columns [col, col + cols) of a: rows from `row` on have no pivot yet. Those of the panel
// are found, leftmost columns first, and their rows change places with rows row, row + 1, ..., all of a's columns.
//
// The rest of the matrix becomes a ^= t p: t has the panel's columns, and row r of p is what the row with the pivot of
// column col + r held before (zero where there is no such pivot). The panel itself is transformed in place: pivots'
// columns become those of the identity; or, with `invert`, the transformation takes their place (the row with a pivot
// is exchanged for its column), and the rows before `row` are transformed like those behind it.
struct gf2_panel {
  bit_view<bit> a;
  index_t col, cols;  // col is a multiple of 64; 1 <= cols <= gf2_panel_columns
  index_t row;
  bool invert;
  bit_view<bit> t;  // rows of a x gf2_panel_columns, contiguous; written from `row` on, or whole
  index_t* pivots;  // [i], i >= row: the column of row i's pivot
  index_t* swaps;   // [i], i >= row: which row changed places with row i, in this order
};

}  // namespace kleene::kernels
