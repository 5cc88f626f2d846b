// Load balancing: items that belong to segments of wildly different sizes, divided evenly among workers, each of which
// knows the segment of every item of its own.
//
// offsets: `segments` ascending starts of any integer type (on CUDA one of at least 4 bytes), offsets[0] == 0 unless
// segments == 0 (then count is 0 too). On the CPU argument_error where they are none; on a device they are trusted.
// Item i of `count` belongs to the last segment s with offsets[s] <= i; its rank is i - offsets[s]. Empty segments are
// allowed. Work: count + segments, evenly divided. Nothing waits on a CUDA context.
// Source: Baxter, Modern GPU ("load-balancing search", "interval move"), 2013. error(device): a CUDA context without
// cuda/load_balance.cuh.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/load_balance.hpp"

namespace kleene {

// out[i] = the segment of item i.
template <class Grain = tuned, class Offsets, class Out,
          class On = decltype(machines_of(detail::family<detail::cpu::load_balancing, Grain>()))>
void load_balancing_search(const context& ctx, index_t count, Offsets offsets, index_t segments, Out out) {
  detail::dispatch<On>(ctx, "load_balancing_search",
                       [&](auto on) { return on.load_balancing_search(ctx, count, offsets, segments, out); });
}

// body(item, segment, rank), all index_t, once for each item, in no order; body is called as const.
template <class Grain = tuned, class Offsets, class Body,
          class On = decltype(machines_of(detail::family<detail::cpu::load_balancing, Grain>()))>
void transform_lbs(const context& ctx, index_t count, Offsets offsets, index_t segments, Body body) {
  detail::dispatch<On>(ctx, "transform_lbs",
                       [&](auto on) { return on.transform_lbs(ctx, count, offsets, segments, body); });
}

// out[i] = values[segment of i]. Returns out + count.
template <class Grain = tuned, class Offsets, class Values, class Out,
          class On = decltype(machines_of(detail::family<detail::cpu::load_balancing, Grain>()))>
Out interval_expand(const context& ctx, index_t count, Offsets offsets, index_t segments, Values values, Out out) {
  return detail::dispatch<On>(ctx, "interval_expand",
                              [&](auto on) { return on.interval_expand(ctx, count, offsets, segments, values, out); });
}

// out[i] = input[from[segment of i] + rank of i]: one interval of the input a segment. Returns out + count.
template <class Grain = tuned, class Offsets, class From, class In, class Out,
          class On = decltype(machines_of(detail::family<detail::cpu::load_balancing, Grain>()))>
Out interval_gather(const context& ctx, index_t count, Offsets offsets, index_t segments, From from, In input,
                    Out out) {
  return detail::dispatch<On>(ctx, "interval_gather", [&](auto on) {
    return on.interval_gather(ctx, count, offsets, segments, from, input, out);
  });
}

// out[to[segment of i] + rank of i] = input[from[segment of i] + rank of i]. The intervals written must not overlap one
// another, nor the input.
template <class Grain = tuned, class Offsets, class From, class To, class In, class Out,
          class On = decltype(machines_of(detail::family<detail::cpu::load_balancing, Grain>()))>
void interval_move(const context& ctx, index_t count, Offsets offsets, index_t segments, From from, To to, In input,
                   Out out) {
  detail::dispatch<On>(ctx, "interval_move",
                       [&](auto on) { return on.interval_move(ctx, count, offsets, segments, from, to, input, out); });
}

}  // namespace kleene
