// Rows (or columns, or tiles) that a product leaves out.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"

#include <limits>

namespace kleene::kernels {

// Leaves out [first, first + size); nth_kept(i) is the i-th of those that are kept.
struct excluded_range {
  index_t first = std::numeric_limits<index_t>::max(), size = 0;
  KLEENE_FUNCTION index_t nth_kept(index_t i) const { return i < first ? i : i + size; }
};

}  // namespace kleene::kernels
