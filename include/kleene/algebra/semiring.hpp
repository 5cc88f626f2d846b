// semiring<Add, Mul, T>: an algebra from two functors. semiring<Add, Mul, T, Facts>: with what is known of them.
//
//   using widest = kleene::semiring<kleene::ops::max, kleene::ops::min, float>;   // is max_min<float>
//
//   struct facts {
//     static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
//     static constexpr float zero() { return 0; }
//     static constexpr float one() { return 1; }
//   };
//   using most_reliable = kleene::semiring<kleene::ops::max, my_product, float, facts>;   // has closures and witnesses
//
// A pair that Kleene ships is the shipped algebra itself, with its compiled kernels. For any other pair products need
// Add's identity and closures Mul's: zero() and one() of Facts, or kleene::identity<Add, T> and identity<Mul, T>, which
// ops::plus, times, min and max have and you may specialise. Facts holds whatever else concepts.hpp calls optional:
// is_idempotent and its like, star, star_exists, in_domain, name. What it does not say is taken not to hold; that mul
// distributes over add is taken to hold, unless is_distributive is false.
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

// Nothing is known of a pair but its functions.
struct no_facts {};

namespace detail {
template <class Add, class T, class Facts>
constexpr T zero_of() {
  if constexpr (requires { Facts::zero(); }) return Facts::zero();
  else return identity<Add, T>::value();
}
}  // namespace detail

template <class Add, class Mul, class T, class Facts>
struct functor_pair;

namespace detail {
template <class Add, class Mul, class T, class Facts>
struct pairing {
  using type = functor_pair<Add, Mul, T, Facts>;
};

// A pair that Kleene ships computes as the shipped algebra, whatever its facts: if it has that one's zero, and sums in
// the same type.
struct computes_as_itself {};
template <class S>
struct computes_as_shipped {
  using computes_as = S;
};
template <class Add, class Mul, class T, class Facts, class Shipped = typename pairing<Add, Mul, T, no_facts>::type>
inline constexpr bool has_shipped_arithmetic = [] {
  if constexpr (std::is_same_v<Shipped, functor_pair<Add, Mul, T, no_facts>>) return false;
  else if constexpr (!std::is_same_v<typename accumulator_type<Shipped>::type, T>) return false;
  else return zero_of<Add, T, Facts>() == Shipped::zero();
}();
template <class Add, class Mul, class T, class Facts>
using arithmetic_of_pair =
    std::conditional_t<has_shipped_arithmetic<Add, Mul, T, Facts>,
                       computes_as_shipped<typename pairing<Add, Mul, T, no_facts>::type>, computes_as_itself>;
}  // namespace detail

// A pair that is not in the catalog, with its facts.
template <class Add, class Mul, class T, class Facts = no_facts>
struct functor_pair : Facts, detail::arithmetic_of_pair<Add, Mul, T, Facts> {
  using value_type = T;
  static constexpr const char* name = [] {
    if constexpr (requires { Facts::name; }) return Facts::name;
    else return "functor_pair";
  }();
  KLEENE_FUNCTION static constexpr T zero() { return detail::zero_of<Add, T, Facts>(); }
  KLEENE_FUNCTION static constexpr T one()
  requires requires { Facts::one(); } || requires { identity<Mul, T>::value(); }
  {
    if constexpr (requires { Facts::one(); }) return Facts::one();
    else return identity<Mul, T>::value();
  }
  KLEENE_FUNCTION static constexpr T add(const T& a, const T& b) { return Add{}(a, b); }
  KLEENE_FUNCTION static constexpr T mul(const T& a, const T& b) { return Mul{}(a, b); }
};

namespace detail {
// clang-format off
template <class T> struct pairing<ops::min, ops::plus, T, no_facts>                  { using type = min_plus<T>; };
template <class T> struct pairing<ops::max, ops::plus, T, no_facts>                  { using type = max_plus<T>; };
template <class T> struct pairing<ops::min, ops::times, T, no_facts>                 { using type = min_times<T>; };
template <class T> struct pairing<ops::max, ops::times, T, no_facts>                 { using type = max_times<T>; };
template <class T> struct pairing<ops::min, ops::max, T, no_facts>                   { using type = min_max<T>; };
template <class T> struct pairing<ops::max, ops::min, T, no_facts>                   { using type = max_min<T>; };
template <class T> struct pairing<ops::logical_or, ops::logical_and, T, no_facts>    { using type = or_and<T>; };
template <class T> struct pairing<ops::exclusive_or, ops::logical_and, T, no_facts>  { using type = xor_and<T>; };
template <class T> struct pairing<ops::log_add_exp, ops::plus, T, no_facts>          { using type = log_plus<T>; };
template <class T> struct pairing<ops::plus, ops::times, T, no_facts>                { using type = plus_times<T>; };
template <class T> struct pairing<ops::plus, ops::min, T, no_facts>                  { using type = plus_min<T>; };
// clang-format on
}  // namespace detail

template <class Add, class Mul, class T, class Facts = no_facts>
using semiring = typename detail::pairing<Add, Mul, T, Facts>::type;

}  // namespace kleene
