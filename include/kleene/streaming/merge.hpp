// Merging two sorted sequences: stable (items of a before equal items of b, each in its own order).
//
// a, b: sorted by less. out: a's and b's items together; it overlaps neither input. Work: one pass over inputs and
// output; every worker gets the same number of output items. Returns where the output ends; nothing waits on a CUDA
// context. Method: merge path (base/partition.hpp). error(device): a CUDA context without cuda/merge.cuh.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/merge.hpp"

#include <utility>

namespace kleene {

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::merges, Grain>()))>
Out merge(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  return detail::dispatch<On>(ctx, "merge", [&](auto on) { return on.merge(ctx, a, a_last, b, b_last, out, less); });
}

// The same of keys that carry values: a_values and b_values have one for each key. Returns both ends.
template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less, class On = decltype(machines_of(detail::family<detail::cpu::merges, Grain>()))>
std::pair<KeysOut, ValuesOut> merge_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                           BValues b_values, KeysOut keys_out, ValuesOut values_out, Less less = {}) {
  return detail::dispatch<On>(ctx, "merge_by_key", [&](auto on) {
    return on.merge_by_key(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less);
  });
}

// The first min(k, all) items of the merge, in work proportional to k. k >= 0, else argument_error.
template <class Grain = tuned, class A, class B, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::merges, Grain>()))>
Out merge_smallest(const context& ctx, A a, A a_last, B b, B b_last, index_t k, Out out, Less less = {}) {
  return detail::dispatch<On>(ctx, "merge_smallest",
                              [&](auto on) { return on.merge_smallest(ctx, a, a_last, b, b_last, k, out, less); });
}

}  // namespace kleene
