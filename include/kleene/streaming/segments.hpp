// Segmented reductions and scans: one sum for each segment of a sequence, or all sums of each segment's beginnings. op
// is associative and applied left to right; segments of wildly different sizes, empty ones too, are divided evenly.
//
// Segments by offsets: segments + 1 ascending positions of any integer type; segment s is [offsets[s], offsets[s + 1]),
// offsets[0] is 0 and offsets[segments] the number of items (which the host would have to wait for, were it not told).
// CPU contexts look first, and throw argument_error where offsets are none; on a device they are trusted.
// Segments by flags: item i starts a segment where flags[i] is not zero; item 0 always does.
// Scans may work in place (out == values); reductions may not. Nothing waits on a CUDA context but the one function
// that returns a count. error(device): a CUDA context without cuda/segments.cuh.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/segments.hpp"

namespace kleene {

// out[s] = init op (items of s, left to right); init where s is empty. Accumulates in T. Returns out + segments.
template <class Grain = tuned, class Values, class Offsets, class Out, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
Out segmented_reduce(const context& ctx, Values first, Values last, Offsets offsets, index_t segments, Out out, T init,
                     Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_reduce", [&](auto on) {
    return on.segmented_reduce(ctx, first, last, offsets, segments, out, init, op);
  });
}

// out[i] = items of i's segment up to i; accumulates in the value type. Returns out + the number of items.
template <class Grain = tuned, class Values, class Offsets, class Out, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
Out segmented_inclusive_scan(const context& ctx, Values first, Values last, Offsets offsets, index_t segments, Out out,
                             Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_inclusive_scan", [&](auto on) {
    return on.segmented_inclusive_scan(ctx, first, last, offsets, segments, out, op);
  });
}

// out[i] = init op items of i's segment before i; accumulates in T. Returns out + the number of items.
template <class Grain = tuned, class Values, class Offsets, class Out, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
Out segmented_exclusive_scan(const context& ctx, Values first, Values last, Offsets offsets, index_t segments, Out out,
                             T init, Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_exclusive_scan", [&](auto on) {
    return on.segmented_exclusive_scan(ctx, first, last, offsets, segments, out, init, op);
  });
}

// out[s] = init op (items of s, left to right). Returns the number of segments.
template <class Grain = tuned, class It, class Flags, class Out, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
index_t segmented_reduce_flags(const context& ctx, It first, It last, Flags flags, Out out, T init, Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_reduce_flags", [&](auto on) {
    return on.segmented_reduce_flags(ctx, first, last, flags, out, init, op);
  });
}

// *count = the number of segments.
template <class Grain = tuned, class It, class Flags, class Out, class Count, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
void segmented_reduce_flags_to(const context& ctx, It first, It last, Flags flags, Out out, Count count, T init,
                               Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_reduce_flags_to", [&](auto on) {
    return on.segmented_reduce_flags_to(ctx, first, last, flags, out, count, init, op);
  });
}

// Scans within the segments of the flags; return out + the number of items.
template <class Grain = tuned, class It, class Flags, class Out, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
Out segmented_inclusive_scan_flags(const context& ctx, It first, It last, Flags flags, Out out, Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_inclusive_scan_flags", [&](auto on) {
    return on.segmented_inclusive_scan_flags(ctx, first, last, flags, out, op);
  });
}

template <class Grain = tuned, class It, class Flags, class Out, class T, class Op = ops::plus,
          class On = decltype(machines_of(detail::family<detail::cpu::segmented, Grain>()))>
Out segmented_exclusive_scan_flags(const context& ctx, It first, It last, Flags flags, Out out, T init, Op op = {}) {
  return detail::dispatch<On>(ctx, "segmented_exclusive_scan_flags", [&](auto on) {
    return on.segmented_exclusive_scan_flags(ctx, first, last, flags, out, init, op);
  });
}

}  // namespace kleene
