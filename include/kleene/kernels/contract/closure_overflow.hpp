// What a closure, or a search for shortest paths, throws where a length does not fit the element type.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/error.hpp"

#include <limits>
#include <string>
#include <type_traits>

namespace kleene {

// A finite result that the element type cannot hold: a wider one can.
class overflow_error : public value_error {
 public:
  using value_error::value_error;
};

namespace detail {

// Algebras over integers whose mul adds lengths: min_plus, max_plus. Lengths outside S::range wrap nowhere in one sum,
// and count as infinite in the next.
template <class S>
inline constexpr bool adds_integers =
    std::is_integral_v<value_of<S>> && requires(value_of<S> v) { S::range::limit, S::is_large(v); };

// Integers of 8 and 16 bits, whose range ordinary lengths leave.
template <class S>
inline constexpr bool is_narrow = can_overflow<S> && std::is_integral_v<value_of<S>> && sizeof(value_of<S>) <= 2;

// "u8 holds lengths up to 63".
template <class S>
std::string range_words() {
  using T = value_of<S>;
  if constexpr (adds_integers<S>)
    return type_name<T> + std::string(" holds lengths ") + (std::is_signed_v<T> ? "within " : "up to ") +
           std::to_string(S::range::limit - 1) + (std::is_signed_v<T> ? " of 0" : "");
  else return type_name<T> + std::string(" holds numbers up to ") + std::to_string(std::numeric_limits<T>::max());
}

template <class S>
[[noreturn]] void refuse_overflow() {
  std::string message = name_of<S>() + ": a finite result is too large for the element type; use a wider one";
  if constexpr (std::is_integral_v<value_of<S>>) message += " (" + range_words<S>();
  if constexpr (is_narrow<S>) message += "; over widening<S>, operations/widening.hpp, that happens by itself";
  if constexpr (std::is_integral_v<value_of<S>>) message += ")";
  throw overflow_error(message);
}

}  // namespace detail
}  // namespace kleene
