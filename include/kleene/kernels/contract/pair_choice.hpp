// The way back through the pairs of a contraction, as a kernel gets it: of each pair the first term that gives the
// element that was chosen of its result.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::kernels {

// An index of a pair; strides are 0 in tensors that lack it.
struct choice_axis {
  std::int32_t label;
  std::int32_t extent;
  index_t a, b, c;
};

template <class T>
struct pair_choice {
  const T *a, *b, *c;
  index_t terms;       // products of an element of the result
  std::int32_t first;  // of its axes, the kept ones before the summed ones, these outermost first
  std::int32_t kept, summed;
  std::int32_t unused = 0;
};

}  // namespace kleene::kernels
