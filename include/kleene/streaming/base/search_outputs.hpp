// What a sorted search of a in b, and of b in a, is asked for: an iterator for each answer that is wanted.
// search_outputs{.a_lower = positions} needs a compiler that deduces the arguments of aggregates (GCC 11, clang 17, or
// newer); before clang 17 they are written out: search_outputs<int*>{.a_lower = positions}.
#pragma once

namespace kleene {

// The answer is not asked for.
struct no_output {};

template <class ALower = no_output, class AUpper = no_output, class BLower = no_output, class BUpper = no_output,
          class AFound = no_output, class BFound = no_output>
struct search_outputs {
  ALower a_lower{};  // [i] = number of b items below a[i]
  AUpper a_upper{};  // [i] = number of b items not above a[i]
  BLower b_lower{};  // [j] = number of a items below b[j]
  BUpper b_upper{};  // [j] = number of a items not above b[j]
  AFound a_found{};  // [i] = true if b has an item equivalent to a[i], else false
  BFound b_found{};  // [j] = true if a has an item equivalent to b[j], else false
};

// Beside a guide GCC 12 deduces no designated initialisers; where there is none, clang before 17 deduces nothing.
#if defined(__clang__) && __clang_major__ < 17
template <class ALower, class AUpper, class BLower, class BUpper, class AFound, class BFound>
search_outputs(ALower, AUpper, BLower, BUpper, AFound, BFound)
    -> search_outputs<ALower, AUpper, BLower, BUpper, AFound, BFound>;
#endif

}  // namespace kleene
