// x + y as x * 1 + y: the same number, rounded once like the sum, but another instruction, and so other ports.
//
// Zen 3, 4 and 5 have four vector pipes. Two of them add floats, compare them and take minima; the other two compute
// products and multiply-adds. The sum and the minimum of a min-plus step both need the first two pipes: one vector a
// clock, while the others idle. As a multiply-add the sum goes to the others: two vectors a clock. One Zen 4 core,
// AVX2, in registers, vectors a clock: vaddps + vminps 1.02, vfmadd213ps + vminps 1.49 (it overwrites an operand), with
// a copy of that operand in front 1.89 (Zen 3: 1.0, with the copy 1.96). One Zen 5 core, AVX-512: vaddps + vminps 1.0,
// vmulps + vminps 2.0.
//
// On one core of a Xeon (Sapphire or Emerald Rapids) both ways have the same rate, since its two ports of AVX-512 do
// all three; by AVX2 too (min-plus f32 9.0 and 9.1 pairs a clock). So kernels of AVX-512 always use multiply-adds.
// Other processors with AVX2 were not measured: kernels of AVX2 ask has_four_vector_pipes().
//
// The algebra is not asked to know: its mul gets a left operand times a one that the compiler cannot see through, and
// GCC contracts that product and whatever sum mul makes of it. Multiplying by one changes no number (of NaNs only a
// signalling one, to a quiet one), so that a wrong guess about mul costs an instruction and never a result. Clang
// contracts nothing across functions.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <type_traits>

namespace kleene::kernels::cpu {

namespace detail {
// Whether mul, evaluated by the compiler at a few numbers, grows by as much as either operand does. Sums do, also with
// a constant added; products, minima and maxima do not. False where the compiler cannot evaluate mul.
template <class S, class A>
concept sums_floats = std::is_floating_point_v<A> && requires {
  typename std::enable_if_t<(S::mul(A(5), A(5)) - S::mul(A(4), A(5)) == A(1) &&
                             S::mul(A(4), A(6)) - S::mul(A(4), A(5)) == A(1) &&
                             S::mul(A(9), A(5)) - S::mul(A(4), A(5)) == A(5))>;
};
}  // namespace detail

// Whether mul of S is a sum of floats that may be computed as a multiply-add.
template <class S>
inline constexpr bool adds_by_multiplying =
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    detail::sums_floats<S, accumulator_of<S>>;
#else
    false;
#endif

// Sets all lanes to one, in a way that the compiler cannot see: it would drop a product by one. One lane is hidden, and
// not a vector: GCC 13 and later keep a vector of AVX-512 that is declared in a function for any processor in memory,
// where no constraint of a register can be met.
template <class V>
[[gnu::always_inline]] inline void hide_one(V& one) {
  auto lane = V{}[0] + 1;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  asm("" : "+x"(lane));
#endif
  one = lane - V{};
}

}  // namespace kleene::kernels::cpu
