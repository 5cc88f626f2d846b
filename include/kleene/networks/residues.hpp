// Exact numbers of any size, from their remainders: how many assignments a factor graph allows, or how many are
// optimal, where 64 bits do not hold it.
//
//   using R = first_residues<8>;                       // the algebra of remainders by the first 8 of counting_primes
//   const int enough = residues_needed(200);           // 7: numbers up to 2^200
//   number_from_residues(remainders, primes)           // in decimal
//   number_of<R>(value)                                // of one value of R
//
// Each of the primes is just below 2^31, all 32 of them together 2^991.9; residues<P...> (algebra/counting.hpp) carries
// any number of them at once, or one after the other where memory is short: remainders are put side by side.
// Method: the Chinese remainder theorem in mixed radix (Garner, "The residue number system", 1959).
#pragma once

#include "kleene/algebra/counting.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace kleene {

inline constexpr int most_residues = 32;

// The largest primes below 2^31, falling.
inline constexpr std::uint64_t counting_primes[most_residues] = {
    2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497,
    2147483489, 2147483477, 2147483423, 2147483399, 2147483353, 2147483323, 2147483269, 2147483249,
    2147483237, 2147483179, 2147483171, 2147483137, 2147483123, 2147483077, 2147483069, 2147483059,
    2147483053, 2147483033, 2147483029, 2147482951, 2147482949, 2147482943, 2147482937, 2147482921};

namespace detail {
template <int First, class Indices>
struct residues_from;
template <int First, int... I>
struct residues_from<First, std::integer_sequence<int, I...>> {
  using type = residues<counting_primes[First + I]...>;
};
}  // namespace detail

// Remainders by Count of the primes, from number First on.
template <int Count, int First = 0>
requires(Count > 0 && First >= 0 && First + Count <= most_residues)
using first_residues = typename detail::residues_from<First, std::make_integer_sequence<int, Count>>::type;

// How many of the primes tell all numbers from 0 to 2^log2_bound apart: at least one. argument_error: more than there
// are, or no number.
int residues_needed(double log2_bound);

// The number below the product of the moduli that has these remainders, in decimal. Moduli: 2 to 2^62, no two of which
// share a factor, or argument_error with both; value_error: a remainder that is none; shape_error: more or fewer of
// them. O(n^2).
std::string number_from_residues(std::span<const std::uint64_t> remainders, std::span<const std::uint64_t> moduli);

// Of one value of residues<...>.
template <class R>
std::string number_of(const value_of<R>& value) {
  std::uint64_t remainders[R::size], moduli[R::size];
  for (int i = 0; i < R::size; ++i) remainders[i] = value.of[i], moduli[i] = R::primes[i];
  return number_from_residues(remainders, moduli);
}

}  // namespace kleene
