// Packing: operands of any stride become panels of accumulators that the micro-kernel reads front to back.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/view.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

// One panel: out[k][Width] = element (lane, k) of the operand, for `lanes` lanes and `depth` steps; lanes beyond and steps up
// to `padded_depth` are zero(). Strides count elements. A's panels have rows as lanes, B's columns.
template <class S, int Width>
[[gnu::always_inline]] inline void pack_panel(accumulator_of<S>* __restrict out, const value_of<S>* from,
                                              index lane_stride, index k_stride, int lanes, index depth,
                                              index padded_depth) {
  using A = accumulator_of<S>;
  constexpr index chunk = 64;  // steps at a time: Width * 64 accumulators stay in the first-level cache
  const A zero = widen<S>(S::zero());
  if (lane_stride == 1 && lanes == Width) {
    for (index k = 0; k < depth; ++k)
      for (int l = 0; l < Width; ++l) out[k * Width + l] = widen<S>(from[k * k_stride + l]);
  } else {
    for (index k0 = 0; k0 < depth; k0 += chunk) {
      const index k1 = std::min(depth, k0 + chunk);
      for (int l = 0; l < lanes; ++l)
        for (index k = k0; k < k1; ++k) out[k * Width + l] = widen<S>(from[l * lane_stride + k * k_stride]);
      for (int l = lanes; l < Width; ++l)
        for (index k = k0; k < k1; ++k) out[k * Width + l] = zero;
    }
  }
  for (index at = depth * Width; at < padded_depth * Width; ++at) out[at] = zero;
}

}  // namespace kleene::kernels::cpu
