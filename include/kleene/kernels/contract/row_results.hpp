// What an epilogue can give for every row of C beside C: the greatest of the row's elements, or their sum. All
// kernels share this way of folding elements, so that their results mean the same. (row_max and row_sum:
// operations/epilogues.hpp.)
//
// An epilogue E gives results of rows if it names a type row_results and has
//   E::fold<Out>        for a C of Out: `total`, what has been folded so far; start(), take(total&, number),
//                       join(total&, total); of_rounded, whether numbers must be what C holds, or may be what is
//                       rounded to it
//   e.give(at, total)   stores the results of a row; the rows of a batch are counted through
//   e.for_each(f)       f(p) for the memory of each result
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace kleene::kernels {

template <class Epilogue>
concept gives_rows = requires { typename Epilogue::row_results; };

template <class G>
using row_fold_of = typename decltype(G::epilogue)::template fold<std::remove_pointer_t<decltype(G::c)>>;

// An element of C converted to a type that has arithmetic.
template <class Out>
using row_number = std::conditional_t<
    !std::is_integral_v<Out>, std::conditional_t<std::is_same_v<Out, double>, double, float>,
    std::conditional_t<(sizeof(Out) < 4) || std::is_same_v<Out, std::int32_t>, std::int32_t, std::int64_t>>;

// One result: Op (maximum or plus) of Map(element) over the row (none: of the elements). Sums of integers have 64 bits.
template <class Op, class Map, class Out>
struct row_fold {
  using number = row_number<Out>;
  static constexpr bool sums = std::is_same_v<Op, ops::plus>, integers = std::is_integral_v<Out>;
  // Rounding does not change what is greatest; and what C would hold of no elements may not be infinite (f8 saturates).
  static constexpr bool of_rounded = sums || !std::is_same_v<Map, none> || (!integers && sizeof(Out) == 1);
  using total = std::conditional_t<sums && integers, std::int64_t, number>;

  static_assert(std::numeric_limits<Out>::is_specialized, "rows are folded where C holds numbers");
  static_assert(!integers || sizeof(Out) < 8 || (std::is_signed_v<Out> && !sums),
                "rows of integers are folded up to 32 bits, or 64 with a sign and without sums: these could wrap");
  static_assert(!integers || std::is_same_v<Map, none>, "magnitudes and squares of rows are of floats");
  template <class R, class Limits = std::numeric_limits<std::conditional_t<sums, total, Out>>>
  static constexpr bool holds = !std::is_integral_v<R> ? std::numeric_limits<R>::is_specialized
                                                       : integers && std::numeric_limits<R>::digits >= Limits::digits &&
                                                             (std::is_signed_v<R> || Limits::lowest() == 0);

  KLEENE_FUNCTION static total start() {
    if constexpr (sums) return total(0);
    else if constexpr (integers) return std::numeric_limits<Out>::lowest();
    else return -std::numeric_limits<total>::infinity();
  }
  KLEENE_FUNCTION static total take(const total& so_far, const number& x) {
    if constexpr (std::is_same_v<Map, none>) return Op{}(so_far, static_cast<total>(x));
    else return Op{}(so_far, static_cast<total>(Map{}(x)));
  }
  KLEENE_FUNCTION static total join(const total& x, const total& y) { return Op{}(x, y); }
  template <class R>
  KLEENE_FUNCTION static R result(const total& all) {
    if constexpr (of_rounded) return static_cast<R>(all);
    else return static_cast<R>(static_cast<number>(static_cast<Out>(all)));
  }
};

// The fold of an epilogue inside another; an empty one if that gives no row results.
template <class Epilogue, class Out>
struct inner_fold {
  static constexpr bool of_rounded = false;
  using total = none;
};
template <gives_rows Epilogue, class Out>
struct inner_fold<Epilogue, Out> : Epilogue::template fold<Out> {};

// The running totals of one result, and of those of the epilogue inside.
template <class Own, class Others>
struct row_totals {
  Own own;
  Others others;
};
template <class Own>
struct row_totals<Own, none> {
  Own own;
};

// What kernels store for a row of G before the last fold; a placeholder where there are no row results.
template <class G, bool = gives_rows<decltype(G::epilogue)>>
struct row_total {
  using type = none;
};
template <class G>
struct row_total<G, true> {
  using type = typename row_fold_of<G>::total;
};
template <class G>
using row_total_of = typename row_total<G>::type;

}  // namespace kleene::kernels
