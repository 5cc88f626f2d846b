// Rows (or columns, or tiles) that a product passes over.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"

#include <limits>

namespace kleene::kernels::cuda {

// A range without [at, at + size): what comes after it lies `size` further than its number says.
struct gap {
  index at = std::numeric_limits<index>::max(), size = 0;
  KLEENE_FUNCTION index past(index i) const { return i < at ? i : i + size; }
};

}  // namespace kleene::kernels::cuda
