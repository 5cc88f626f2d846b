// The scalar operators that algebras are made of, each spelled once.
//
// Besides language.hpp, which only refuses, this is the one file that may ask which compiler pass it is in: the fastest
// spelling of "minimum" differs between host and device, and everything above must see one function whichever compiler
// reads it.
//
// Operators are templates over the operand type V, so that the same spelling works on a scalar, on a GCC/Clang
// vector-extension type (the CPU kernels) and on the device.
#pragma once

#include "kleene/algebra/language.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__)
#define KLEENE_FUNCTION __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define KLEENE_FUNCTION [[gnu::always_inline]] inline
#else
#define KLEENE_FUNCTION inline
#endif

// Operators return their operands' type by value, wide vectors included; they are always inlined, so warnings about
// the calling convention of wide vectors do not concern them.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace kleene::ops {

// Whether this is nvcc's pass over device code. Host code is read in it and thrown away; code on vector types, which no
// device function may touch, is not even to be read.
#if defined(__CUDA_ARCH__)
inline constexpr bool device_pass = true;
#else
inline constexpr bool device_pass = false;
#endif

// min and max keep `a` unless `b` is strictly better. So on floats a NaN in `b` never wins, a tie of -0 and +0
// keeps `a`, and the compiler emits one vminps / vmaxps (std::fmin is a library call and stops vectorisation).
// Kernels keep the accumulator on the left; it starts at the algebra's zero, hence is never NaN.
struct min {
  template <class V>
  KLEENE_FUNCTION constexpr V operator()(const V& a, const V& b) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<V, float>) return fminf(a, b);  // one FMNMX; the ternary costs FSETP + FSEL
#endif
    return b < a ? b : a;  // f64 on the device too: fmin(double) costs twice the ternary
  }
};

struct max {
  template <class V>
  KLEENE_FUNCTION constexpr V operator()(const V& a, const V& b) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<V, float>) return fmaxf(a, b);
#endif
    return a < b ? b : a;
  }
};

// The greater and the less as IEEE 754-2019 has them: a NaN is the result of either where it meets one.
struct maximum {
  template <class V>
  KLEENE_FUNCTION V operator()(const V& a, const V& b) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<V, float>) {
      float result;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));  // one FMNMX
      return result;
    }
#endif
    return a < b || b != b ? b : a;
  }
};
struct minimum {
  template <class V>
  KLEENE_FUNCTION V operator()(const V& a, const V& b) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<V, float>) {
      float result;
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
    return b < a || b != b ? b : a;
  }
};

// 2^x. On the device one instruction, right to two units in the last place; what is below 2^-126 is zero there.
struct power_of_two {
  KLEENE_FUNCTION float operator()(float x) const {
#if defined(__CUDA_ARCH__)
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return std::exp2(x);
#endif
  }
};

struct plus {
  template <class V>
  KLEENE_FUNCTION constexpr V operator()(const V& a, const V& b) const {
    return static_cast<V>(a + b);
  }
};

struct times {
  template <class V>
  KLEENE_FUNCTION constexpr V operator()(const V& a, const V& b) const {
    return static_cast<V>(a * b);
  }
};

// On {0, 1}, "or" is the maximum and "and" the minimum.
struct logical_or : max {};
struct logical_and : min {};

// Exclusive or on {0, 1}: |a - b| for floats (exact there), a ^ b for integers and bool.
struct exclusive_or {
  template <class V>
  KLEENE_FUNCTION constexpr V operator()(const V& a, const V& b) const {
    if constexpr (requires(V v) { v ^ v; }) return static_cast<V>(a ^ b);
    else return b < a ? a - b : b - a;
  }
};

// log(e^a + e^b) without overflow; -infinity is its identity. Scalars only. Method: max + log1p(exp(-|a - b|)).
struct log_add_exp {
  template <class T>
  requires std::is_floating_point_v<T>
  KLEENE_FUNCTION constexpr T operator()(T a, T b) const {
    const T high = a < b ? b : a;
    const T low = a < b ? a : b;
    if (low == -std::numeric_limits<T>::infinity() || high == std::numeric_limits<T>::infinity())
      return low != low ? low : high;
    return high + std::log1p(std::exp(low - high));
  }
};

}  // namespace kleene::ops

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
