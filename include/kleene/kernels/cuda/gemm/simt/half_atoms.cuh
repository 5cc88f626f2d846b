// The atom of tropical and minimax floats of 16 bits (atoms.cuh says what an atom has).
//
// Two neighbours along k share a register, as 16-bit integers do (narrow_atoms.cuh), each with an accumulator of its
// own. A sum is rounded to 16 bits where f32 would keep it, and the best of the rounded sums is the rounded best, since
// rounding is monotone: so this is right where the best sum is what is stored, rounded. Where it meets a factor or an
// epilogue first, or C holds f32, products take the plain atom (unrounded, below), and so do those with a witness: ties
// of rounded sums are none of the sums themselves. No rounding happens twice on the way through f32, whose significand
// has more than twice as many bits and two.
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <concepts>

namespace kleene::kernels::cuda {

template <class T>
concept half_float = std::same_as<T, f16> || std::same_as<T, bf16>;

// Two floats of 16 bits in a word. A NaN is no candidate; the compiler joins two minima to one of three operands.
template <half_float T>
struct half_pair;
template <>
struct half_pair<f16> {
  __device__ static unsigned sum(unsigned x, unsigned y) {
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(x) : "r"(x), "r"(y));
    return x;
  }
  __device__ static unsigned min(unsigned x, unsigned y) {
    asm("min.f16x2 %0, %1, %2;" : "=r"(x) : "r"(x), "r"(y));
    return x;
  }
  __device__ static unsigned max(unsigned x, unsigned y) {
    asm("max.f16x2 %0, %1, %2;" : "=r"(x) : "r"(x), "r"(y));
    return x;
  }
};
template <>
struct half_pair<bf16> {
  // Below sm_90 as x 1 + y, which rounds as the sum does.
  __device__ static unsigned sum(unsigned x, unsigned y) {
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(x) : "r"(x), "r"(0x3F803F80u), "r"(y));
    return x;
  }
  __device__ static unsigned min(unsigned x, unsigned y) {
    asm("min.bf16x2 %0, %1, %2;" : "=r"(x) : "r"(x), "r"(y));
    return x;
  }
  __device__ static unsigned max(unsigned x, unsigned y) {
    asm("max.bf16x2 %0, %1, %2;" : "=r"(x) : "r"(x), "r"(y));
    return x;
  }
};

// What an algebra adds and multiplies pairs with.
template <class S>
struct half_pair_operations;
template <half_float T>
struct half_pair_operations<min_plus<T>> : half_pair<T> {
  __device__ static unsigned add(unsigned x, unsigned y) { return half_pair<T>::min(x, y); }
  __device__ static unsigned mul(unsigned x, unsigned y) { return half_pair<T>::sum(x, y); }
};
template <half_float T>
struct half_pair_operations<max_plus<T>> : half_pair<T> {
  __device__ static unsigned add(unsigned x, unsigned y) { return half_pair<T>::max(x, y); }
  __device__ static unsigned mul(unsigned x, unsigned y) { return half_pair<T>::sum(x, y); }
};
template <half_float T>
struct half_pair_operations<min_max<T>> : half_pair<T> {
  __device__ static unsigned add(unsigned x, unsigned y) { return half_pair<T>::min(x, y); }
  __device__ static unsigned mul(unsigned x, unsigned y) { return half_pair<T>::max(x, y); }
};
template <half_float T>
struct half_pair_operations<max_min<T>> : half_pair<T> {
  __device__ static unsigned add(unsigned x, unsigned y) { return half_pair<T>::max(x, y); }
  __device__ static unsigned mul(unsigned x, unsigned y) { return half_pair<T>::min(x, y); }
};

template <class S>
concept has_half_pairs = requires { sizeof(half_pair_operations<S>); };

template <has_half_pairs S>
struct half_pair_atom {
  using T = value_of<S>;
  using operand = unsigned;
  using accumulator = unsigned;
  using operations = half_pair_operations<S>;
  static constexpr const char* name = "16 bits in pairs";
  static constexpr int lanes = 2, depth = 2;

  __device__ static unsigned pair(T low, T high) { return low.bits | unsigned{high.bits} << 16; }
  // A NaN is zero(), which min and max as mul would let through.
  __device__ static T number(T value) { return float(value) == float(value) ? value : S::zero(); }

  __device__ static unsigned read(const T (&v)[2]) { return pair(number(v[0]), number(v[1])); }
  __device__ static unsigned start() { return pair(S::zero(), S::zero()); }
  __device__ static unsigned step(unsigned c, const unsigned (&a)[2], const unsigned (&b)[2]) {
    return operations::add(operations::add(c, operations::mul(a[0], b[0])), operations::mul(a[1], b[1]));
  }
  __device__ static unsigned combine(unsigned x, unsigned y) { return operations::add(x, y); }
  __device__ static float finish(unsigned c) {
    return S::add(float(T::from_bits(c & 0xFFFF)), float(T::from_bits(c >> 16)));
  }
};

// The same algebra to kernels whose sums have to stay as they are until something has been done to them.
template <class S>
struct unrounded : S {
  using computes_as = unrounded;
};

}  // namespace kleene::kernels::cuda
