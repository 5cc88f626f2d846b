// A copy of a batch of matrices as the fewest nested loops that make it, so that what is contiguous is moved in one
// piece.
#pragma once

#include "kleene/data/view.hpp"

#include <array>
#include <utility>

namespace kleene::detail {

// Up to three loops, outermost first; unused ones in front have an extent of 1 and strides of 0. Strides count
// elements.
struct copy_shape {
  std::array<index_t, 3> extents{1, 1, 1}, from{}, to{};

  bool operator==(const copy_shape&) const = default;
  // Whether the innermost loop walks over neighbours on both sides.
  constexpr bool has_runs() const { return from[2] == 1 && to[2] == 1; }
  constexpr index_t count() const { return extents[0] * extents[1] * extents[2]; }
};

// Loops of one step are dropped, the rest ordered by the stride on the side that is written (for equal ones, read), and
// an outer loop that goes on where the inner one ends is joined to it: a contiguous batch of any number of matrices is
// one loop. A single element is one loop of one step over neighbours. Extents are at least 1.
constexpr copy_shape shape_of_copy(const std::array<index_t, 3>& extents, const std::array<index_t, 3>& from,
                                   const std::array<index_t, 3>& to) {
  struct loop {
    index_t extent, from, to;
  };
  std::array<loop, 3> loops{};
  int count = 0;
  for (int r = 0; r < 3; ++r)
    if (extents[r] > 1) loops[count++] = {extents[r], from[r], to[r]};
  const auto size = [](index_t stride) { return stride < 0 ? -stride : stride; };
  const auto outside = [&](const loop& x, const loop& y) {
    return size(x.to) != size(y.to) ? size(x.to) > size(y.to) : size(x.from) > size(y.from);
  };
  for (int k = 1; k < count; ++k)  // of std::sort GCC 14 warns that it could reach beyond 16
    for (int r = k; r > 0 && outside(loops[r], loops[r - 1]); --r) std::swap(loops[r], loops[r - 1]);
  for (int r = count - 2; r >= 0; --r) {
    loop& outer = loops[r];
    const loop& inner = loops[r + 1];
    if (outer.from != inner.extent * inner.from || outer.to != inner.extent * inner.to) continue;
    outer = {outer.extent * inner.extent, inner.from, inner.to};
    for (int k = r + 1; k + 1 < count; ++k) loops[k] = loops[k + 1];
    --count;
  }
  if (count == 0) loops[count++] = {1, 1, 1};
  copy_shape shape;
  for (int r = 0; r < count; ++r) {
    const int at = 3 - count + r;
    shape.extents[at] = loops[r].extent, shape.from[at] = loops[r].from, shape.to[at] = loops[r].to;
  }
  return shape;
}

}  // namespace kleene::detail
