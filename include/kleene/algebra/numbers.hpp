// Number types that carry their algebra: + is the algebra's add and * its mul, so ordinary numeric code (a loop, Eigen,
// std::accumulate) computes over a semiring. A number is exactly its value in memory, and a matrix of numbers reaches
// the fast kernels without a copy: kleene::multiply(a, b) on matrix<number<S>> is gemm over S.
//
//   kleene::tropical<float> a = 3, b = 4;    // min-plus
//   (a + b).value == 3;   (a * b).value == 7;   tropical<float>() is infinity
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
    return kleene::normalise<S>(S::add(kleene::widen<S>(a.value), kleene::widen<S>(b.value)));
  }
  friend constexpr number operator*(number a, number b) {
    return kleene::normalise<S>(S::mul(kleene::widen<S>(a.value), kleene::widen<S>(b.value)));
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
};

// clang-format off
template <class T> using tropical       = number<min_plus<T>>;    // shortest
template <class T> using tropical_max   = number<max_plus<T>>;    // longest, most likely in logarithms
template <class T> using reliability    = number<max_times<T>>;   // most probable
template <class T> using bottleneck     = number<max_min<T>>;     // widest
template <class T> using log_number     = number<log_plus<T>>;    // sums of probabilities in logarithms
using boolean = number<or_and<bool>>;                             // reachable
using gf2     = number<xor_and<bool>>;                            // parity
// clang-format on

static_assert(sizeof(tropical<float>) == sizeof(float) && std::is_trivially_copyable_v<tropical<float>>);

}  // namespace kleene
