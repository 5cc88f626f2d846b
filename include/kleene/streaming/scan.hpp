// Scans: all the sums of a sequence's beginnings under any associative operator, whole or within runs of equal keys.
//
// Work: two passes over the input, one over the output. Scans may work in place, out being first (by key: values);
// other overlaps are not allowed. Returns where the output ends. Nothing here waits on a CUDA context.
// error(device): a CUDA context, and only this header is included (cuda/scan.cuh has the CUDA form).
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/scan.hpp"

namespace kleene {

// out[i] = x[0] op ... op x[i], accumulated in the input's value type.
template <class Grain = tuned, class It, class Out, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::scans, Grain>()))>
Out inclusive_scan(const context& ctx, It first, It last, Out out, Op op = {}) {
  return detail::dispatch<On>(ctx, "inclusive_scan",
                              [&](auto on) { return on.inclusive_scan(ctx, first, last, out, op); });
}

// out[i] = init op x[0] op ... op x[i - 1], accumulated in T.
template <class Grain = tuned, class It, class Out, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::scans, Grain>()))>
Out exclusive_scan(const context& ctx, It first, It last, Out out, T init, Op op = {}) {
  return detail::dispatch<On>(ctx, "exclusive_scan",
                              [&](auto on) { return on.exclusive_scan(ctx, first, last, out, init, op); });
}

// The same within each run of neighbours with equal keys; inclusive scans accumulate in the type of the values,
// exclusive ones in T. values and out: one for each key.
template <class Grain = tuned, class Keys, class Values, class Out, class Op = ops::plus, class Equal = ops::equal,
          class On = decltype(machines_of(detail::family<detail::cpu::scans, Grain>()))>
Out inclusive_scan_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, Out out, Op op = {},
                          Equal equal = {}) {
  return detail::dispatch<On>(ctx, "inclusive_scan_by_key", [&](auto on) {
    return on.inclusive_scan_by_key(ctx, keys, keys_last, values, out, op, equal);
  });
}

// Every run starts with init.
template <class Grain = tuned, class Keys, class Values, class Out, class T, class Op = ops::plus,
          class Equal = ops::equal, class On = decltype(machines_of(detail::family<detail::cpu::scans, Grain>()))>
Out exclusive_scan_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, Out out, T init, Op op = {},
                          Equal equal = {}) {
  return detail::dispatch<On>(ctx, "exclusive_scan_by_key", [&](auto on) {
    return on.exclusive_scan_by_key(ctx, keys, keys_last, values, out, init, op, equal);
  });
}

}  // namespace kleene
