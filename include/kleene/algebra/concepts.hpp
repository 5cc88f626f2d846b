// What an algebra is: the two concepts that products and closures ask for, and the facts that kernels read off a type.
//
// An algebra is a stateless type. Ten lines make one:
//
//   struct shortest {
//     using value_type = float;
//     static constexpr const char* name = "shortest";
//     static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
//     static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
//     static constexpr float one() { return 0; }
//     static constexpr float add(float a, float b) { return b < a ? b : a; }
//     static constexpr float mul(float a, float b) { return a + b; }
//   };
//
// Required:  value_type, which == compares; zero(), the identity of add and annihilator of mul; add(a, b); mul(a, b).
// Closures:  one(), the identity of mul; mul distributes over add (is_distributive, true where not said otherwise).
// Optional:  name               for messages
//            accumulator        the type that add and mul compute in (value_type)
//            scalar             the type of alpha and beta (value_type)
//            widen(value)       value_type -> accumulator, applied once when an operand is read (static_cast)
//            normalise(acc)     accumulator -> value_type, applied once when a result is stored (static_cast)
//            overflows(acc)     whether acc is a finite result that value_type cannot hold; the operation then throws
//                               value_error
//            sums_fit(k, a, b)  integers: whether k products of magnitudes up to a and b can be summed without wrapping
//            in_domain(value)   operands outside it are refused with the offending value; absent: all are welcome
//            star(a)            1 + a + a^2 + ... What closures multiply by. An idempotent algebra may leave it out:
//                               then only loops a with 1 + a = 1 have a star, and it is one(). That is all there is to
//                               say of shortest, widest and most reliable paths, where going round again never helps;
//                               not of the k best lengths, of sets or of languages, where 1 + a is more than 1: those
//                               need star
//            star_exists(a)     whether it converges (default: with star always; without: add(one(), a) == one())
//            computes_as        `using computes_as = min_plus<float>;`: zero, add and mul are those of an algebra of
//                               Kleene's, whatever else differs. Kernels then take its instructions, and operands
//                               are read by its widen where there is no other
// None of these throws: kernels call them where nothing can be caught (std::terminate).
// Facts:     is_idempotent (a + a = a), is_selective (a + b is a or b), is_commutative (of mul), is_long (add or mul
//            takes dozens of instructions: kernels repeat it less often in their code).
#pragma once

#include "kleene/algebra/ops.hpp"

#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

namespace kleene {

namespace detail {
template <class S>
struct accumulator_type {
  using type = typename S::value_type;
};
template <class S>
requires requires { typename S::accumulator; }
struct accumulator_type<S> {
  using type = typename S::accumulator;
};
template <class S>
struct scalar_type {
  using type = typename S::value_type;
};
template <class S>
requires requires { typename S::scalar; }
struct scalar_type<S> {
  using type = typename S::scalar;
};
}  // namespace detail

template <class S>
using value_of = typename S::value_type;

// The type that add and mul compute in.
template <class S>
using accumulator_of = typename detail::accumulator_type<S>::type;

// The type of the factors alpha and beta, where C holds the algebra's values.
template <class S>
using scalar_of = typename detail::scalar_type<S>::type;

// A monoid (add, zero) with any binary operation mul: what gemm asks for.
template <class S>
concept product_algebra = std::is_empty_v<S> && requires(accumulator_of<S> a, accumulator_of<S> b) {
  typename S::value_type;
  { a == b } -> std::convertible_to<bool>;
  { S::zero() } -> std::convertible_to<value_of<S>>;
  { S::add(a, b) } -> std::convertible_to<accumulator_of<S>>;
  { S::mul(a, b) } -> std::convertible_to<accumulator_of<S>>;
};

// S::name, where it has one.
template <class S>
std::string name_of() {
  if constexpr (requires { S::name; }) return S::name;
  else return "an algebra without a name";
}

// Facts default to the careful answer: an algebra that does not say is assumed not to have the property.
template <class S>
inline constexpr bool is_idempotent = [] {
  if constexpr (requires { S::is_idempotent; }) return bool(S::is_idempotent);
  else return false;
}();
template <class S>
inline constexpr bool is_selective = [] {
  if constexpr (requires { S::is_selective; }) return bool(S::is_selective);
  else return false;
}();
template <class S>
inline constexpr bool is_commutative = [] {
  if constexpr (requires { S::is_commutative; }) return bool(S::is_commutative);
  else return false;
}();
template <class S>
inline constexpr bool is_long = [] {
  if constexpr (requires { S::is_long; }) return bool(S::is_long);
  else return false;
}();
template <class S>
inline constexpr bool is_distributive = [] {
  if constexpr (requires { S::is_distributive; }) return bool(S::is_distributive);
  else return true;
}();
// The algebra whose zero, add and mul these are: another one where S says so (computes_as), else S.
namespace detail {
template <class S>
struct arithmetic {
  using type = S;
};
template <class S>
requires requires { typename S::computes_as; }
struct arithmetic<S> {
  using type = typename S::computes_as;
  static_assert(std::is_same_v<typename S::value_type, typename type::value_type> &&
                    std::is_same_v<typename accumulator_type<S>::type, typename accumulator_type<type>::type>,
                "computes_as names an algebra over the same type, which sums in the same type");
  static_assert(S::zero() == type::zero(), "computes_as names an algebra with another zero()");
};
}  // namespace detail
template <class S>
using arithmetic_of = typename detail::arithmetic<S>::type;

// Whether closures may take the star of a loop as one() wherever it exists, since a loop never adds anything. A star
// that the algebra has is always used, whatever its other facts.
template <class S>
inline constexpr bool has_unit_star = is_idempotent<S> && !requires(accumulator_of<S> a) { S::star(a); };
template <class S>
inline constexpr bool has_domain = requires(value_of<S> a) { S::in_domain(a); };
template <class S>
inline constexpr bool can_overflow = requires(accumulator_of<S> a) { S::overflows(a); };
template <class S>
inline constexpr bool can_wrap = requires(accumulator_of<S> a) { S::sums_fit(a, a, a); };

namespace detail {
// The largest magnitude of a number of T.
template <class T>
inline constexpr double type_magnitude = [] {
  const double low = -double(std::numeric_limits<T>::lowest()), high = double(std::numeric_limits<T>::max());
  return low < high ? high : low;
}();
}  // namespace detail

// Two identities and a mul that distributes over add: what closures ask for, besides a star.
template <class S>
concept full_semiring = product_algebra<S> && is_distributive<S> && requires {
  { S::one() } -> std::convertible_to<value_of<S>>;
};

template <class S>
concept closed_semiring = full_semiring<S> && (has_unit_star<S> || requires(accumulator_of<S> a) {
                            { S::star(a) } -> std::convertible_to<accumulator_of<S>>;
                          });

// Operand -> accumulator, accumulator -> result.
template <product_algebra S>
KLEENE_FUNCTION constexpr accumulator_of<S> widen(const value_of<S>& value) {
  if constexpr (requires { S::widen(value); }) return S::widen(value);
  else if constexpr (requires { arithmetic_of<S>::widen(value); }) return arithmetic_of<S>::widen(value);
  else return static_cast<accumulator_of<S>>(value);
}
template <product_algebra S>
KLEENE_FUNCTION constexpr value_of<S> normalise(const accumulator_of<S>& sum) {
  if constexpr (requires { S::normalise(sum); }) return S::normalise(sum);
  else return static_cast<value_of<S>>(sum);
}

// Whether 1 + a + a^2 + ... has a value, and that value.
template <closed_semiring S>
KLEENE_FUNCTION constexpr bool star_exists(const accumulator_of<S>& a) {
  if constexpr (requires { S::star_exists(a); }) return S::star_exists(a);
  else if constexpr (has_unit_star<S>) return S::add(widen<S>(S::one()), a) == widen<S>(S::one());
  else return true;
}
template <closed_semiring S>
KLEENE_FUNCTION constexpr accumulator_of<S> star(const accumulator_of<S>& a) {
  if constexpr (requires { S::star(a); }) return S::star(a);
  else return widen<S>(S::one());
}

}  // namespace kleene
