// Packing: operands of any stride become panels of accumulators that the micro-kernel reads front to back.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/view.hpp"
#include "kleene/kernels/cpu/tile/words.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace kleene::kernels::cpu {

// How an element is converted when it is packed into a panel, and what pads the panel's edges.
template <class S>
struct operand {
  [[gnu::always_inline]] static accumulator_of<S> read(const value_of<S>& value) { return widen<S>(value); }
  [[gnu::always_inline]] static accumulator_of<S> edge() { return widen<S>(S::zero()); }
};
// Predecessors to look up: as they are. In panels, because rows of a matrix whose width is a power of two share a few
// sets of the cache, and a tile picks its elements from `depth` of them.
struct looked_up {
  [[gnu::always_inline]] static std::int32_t read(std::int32_t value) { return value; }
  [[gnu::always_inline]] static std::int32_t edge() { return -1; }
};

// One panel: out[k][Width] = element (lane, k) of the operand, for `lanes` lanes and `depth` steps; lanes beyond and
// steps up to `padded_depth` are Element::edge(). Strides count elements. A's panels have rows as lanes, B's columns.
template <class Element, int Width, class To, class From>
[[gnu::always_inline]] inline void fill_panel(To* __restrict out, const From* from, index_t lane_stride,
                                              index_t k_stride, int lanes, index_t depth, index_t padded_depth) {
  constexpr index_t chunk = 64;  // steps at a time: Width * 64 elements stay in the first-level cache
  const To edge = Element::edge();
  if (lane_stride == 1 && lanes == Width) {
    for (index_t k = 0; k < depth; ++k)
      for (int l = 0; l < Width; ++l) out[k * Width + l] = Element::read(from[k * k_stride + l]);
  } else {
    for (index_t k0 = 0; k0 < depth; k0 += chunk) {
      const index_t k1 = std::min(depth, k0 + chunk);
      for (int l = 0; l < lanes; ++l)
        for (index_t k = k0; k < k1; ++k) out[k * Width + l] = Element::read(from[l * lane_stride + k * k_stride]);
      for (int l = lanes; l < Width; ++l)
        for (index_t k = k0; k < k1; ++k) out[k * Width + l] = edge;
    }
  }
  for (index_t at = depth * Width; at < padded_depth * Width; ++at) out[at] = edge;
}

// Elements that are only moved need no instruction set: then packing is a function of its own. Inlined into each
// product of each instruction set it was a fifth of the time that a user's semiring takes to compile. (One for any
// width took 5 to 16 % longer for products of 128 to 256 over bytes; without its instruction set f16 took 35 % longer.)
template <class Element, int Width, class T>
[[gnu::noinline]] void move_panel(T* __restrict out, const T* from, index_t lane_stride, index_t k_stride, int lanes,
                                  index_t depth, index_t padded_depth) {
  fill_panel<Element, Width>(out, from, lane_stride, k_stride, lanes, depth, padded_depth);
}
template <class Element, int Width, class To, class From>
[[gnu::always_inline]] inline void pack_panel(To* out, const From* from, index_t lane_stride, index_t k_stride,
                                              int lanes, index_t depth, index_t padded_depth) {
  if constexpr (std::is_same_v<To, From>)
    move_panel<Element, Width>(out, from, lane_stride, k_stride, lanes, depth, padded_depth);
  else fill_panel<Element, Width>(out, from, lane_stride, k_stride, lanes, depth, padded_depth);
}

// A panel of structs word by word (tile/words.hpp): out[k][word][Width].
template <class Element, int Width, struct_of_words To, class From>
[[gnu::noinline]] void pack_words(To* panel, const From* from, index_t lane_stride, index_t k_stride, int lanes,
                                  index_t depth) {
  auto* out = reinterpret_cast<typename words<To>::word*>(panel);
  for (index_t k = 0; k < depth; ++k, out += words<To>::count * Width)
    for (int l = 0; l < Width; ++l)
      words<To>::put(out, l, Width, l < lanes ? Element::read(from[l * lane_stride + k * k_stride]) : Element::edge());
}

// A packed panel lane by lane: out[lane][k]. Here the steps of one group lie side by side.
template <int Width, class A>
[[gnu::noinline]] void transpose_panel(A* __restrict out, const A* __restrict panel, index_t depth) {
  for (int l = 0; l < Width; ++l)
    for (index_t k = 0; k < depth; ++k) out[l * depth + k] = panel[k * Width + l];
}

}  // namespace kleene::kernels::cpu
