// Rows (or columns, or tiles) that a product passes over.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"

#include <limits>

namespace kleene::kernels {

// [first, first + size) is left out: counted without it, what comes after lies `size` further than its number says.
struct excluded_range {
  index first = std::numeric_limits<index>::max(), size = 0;
  KLEENE_FUNCTION index nth_kept(index i) const { return i < first ? i : i + size; }
};

}  // namespace kleene::kernels
