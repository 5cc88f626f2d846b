// expect: sums have 64 bits
// A row of i32 can add up to more than an i32 holds.
#include "kleene/operations/epilogues.hpp"

#ifdef WRONG
using sum = std::int32_t;
#else
using sum = std::int64_t;
#endif

using f = decltype(kleene::epilogues::row_sum(static_cast<sum*>(nullptr)));
constexpr bool rounded = f::fold<std::int32_t>::of_rounded;
