// A copy of a tensor with its axes in another order, as every kernel sees it: pointers, extents, strides. It moves
// bytes and knows no algebra: elements are trivially copyable, of any size. A plain value; the operation above has
// checked it.
#pragma once

#include "kleene/data/detail/axis_values.hpp"

#include <array>
#include <cstddef>

namespace kleene::kernels {

// to[i . to_strides] = from[i . from_strides] for every index i within the extents. Strides count elements; those of
// `to` give each element an address of its own, those of `from` may be 0 or negative. The two do not overlap.
struct permute_arguments {
  using axes = std::array<index_t, most_axes>;

  const void* from = nullptr;
  void* to = nullptr;
  std::size_t element = 1;  // bytes
  int rank = 0;
  axes extents{}, from_strides{}, to_strides{};
  int threads = 1;
};

// An axis of a copy once a kernel has looked at it: strides count the units that are moved at once.
struct permute_axis {
  index_t extent = 1, from = 0, to = 0;
};

}  // namespace kleene::kernels
