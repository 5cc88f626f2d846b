// Sorted search: where the items of one sorted sequence belong in another, for all of them in one pass over both,
// instead of a binary search each.
//
// Both sequences sorted by less. Outputs take a position for each item, in the order of the items; they overlap no
// input. Nothing waits on a CUDA context. Source: Baxter, Modern GPU ("vectorized sorted search"), 2013.
// error(device): a CUDA context without cuda/search.cuh.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/search_outputs.hpp"
#include "kleene/streaming/cpu/search.hpp"

namespace kleene {

// out[i] = the first j with !less(hay[j], needles[i]), or the size of hay.
template <class Grain = tuned, class Needles, class Hay, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::searches, Grain>()))>
void lower_bound(const context& ctx, Needles needles, Needles needles_last, Hay hay, Hay hay_last, Out out,
                 Less less = {}) {
  return detail::dispatch<On>(ctx, "lower_bound", [&](auto on) {
    return on.lower_bound(ctx, needles, needles_last, hay, hay_last, out, less);
  });
}

// out[i] = the first j with less(needles[i], hay[j]), or the size of hay.
template <class Grain = tuned, class Needles, class Hay, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::searches, Grain>()))>
void upper_bound(const context& ctx, Needles needles, Needles needles_last, Hay hay, Hay hay_last, Out out,
                 Less less = {}) {
  return detail::dispatch<On>(ctx, "upper_bound", [&](auto on) {
    return on.upper_bound(ctx, needles, needles_last, hay, hay_last, out, less);
  });
}

// Any selection of what there is to know about each a in b and each b in a:
//   sorted_search(ctx, a, a_last, b, b_last, search_outputs{.a_lower = positions, .b_found = flags});
template <class Grain = tuned, class A, class B, class Outputs, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::searches, Grain>()))>
void sorted_search(const context& ctx, A a, A a_last, B b, B b_last, Outputs outputs, Less less = {}) {
  return detail::dispatch<On>(ctx, "sorted_search",
                              [&](auto on) { return on.sorted_search(ctx, a, a_last, b, b_last, outputs, less); });
}

}  // namespace kleene
