// Number types that carry their algebra: + is the algebra's add and * its mul, so ordinary numeric code (a loop,
// std::accumulate) computes over a semiring. A number is exactly its value in memory, and a matrix of numbers reaches
// the fast kernels without a copy: a * b on matrix<number<S>> is gemm over S (operations/gemm.hpp), and closure(ctx, a)
// its closure. data/print.hpp and interop/fmt.hpp write them.
//
//   kleene::tropical_min<float> a = 3, b = 4;    // min-plus
//   (a + b).value == 3;   (a * b).value == 7;   tropical_min<float>() is infinity
//
// Which of the two tropical semirings is meant by the word alone, books do not agree on. tropical is min-plus here, as
// in Maclagan and Sturmfels ("Introduction to Tropical Geometry", 2015); Julia's TropicalNumbers and CuTropicalGEMM say
// Tropical for max-plus. tropical_min and tropical_max cannot be mistaken. Their names for ours: Tropical (and
// TropicalMaxPlus) is tropical_max, TropicalMinPlus is tropical_min, TropicalMaxMul is reliability, TropicalMaxMin is
// bottleneck, TropicalAndOr is boolean.
//
// Integers are as those of C++: + and * do not look whether a result fits, which products and closures of matrices do.
// Keep to magnitudes whose sums (reliability: products) stay inside the type and below the integer that is infinity.
//
// A literal is a value: tropical_min<float> x = 0 is the number 0, which is one(). The identity of + is zero().
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <type_traits>

namespace kleene {

template <product_algebra S>
struct number {
  using algebra = S;
  using value_type = value_of<S>;

  value_type value = S::zero();

  constexpr number() = default;
  constexpr number(value_type v) : value(v) {}  // implicit, so that literals work as numbers do

  friend constexpr number operator+(number a, number b) {
    return kleene::normalise<S>(S::add(candidate(kleene::widen<S>(a.value)), kleene::widen<S>(b.value)));
  }
  friend constexpr number operator*(number a, number b) {
    return kleene::normalise<S>(candidate(S::mul(kleene::widen<S>(a.value), kleene::widen<S>(b.value))));
  }
  constexpr number& operator+=(number b) { return *this = *this + b; }
  constexpr number& operator*=(number b) { return *this = *this * b; }
  friend constexpr bool operator==(number a, number b) { return a.value == b.value; }

  static constexpr number zero() { return S::zero(); }
  static constexpr number one()
  requires full_semiring<S>
  {
    return S::one();
  }

 private:
  // Where + is min or max, a NaN (of the caller's, inf - inf, 0 * inf) is no candidate but zero().
  static constexpr accumulator_of<S> candidate(accumulator_of<S> term) {
    if constexpr (is_selective<S>) return S::add(kleene::widen<S>(S::zero()), term);
    else return term;
  }
};

// clang-format off
template <class T> using tropical_min   = number<min_plus<T>>;    // shortest
template <class T> using tropical_max   = number<max_plus<T>>;    // longest, most likely in logarithms
template <class T> using tropical       = tropical_min<T>;        // Julia's Tropical is tropical_max
template <class T> using reliability    = number<max_times<T>>;   // most probable
template <class T> using bottleneck     = number<max_min<T>>;     // widest
template <class T> using log_number     = number<log_plus<T>>;    // sums of probabilities in logarithms
using boolean = number<or_and<bool>>;                             // reachable
using gf2     = number<xor_and<bool>>;                            // parity
// clang-format on

static_assert(sizeof(tropical<float>) == sizeof(float) && std::is_trivially_copyable_v<tropical<float>>);

}  // namespace kleene
