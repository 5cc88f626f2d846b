// Numbers as scalars of Eigen 3: Eigen's own expressions and products, over a semiring.
//
//   using element = kleene::eigen_number<kleene::min_plus<float>>;
//   using matrix = Eigen::Matrix<element, Eigen::Dynamic, Eigen::Dynamic>;
//   matrix a = matrix::Zero(n, n);                  // zero() everywhere: infinity
//   a(0, 1) = kleene::tropical_min<float>(3);       // a value, as a number has it
//   const matrix two_steps = a * a;                 // Eigen's product
//
// Generic code such as Eigen's writes Scalar(0) and Scalar(1) for the two identities, while a number<S> takes 0 for the
// value 0, which is one() of min_plus. Here integers mean what generic code means by them: 0 is zero(), 1 is one(), n
// the sum of n ones. Values come as number<S>. What needs more than a semiring (subtraction, division, order: so also
// decompositions) does not compile.
//
// Eigen's product of these is scalar code. Kleene's takes the same matrices, and those of plain values:
// gemm(ctx, S{}, a, b, c); see as_view in data/view.hpp.
#pragma once

#include "kleene/algebra/numbers.hpp"

#include <Eigen/Core>

#include <concepts>
#include <limits>

namespace kleene {

template <full_semiring S>
struct eigen_number : number<S> {
  constexpr eigen_number() = default;
  constexpr eigen_number(const number<S>& x) : number<S>(x) {}
  template <std::same_as<int> Integer>
  constexpr explicit eigen_number(Integer n) {
    for (; n > 0; --n) *this = *this + eigen_number(number<S>::one());
  }

  friend constexpr eigen_number operator+(eigen_number a, eigen_number b) {
    return static_cast<number<S>>(a) + static_cast<number<S>>(b);
  }
  friend constexpr eigen_number operator*(eigen_number a, eigen_number b) {
    return static_cast<number<S>>(a) * static_cast<number<S>>(b);
  }
  constexpr eigen_number& operator+=(eigen_number b) { return *this = *this + b; }
  constexpr eigen_number& operator*=(eigen_number b) { return *this = *this * b; }
  friend constexpr bool operator==(eigen_number a, eigen_number b) { return a.value == b.value; }
};

namespace detail {
// Operations take them for their values (operations/detail/checks.hpp).
template <class E>
struct element_of_number;
template <class S>
struct element_of_number<eigen_number<S>> {
  using type = value_of<S>;
};
}  // namespace detail

}  // namespace kleene

template <class S>
struct Eigen::NumTraits<kleene::eigen_number<S>> : Eigen::GenericNumTraits<kleene::eigen_number<S>> {
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
  // Asked for when a matrix is printed (data/print.hpp has the numbers' operator<<).
  static constexpr int digits10() { return std::numeric_limits<kleene::value_of<S>>::digits10; }
  static constexpr int max_digits10() { return std::numeric_limits<kleene::value_of<S>>::max_digits10; }
};
