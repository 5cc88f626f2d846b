// Operands of a log-sum-exp product: the largest element of each row of A and column of B, and panels of exponentials
// of what lies below them.
//
// A panel is packed[k][Lanes], and its elements are walked as vectors: vector v of `width` elements begins with lane
// v * width % Lanes, so that what belongs to lanes repeats after Lanes vectors.
#pragma once

#include "kleene/kernels/cpu/gemm/packing.inl.hpp"
#include "kleene/kernels/cpu/tile/logarithms.hpp"

namespace kleene::kernels::cpu {

// Of each lane the largest element of panel[depth][Lanes] and of what `most` held: NaN once there is one.
template <int Lanes, class T>
[[gnu::always_inline]] inline void keep_largest(T* __restrict most, const T* __restrict panel, index_t depth) {
  T largest[Lanes];
  for (int l = 0; l < Lanes; ++l) largest[l] = most[l];
  for (index_t k = 0; k < depth; ++k)
    for (int l = 0; l < Lanes; ++l) {
      const T value = panel[k * Lanes + l];
      largest[l] = ((largest[l] < value) | (value != value)) ? value : largest[l];
    }
  for (int l = 0; l < Lanes; ++l) most[l] = largest[l];
}

// panel[depth][Lanes] = exp(panel - shift of the lane). The difference is taken with its rounding error. Lanes whose
// shift is not finite become zero: NaN and what is not above `lowest` do (exponential_of). Whole vectors are written,
// which end before panel[depth + 16].
template <int Lanes, int Bytes, class T>
[[gnu::always_inline]] inline void exponentiate(T* panel, const T* shift, index_t depth) {
  using V = vector_of<T, Bytes>;
  constexpr int width = lanes<T, Bytes>::count;
  constexpr int period = Lanes % width == 0 ? Lanes : Lanes * width;  // of lanes, in elements
  alignas(64) T shifts[period];
  for (int e = 0; e < period; ++e) shifts[e] = shift[e % Lanes];
  for (index_t first = 0; first < depth * Lanes; first += period)
    for (int e = 0; e < period && first + e < depth * Lanes; e += width) {
      T* at = panel + first + e;
      V x, s, y;
      load(x, at);
      load(s, shifts + e);
      const V d = x - s, taken = d - x;
      const V low = (x - (d - taken)) - (s + taken);
      exponential_of<T>(y, d, low);
      store(at, y);
    }
}

}  // namespace kleene::kernels::cpu
