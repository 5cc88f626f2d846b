// Reductions: the sum of a sequence under any operator, the position of its smallest item, sums of runs of equal keys.
//
// Work: one pass over the input (runs by key: two over the keys). Every function is deterministic for a given number of
// threads. `T init` takes part once, on the left, and gives the type that accumulates. Empty sequences give init.
// The forms that end in _to leave the result in memory where the work runs and, on CUDA contexts, return at once.
// error(device): a CUDA context, and only this header is included (cuda/reduce.cuh has the CUDA form).
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/reduce.hpp"

namespace kleene {

// init op x[0] op x[1] op ... for an operator that is associative and commutative; items are combined in an order of
// the library's choice, the same in every run.
template <class Grain = tuned, class It, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
T reduce(const context& ctx, It first, It last, T init, Op op = {}) {
  return detail::dispatch<On>(ctx, "reduce", [&](auto on) { return on.reduce(ctx, first, last, init, op); });
}

// The same for an operator that is associative only: strings of neighbours, left to right.
template <class Grain = tuned, class It, class T, class Op,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
T ordered_reduce(const context& ctx, It first, It last, T init, Op op) {
  return detail::dispatch<On>(ctx, "ordered_reduce",
                              [&](auto on) { return on.ordered_reduce(ctx, first, last, init, op); });
}

// reduce of map(x[0]), map(x[1]), ...
template <class Grain = tuned, class It, class T, class Op, class Map,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
T transform_reduce(const context& ctx, It first, It last, T init, Op op, Map map) {
  return detail::dispatch<On>(ctx, "transform_reduce",
                              [&](auto on) { return on.transform_reduce(ctx, first, last, init, op, map); });
}

// *result = the reduction.
template <class Grain = tuned, class It, class Out, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
void reduce_to(const context& ctx, It first, It last, Out result, T init, Op op = {}) {
  return detail::dispatch<On>(ctx, "reduce_to",
                              [&](auto on) { return on.reduce_to(ctx, first, last, result, init, op); });
}

template <class Grain = tuned, class It, class Out, class T, class Op,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
void ordered_reduce_to(const context& ctx, It first, It last, Out result, T init, Op op) {
  detail::dispatch<On>(ctx, "ordered_reduce_to",
                       [&](auto on) { return on.ordered_reduce_to(ctx, first, last, result, init, op); });
}

template <class Grain = tuned, class It, class Out, class T, class Op, class Map,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
void transform_reduce_to(const context& ctx, It first, It last, Out result, T init, Op op, Map map) {
  detail::dispatch<On>(ctx, "transform_reduce_to",
                       [&](auto on) { return on.transform_reduce_to(ctx, first, last, result, init, op, map); });
}

// The smallest position of a smallest item: no item is less than it. -1 for an empty sequence.
template <class Grain = tuned, class It, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
index_t arg_min(const context& ctx, It first, It last, Less less = {}) {
  return detail::dispatch<On>(ctx, "arg_min", [&](auto on) { return on.arg_min(ctx, first, last, less); });
}

// The smallest position of a largest item: it is less than no item. -1 for an empty sequence.
template <class Grain = tuned, class It, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
index_t arg_max(const context& ctx, It first, It last, Less less = {}) {
  return detail::dispatch<On>(ctx, "arg_max", [&](auto on) { return on.arg_max(ctx, first, last, less); });
}

template <class Grain = tuned, class It, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
void arg_min_to(const context& ctx, It first, It last, Out result, Less less = {}) {
  return detail::dispatch<On>(ctx, "arg_min_to",
                              [&](auto on) { return on.arg_min_to(ctx, first, last, result, less); });
}

template <class Grain = tuned, class It, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
void arg_max_to(const context& ctx, It first, It last, Out result, Less less = {}) {
  return detail::dispatch<On>(ctx, "arg_max_to",
                              [&](auto on) { return on.arg_max_to(ctx, first, last, result, less); });
}

// A run is a longest stretch of items whose keys equal their left neighbour's. For run r: keys_out[r] = its first key,
// values_out[r] = its values combined left to right (op associative). Returns the number of runs, at most the number of
// items. values: one for each key. Outputs overlap no input.
template <class Grain = tuned, class Keys, class Values, class KeysOut, class ValuesOut, class Op = ops::plus,
          class Equal = ops::equal, class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
index_t reduce_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, KeysOut keys_out,
                      ValuesOut values_out, Op op = {}, Equal equal = {}) {
  return detail::dispatch<On>(ctx, "reduce_by_key", [&](auto on) {
    return on.reduce_by_key(ctx, keys, keys_last, values, keys_out, values_out, op, equal);
  });
}

// *count = the number of runs.
template <class Grain = tuned, class Keys, class Values, class KeysOut, class ValuesOut, class Count,
          class Op = ops::plus, class Equal = ops::equal,
          class On = decltype(machines_of(detail::family<detail::cpu::reductions, Grain>()))>
void reduce_by_key_to(const context& ctx, Keys keys, Keys keys_last, Values values, KeysOut keys_out,
                      ValuesOut values_out, Count count, Op op = {}, Equal equal = {}) {
  return detail::dispatch<On>(ctx, "reduce_by_key_to", [&](auto on) {
    return on.reduce_by_key_to(ctx, keys, keys_last, values, keys_out, values_out, count, op, equal);
  });
}

}  // namespace kleene
