// Atoms of tropical and minimax integers of 8 and 16 bits (atoms.cuh says what an atom has).
//
// Two neighbours along k share a register, each with an accumulator of 16 bits of its own: on sm_90 one instruction
// adds both pairs and takes both minima (DPX), and the two halves meet once, in finish. So nothing is duplicated for a
// tile's columns, and panels are those of 4-byte operands. Bytes are widened by the packer: there are no such
// instructions on four of them.
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <concepts>

namespace kleene::kernels::cuda {

template <class T>
concept narrow_integer = std::integral<T> && sizeof(T) <= 2 && !std::is_same_v<T, bool>;

// c (+) a (x) b on two 16-bit integers in a word.
template <class S>
struct paired_step;
template <narrow_integer T>
struct paired_step<min_plus<T>> {
  __device__ static unsigned step(unsigned c, unsigned a, unsigned b) {
    return std::is_signed_v<T> ? __viaddmin_s16x2(a, b, c) : __viaddmin_u16x2(a, b, c);
  }
};
template <narrow_integer T>
struct paired_step<max_plus<T>> {
  __device__ static unsigned step(unsigned c, unsigned a, unsigned b) { return __viaddmax_s16x2(a, b, c); }
};
template <narrow_integer T>
struct paired_step<min_max<T>> {
  __device__ static unsigned step(unsigned c, unsigned a, unsigned b) {
    return std::is_signed_v<T> ? __vmins2(__vmaxs2(a, b), c) : __vminu2(__vmaxu2(a, b), c);
  }
};
template <narrow_integer T>
struct paired_step<max_min<T>> {
  __device__ static unsigned step(unsigned c, unsigned a, unsigned b) {
    return std::is_signed_v<T> ? __vmaxs2(__vmins2(a, b), c) : __vmaxu2(__vminu2(a, b), c);
  }
};

template <class S>
struct paired_atom {
  using T = value_of<S>;
  using operand = unsigned;
  using accumulator = unsigned;
  static constexpr const char* name = "16 bits in pairs";
  static constexpr int lanes = 2, depth = 1;

  __device__ static unsigned pair(T low, T high) {
    return static_cast<std::uint16_t>(low) | unsigned{static_cast<std::uint16_t>(high)} << 16;
  }
  __device__ static T low(unsigned pair) { return static_cast<T>(pair & 0xFFFF); }
  __device__ static T high(unsigned pair) { return static_cast<T>(pair >> 16); }

  __device__ static unsigned read(const T (&v)[2]) { return pair(v[0], v[1]); }
  __device__ static unsigned start() { return pair(S::zero(), S::zero()); }
  __device__ static unsigned step(unsigned c, const unsigned (&a)[1], const unsigned (&b)[1]) {
    return paired_step<S>::step(c, a[0], b[0]);
  }
  __device__ static unsigned combine(unsigned x, unsigned y) {
    return pair(S::add(low(x), low(y)), S::add(high(x), high(y)));
  }
  __device__ static T finish(unsigned c) { return S::add(low(c), high(c)); }
};

// With a witness every k is looked at by itself, in 32 bits.
template <class S>
struct widened_atom {
  using T = value_of<S>;
  using operand = int;
  using accumulator = int;
  static constexpr const char* name = "widened to 32 bits";
  static constexpr int lanes = 1, depth = 1;

  __device__ static int read(const T (&v)[1]) { return v[0]; }
  __device__ static int start() { return S::zero(); }
  __device__ static int step(int c, const int (&a)[1], const int (&b)[1]) { return S::add(c, S::mul(a[0], b[0])); }
  __device__ static int combine(int x, int y) { return S::add(x, y); }
  __device__ static T finish(int c) { return static_cast<T>(c); }
  __device__ static int term(int a, int b) { return S::mul(a, b); }
};

}  // namespace kleene::kernels::cuda
