// Packing: operands of any stride become panels of accumulators that the micro-kernel reads front to back.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"
#include "kleene/kernels/cpu/tile/halves.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/order.hpp"
#include "kleene/kernels/cpu/tile/words.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

// How an element is converted when it is packed into a panel, and what pads the panel's edges.
template <class S>
struct operand {
  using algebra = S;
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

// Panels of narrow elements whose k lie side by side, Width lines at a time: as many lines and steps as a vector of 16
// bytes has elements are transposed in registers. (One element at a time took an eighth of a product of bytes.)
template <class T>
struct narrow_square {
  static constexpr int size = 16 / sizeof(T);
  using V = vector_of<T, 16>;
  V line[size];

  // Interleaving line i with line i + size / 2 moves one bit of the lines' number into the lanes': after as many rounds
  // as there are bits they have changed places.
  void transpose() {
    for (int round = 1; round < size; round *= 2) {
      V next[size];
#pragma GCC unroll 16
      for (int i = 0; i < size / 2; ++i) interleave(next[2 * i], next[2 * i + 1], line[i], line[i + size / 2]);
#pragma GCC unroll 16
      for (int i = 0; i < size; ++i) line[i] = next[i];
    }
  }

 private:
  static void interleave(V& low, V& high, const V& x, const V& y) {
    if constexpr (size == 16) {
      shuffle<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(low, x, y);
      shuffle<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(high, x, y);
    } else {
      shuffle<0, 8, 1, 9, 2, 10, 3, 11>(low, x, y);
      shuffle<4, 12, 5, 13, 6, 14, 7, 15>(high, x, y);
    }
  }
};

// out[k][Width] of `steps` k, a multiple of narrow_square<T>::size. The last step is followed by room for the elements
// of a square that are none of the panel's.
template <int Width, class T>
void interleave_lines(T* __restrict out, const T* from, index_t lane_stride, index_t steps) {
  using square = narrow_square<T>;
  constexpr int side = square::size, squares = ceil_div(Width, side);
  for (index_t k0 = 0; k0 < steps; k0 += side) {
    square s[squares];
    for (int l = 0; l < squares * side; ++l)
      load(s[l / side].line[l % side], from + std::min(l, Width - 1) * lane_stride + k0);
    for (square& each : s) each.transpose();
    for (int k = 0; k < side; ++k)
      for (int q = 0; q < squares; ++q) store(out + (k0 + k) * Width + q * side, s[q].line[k]);
  }
}
// How many steps that can take of a panel with room for `depth`.
template <int Width, class T>
constexpr index_t steps_interleaved(index_t depth) {
  constexpr int side = narrow_square<T>::size, beyond = ceil_div(Width, side) * side - Width;
  return std::max<index_t>(depth - ceil_div(beyond, Width), 0) / side * side;
}

// Elements that are only moved need no instruction set: then packing is a function of its own. Inlined into each
// product of each instruction set it was a fifth of the time that a user's semiring takes to compile. (One for any
// width took 5 to 16 % longer for products of 128 to 256 over bytes; without its instruction set f16 took 35 % longer.)
template <class Element, int Width, class T>
[[gnu::noinline]] void move_panel(T* __restrict out, const T* from, index_t lane_stride, index_t k_stride, int lanes,
                                  index_t depth, index_t padded_depth) {
  index_t done = 0;
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) <= 2 && Width > 1 && Width <= 16)
    if (k_stride == 1 && lanes == Width) {
      done = steps_interleaved<Width, T>(depth);
      interleave_lines<Width>(out, from, lane_stride, done);
    }
  fill_panel<Element, Width>(out + done * Width, from + done * k_stride, lane_stride, k_stride, lanes, depth - done,
                             padded_depth - done);
}

// Floats of 16 bits are gathered as they are, a few steps at a time, then widened by vectors. (One by one f16 took two
// fifths of a product of 768 x 768 x 768.)
template <class S>
struct half_bits {
  [[gnu::always_inline]] static std::uint16_t read(std::uint16_t bits) { return bits; }
  [[gnu::always_inline]] static std::uint16_t edge() { return S::zero().bits; }
};
template <int Width, class S>
[[gnu::always_inline]] inline void widen_panel(float* out, const value_of<S>* from, index_t lane_stride,
                                               index_t k_stride, int lanes, index_t depth, index_t padded_depth) {
  using V = vector_of<float, 32>;
  constexpr index_t chunk = 64;
  constexpr int width = sizeof(V) / sizeof(float);
  value_of<S> gathered[chunk * Width];
  for (index_t k = 0; k < depth; k += chunk) {
    const index_t steps = std::min(chunk, depth - k), count = steps * Width;
    move_panel<half_bits<S>, Width>(reinterpret_cast<std::uint16_t*>(gathered),
                                    reinterpret_cast<const std::uint16_t*>(from + k * k_stride), lane_stride, k_stride,
                                    lanes, steps, steps);
    index_t at = 0;
    for (; at + width <= count; at += width, out += width) {
      V value;
      load_halves(value, gathered + at);
      store(out, value);
    }
    for (; at < count; ++at) *out++ = widen<S>(gathered[at]);
  }
  for (index_t at = depth * Width; at < padded_depth * Width; ++at) *out++ = widen<S>(S::zero());
}

template <class Element>
inline constexpr bool reads_halves = false;
template <class S>
inline constexpr bool reads_halves<operand<S>> = widens_as_half<S>;

template <class Element, int Width, class To, class From>
[[gnu::always_inline]] inline void pack_panel(To* out, const From* from, index_t lane_stride, index_t k_stride,
                                              int lanes, index_t depth, index_t padded_depth) {
  if constexpr (std::is_same_v<To, From>)
    move_panel<Element, Width>(out, from, lane_stride, k_stride, lanes, depth, padded_depth);
  else if constexpr (reads_halves<Element>)
    widen_panel<Width, typename Element::algebra>(out, from, lane_stride, k_stride, lanes, depth, padded_depth);
  else fill_panel<Element, Width>(out, from, lane_stride, k_stride, lanes, depth, padded_depth);
}

// Floats of a panel become integers of their order, in place, and NaN becomes `zero`: eight at a time. Element by
// element, while they are gathered, this took a fifth of a closure.
[[gnu::always_inline]] inline void order_panel(std::int32_t* panel, index_t count, float zero) {
  using V = vector_of<float, 32>;
  using I = vector_of<std::int32_t, 32>;
  constexpr int width = sizeof(V) / sizeof(float);
  index_t at = 0;
  for (; at + width <= count; at += width) {
    V value;
    load(value, panel + at);
    value = value == value ? value : zero - V{};
    value += V{};  // -0 + 0 is +0
    I bits;
    std::memcpy(&bits, &value, sizeof(bits));
    store(panel + at, I(bits ^ (bits >> 31 & 0x7fffffff)));
  }
  for (; at < count; ++at) {
    float value;
    std::memcpy(&value, panel + at, sizeof(value));
    panel[at] = order_of(value == value ? value : zero);
  }
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
