// semiring<Add, Mul, T>: an algebra from two functors.
//
//   using widest = kleene::semiring<kleene::ops::max, kleene::ops::min, float>;   // is max_min<float>
//
// A pair that Kleene ships is the shipped algebra itself, with its compiled kernels. Any other pair needs Add's
// identity: specialise kleene::identity<Add, T> (and identity<Mul, T> for a one).
#pragma once

#include "kleene/algebra/semirings.hpp"

namespace kleene {

// The neutral element of a functor on T. Specialise for functors of your own.
template <class Op, class T>
struct identity;

template <class T>
struct identity<ops::plus, T> {
  static constexpr T value() { return T(0); }
};
template <class T>
struct identity<ops::times, T> {
  static constexpr T value() { return T(1); }
};
template <class T>
struct identity<ops::min, T> {
  static constexpr T value() { return detail::top<T>(); }
};
template <class T>
struct identity<ops::max, T> {
  static constexpr T value() { return detail::bottom<T>(); }
};

// A pair that is not in the catalog.
template <class Add, class Mul, class T>
struct functor_pair {
  using value_type = T;
  static constexpr const char* name = "functor_pair";
  static constexpr T zero() { return identity<Add, T>::value(); }
  static constexpr T one()
  requires requires { identity<Mul, T>::value(); }
  {
    return identity<Mul, T>::value();
  }
  KLEENE_FUNCTION static constexpr T add(const T& a, const T& b) { return Add{}(a, b); }
  KLEENE_FUNCTION static constexpr T mul(const T& a, const T& b) { return Mul{}(a, b); }
};

namespace detail {
template <class Add, class Mul, class T>
struct pairing {
  using type = functor_pair<Add, Mul, T>;
};
// clang-format off
template <class T> struct pairing<ops::min, ops::plus, T>                  { using type = min_plus<T>; };
template <class T> struct pairing<ops::max, ops::plus, T>                  { using type = max_plus<T>; };
template <class T> struct pairing<ops::min, ops::times, T>                 { using type = min_times<T>; };
template <class T> struct pairing<ops::max, ops::times, T>                 { using type = max_times<T>; };
template <class T> struct pairing<ops::min, ops::max, T>                   { using type = min_max<T>; };
template <class T> struct pairing<ops::max, ops::min, T>                   { using type = max_min<T>; };
template <class T> struct pairing<ops::logical_or, ops::logical_and, T>    { using type = or_and<T>; };
template <class T> struct pairing<ops::exclusive_or, ops::logical_and, T>  { using type = xor_and<T>; };
template <class T> struct pairing<ops::log_add_exp, ops::plus, T>          { using type = log_plus<T>; };
template <class T> struct pairing<ops::plus, ops::times, T>                { using type = plus_times<T>; };
template <class T> struct pairing<ops::plus, ops::min, T>                  { using type = plus_min<T>; };
// clang-format on
}  // namespace detail

template <class Add, class Mul, class T>
using semiring = typename detail::pairing<Add, Mul, T>::type;

}  // namespace kleene
