// Instruction atoms: what one element of a product does with one (or two) steps of k. The choice by algebra, type and
// sign class is made here, in atom_for, and nowhere else.
//
// An atom has
//   operand, lanes   what the packed panels hold: `lanes` consecutive k in one operand
//   accumulator, depth   the register it sums in; one step takes `depth` operands of A and of B
//   read(values)     lanes elements -> operand, by the packer
//   start, step      accumulator; accumulator x a[depth] x b[depth] -> accumulator
//   combine, finish  sums of two ranges of k; accumulator -> accumulator_of<S>
//   term(a, b)       selective algebras: what one k contributes, as finish would give it (to find a witness)
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/algebra/signs.hpp"
#include "kleene/kernels/cuda/gemm/simt/half_atoms.cuh"
#include "kleene/kernels/cuda/gemm/simt/narrow_atoms.cuh"

namespace kleene::kernels::cuda {

// The algebra's own code: right for every algebra, also a user's. Operands are widened once, by the packer; wide
// integer accumulators are the exception (a 32 x 32 -> 64-bit multiply-add is one instruction, a 64-bit one is three).
template <class S>
struct plain_atom {
  using T = value_of<S>;
  using accumulator = accumulator_of<S>;
  static constexpr bool widen_late = std::is_integral_v<T> && std::is_integral_v<accumulator> &&
                                     sizeof(accumulator) > sizeof(T);
  using operand = std::conditional_t<widen_late, T, accumulator>;
  static constexpr const char* name = "plain";
  static constexpr int lanes = 1, depth = 1;

  __device__ static operand read(const T (&v)[1]) {
    if constexpr (widen_late) return v[0];
    else return widen<S>(v[0]);
  }
  __device__ static accumulator start() { return widen<S>(S::zero()); }
  __device__ static accumulator step(const accumulator& c, const operand (&a)[1], const operand (&b)[1]) {
    if constexpr (widen_late) return S::add(c, S::mul(accumulator(a[0]), accumulator(b[0])));
    else return S::add(c, S::mul(a[0], b[0]));
  }
  __device__ static accumulator combine(const accumulator& x, const accumulator& y) { return S::add(x, y); }
  __device__ static accumulator finish(const accumulator& c) { return c; }
  __device__ static accumulator term(const operand& a, const operand& b) { return S::mul(a, b); }
};

// f32 whose products all have one sign (see signs.hpp): their bits order like integers, and sm_90 takes the minimum of
// three integers in one instruction, so two steps of k cost two multiplications and one addition of the algebra.
// Unsigned integers where no product is positive: there they grow as the floats fall, and the +0 of two zeros (no other
// product is +0) is the least of them, as it has to be.
template <class S, sign_class Class>
struct bits_atom {
  using operand = float;
  using accumulator = float;
  static constexpr const char* name =
      Class == sign_class::non_negative ? "3-input, non-negative" : "3-input, non-positive";
  static constexpr int lanes = 1, depth = 2;
  static constexpr bool positive = Class == sign_class::non_negative, smallest = S::zero() > S::one();
  static_assert(positive || !smallest, "sums of one sign: no algebra takes the smallest of non-positive products");

  __device__ static float read(const float (&v)[1]) {
    const float number = v[0] == v[0] ? v[0] : S::zero();
    return number == 0.0f ? 0.0f : number;  // never -0
  }
  __device__ static float start() { return S::zero(); }
  __device__ static float step(float c, const float (&a)[2], const float (&b)[2]) {
    const float x = S::mul(a[0], b[0]), y = S::mul(a[1], b[1]);
    if constexpr (!positive)
      return __uint_as_float(__vimin3_u32(__float_as_uint(c), __float_as_uint(x), __float_as_uint(y)));
    else if constexpr (smallest)
      return __int_as_float(__vimin3_s32(__float_as_int(c), __float_as_int(x), __float_as_int(y)));
    else return __int_as_float(__vimax3_s32(__float_as_int(c), __float_as_int(x), __float_as_int(y)));
  }
  __device__ static float combine(float x, float y) { return S::add(x, y); }
  __device__ static float finish(float c) { return c; }
  __device__ static float term(float a, float b) { return S::mul(a, b); }
};

// i32 sums: add and compare in one instruction (sm_90; a pair elsewhere).
template <class S>
struct fused_integer_atom {
  using operand = int;
  using accumulator = int;
  static constexpr const char* name = "fused add-compare";
  static constexpr int lanes = 1, depth = 1;

  __device__ static int read(const int (&v)[1]) { return v[0]; }
  __device__ static int start() { return S::zero(); }
  __device__ static int step(int c, const int (&a)[1], const int (&b)[1]) {
    return S::zero() > 0 ? __viaddmin_s32(a[0], b[0], c) : __viaddmax_s32(a[0], b[0], c);
  }
  __device__ static int combine(int x, int y) { return S::add(x, y); }
  __device__ static int finish(int c) { return c; }
  __device__ static int term(int a, int b) { return S::mul(a, b); }
};

// or_and and xor_and on {0, 1}, whatever the element type: four k in one word, counted by the byte dot product. "Or" is
// whether the count is positive, "xor" its parity. k < 2^32.
template <class S, bool Parity>
struct counting_atom {
  using operand = std::uint32_t;
  using accumulator = std::uint32_t;
  static constexpr const char* name = "byte dot product";
  static constexpr int lanes = 4, depth = 1;
  static constexpr bool counts = true;

  __device__ static std::uint32_t read(const value_of<S> (&v)[4]) {
    std::uint32_t word = 0;
#pragma unroll
    for (int l = 0; l < 4; ++l) word |= std::uint32_t(v[l] != value_of<S>(0)) << (8 * l);
    return word;
  }
  __device__ static std::uint32_t start() { return 0; }
  __device__ static std::uint32_t step(std::uint32_t c, const std::uint32_t (&a)[1], const std::uint32_t (&b)[1]) {
    return __dp4a(a[0], b[0], c);
  }
  __device__ static std::uint32_t combine(std::uint32_t x, std::uint32_t y) { return x + y; }
  __device__ static accumulator_of<S> finish(std::uint32_t c) { return accumulator_of<S>(Parity ? c & 1 : c != 0); }
};

// The choice, by the arithmetic of an algebra: a user's own that computes as one of ours has its atoms. Class is what
// the operands are known to be; without a better atom for it the any-sign one is taken. f32 whose products all have one
// sign compares as integers.
template <class S, sign_class Class>
inline constexpr bool compares_as_bits = false;
template <>
inline constexpr bool compares_as_bits<min_plus<float>, sign_class::non_negative> = true;
template <>
inline constexpr bool compares_as_bits<max_plus<float>, sign_class::non_negative> = true;
template <>
inline constexpr bool compares_as_bits<max_plus<float>, sign_class::non_positive> = true;
template <>
inline constexpr bool compares_as_bits<min_times<float>, sign_class::non_negative> = true;
template <>
inline constexpr bool compares_as_bits<max_times<float>, sign_class::non_negative> = true;
template <>
inline constexpr bool compares_as_bits<min_max<float>, sign_class::non_negative> = true;
template <>
inline constexpr bool compares_as_bits<max_min<float>, sign_class::non_negative> = true;

template <class S, sign_class Class>
struct atom_for {
  using type = plain_atom<S>;
};
template <class S, sign_class Class>
requires compares_as_bits<S, Class>
struct atom_for<S, Class> {
  using type = bits_atom<S, Class>;
};
template <sign_class Class>
struct atom_for<min_plus<std::int32_t>, Class> {
  using type = fused_integer_atom<min_plus<std::int32_t>>;
};
template <sign_class Class>
struct atom_for<max_plus<std::int32_t>, Class> {
  using type = fused_integer_atom<max_plus<std::int32_t>>;
};
template <class S, sign_class Class>
requires requires { sizeof(paired_step<S>); }
struct atom_for<S, Class> {
  using type = paired_atom<S>;
};
template <has_half_pairs S, sign_class Class>
struct atom_for<S, Class> {
  using type = half_pair_atom<S>;
};
template <class T, sign_class Class>
struct atom_for<or_and<T>, Class> {
  using type = counting_atom<or_and<T>, false>;
};
template <class T, sign_class Class>
struct atom_for<xor_and<T>, Class> {
  using type = counting_atom<xor_and<T>, true>;
};

// Whether the class has an atom of its own, and whether any has. Then one of them packs for all: their panels are alike
// but for -0, which any-sign products do not tell from +0.
template <class S, sign_class Class>
inline constexpr bool has_atom = !std::is_same_v<typename atom_for<arithmetic_of<S>, Class>::type,
                                                 typename atom_for<arithmetic_of<S>, sign_class::any>::type>;
template <class S>
inline constexpr bool has_classes = has_atom<S, sign_class::non_negative> || has_atom<S, sign_class::non_positive>;

// The atom of a launch: a witness needs terms, which counts and pairs do not have. Where nothing is packed the plain
// one.
template <class S>
struct atom_of_terms {
  using type = plain_atom<S>;
};
template <class S>
requires requires { sizeof(paired_step<S>); }
struct atom_of_terms<S> {
  using type = widened_atom<S>;
};
template <class S, sign_class Class, bool Witness>
struct atom_choice {
  using best = typename atom_for<arithmetic_of<S>, Class>::type;
  static constexpr bool has_term = requires { &best::term; };
  using type = std::conditional_t<Witness && !has_term, typename atom_of_terms<arithmetic_of<S>>::type, best>;
};
template <class S>
using unpacked_atom_of = plain_atom<arithmetic_of<S>>;
template <class S, sign_class Class, bool Witness>
using atom_of = typename atom_choice<S, Class, Witness>::type;
template <class S, bool Witness>
using pack_atom_of =
    atom_of<S, has_atom<S, sign_class::non_negative> ? sign_class::non_negative : sign_class::any, Witness>;

}  // namespace kleene::kernels::cuda
