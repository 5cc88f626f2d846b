// The truth: a copy with the axes in another order, in plain loops. Tested by hand on tiny inputs.
#pragma once

#include "kleene/kernels/contract/permute_arguments.hpp"

#include <cstring>

namespace kleene::kernels::reference {

namespace detail {
inline void permute_axis(const permute_arguments& p, int axis, const char* from, char* to) noexcept {
  if (axis == p.rank) {
    std::memcpy(to, from, p.element);
    return;
  }
  const index_t bytes = static_cast<index_t>(p.element);
  for (index_t i = 0; i < p.extents[axis]; ++i)
    permute_axis(p, axis + 1, from + i * p.from_strides[axis] * bytes, to + i * p.to_strides[axis] * bytes);
}
}  // namespace detail

// One thread, an element at a time.
inline void permute(const permute_arguments& p) noexcept {
  detail::permute_axis(p, 0, static_cast<const char*>(p.from), static_cast<char*>(p.to));
}

}  // namespace kleene::kernels::reference
