// Segmented reductions and scans on the CPU. By flags they are runs (runs.hpp), by offsets they are cut
// into parts of the same number of segments and items together (segment_parts.hpp).
#pragma once

#include "kleene/streaming/cpu/runs.hpp"
#include "kleene/streaming/cpu/scan.hpp"
#include "kleene/streaming/cpu/segment_parts.hpp"

namespace kleene {

namespace detail {

// The sum of some neighbouring items, or nothing.
template <class T>
struct partial_sum {
  bool any;
  T value;
};

template <class T, class Op>
partial_sum<T> joined(const partial_sum<T>& left, const partial_sum<T>& right, const Op& op) {
  if (!left.any) return right;
  if (!right.any) return left;
  return {true, op(left.value, right.value)};
}

// init op the sum.
template <class T, class Op>
T with_init(const T& init, const partial_sum<T>& sum, const Op& op) {
  if (!sum.any) return init;
  return op(init, sum.value);
}

// The sum of items [begin, end).
template <class T, class Values, class Op>
partial_sum<T> sum_of(Values x, index_t begin, index_t end, const T& unused, const Op& op) {
  if (begin == end) return {false, unused};
  return {true, sum_in_order<T>(x + begin, end - begin, op)};
}

// scan(begin, end, before) for each stretch of items of one segment, `before` the sum of what the segment has before
// it. any: some value, never added.
template <class T, class Values, class Offsets, class Op, class Scan>
void scan_segments(const context& ctx, Values x, Offsets offsets, index_t segments, const T& any, const Op& op,
                   const Scan& scan) {
  const segment_parts<Offsets> cuts(ctx, offsets, segments);
  const scratch<partial_sum<T>> open(ctx, cuts.parts());  // what each part leaves of the segment open at its end
  const scratch<bool> has_end(ctx, cuts.parts());
  cuts.for_each([&](int p, path_point from, path_point to) {
    has_end[p] = from.a < to.a;
    const index_t begin = has_end[p] ? cuts.end_of(to.a - 1) : from.b;
    const bool wanted = p + 1 < cuts.parts();
    open[p] = sum_of(x, begin, wanted ? to.b : begin, any, op);
  });
  for (int p = 1; p < cuts.parts(); ++p)
    if (!has_end[p]) open[p] = joined(open[p - 1], open[p], op);

  cuts.for_each([&](int p, path_point from, path_point to) {
    index_t item = from.b;
    partial_sum<T> before = p > 0 ? open[p - 1] : partial_sum<T>{false, any};
    for (index_t s = from.a; item < to.b || s < to.a; ++s) {
      const index_t end = s < to.a ? cuts.end_of(s) : to.b;
      if (item < end) scan(item, end, before);
      before.any = false;
      item = end;
    }
  });
}

}  // namespace detail

namespace detail::cpu {

struct segmented {
  static constexpr const char* header = "streaming/cuda/segments";

  template <class Values, class Offsets, class Out, class T, class Op>
  static Out segmented_reduce(const context& ctx, Values values, Values last, Offsets offsets, index_t segments,
                              Out out, const T& init, const Op& op) {
    const index_t count = detail::length_of(values, last);
    if (!detail::has_segments(segments, count)) return out;
    detail::require_segments(ctx, detail::unwrap(offsets), segments, count);
    using sum = detail::partial_sum<T>;
    const auto x = detail::unwrap(values);
    const detail::segment_parts cuts(ctx, detail::unwrap(offsets), segments);
    // A part's first segment may have begun before it, the one open at its end goes on behind it.
    struct piece {
      bool has_end;     // whether the first segment ends in this part
      index_t segment;  // the first segment
      sum lead;         // its items here, if it ends here
      sum tail;         // the items of the segment open at the end
    };
    const detail::scratch<piece> pieces(ctx, cuts.parts());
    cuts.for_each([&](int p, path_point from, path_point to) {
      index_t item = from.b;
      sum lead{false, init};
      for (index_t s = from.a; s < to.a; ++s) {
        const index_t end = cuts.end_of(s);
        const sum total = detail::sum_of(x, item, end, init, op);
        if (s == from.a) lead = total;
        else out[s] = detail::with_init(init, total, op);
        item = end;
      }
      pieces[p] = {from.a < to.a, from.a, lead, detail::sum_of(x, item, to.b, init, op)};
    });

    sum open{false, init};
    for (int p = 0; p < cuts.parts(); ++p) {
      if (pieces[p].has_end) {
        out[pieces[p].segment] = detail::with_init(init, detail::joined(open, pieces[p].lead, op), op);
        open.any = false;
      }
      open = detail::joined(open, pieces[p].tail, op);
    }
    return out + segments;
  }

  template <class Values, class Offsets, class Out, class Op>
  static Out segmented_inclusive_scan(const context& ctx, Values values, Values last, Offsets offsets, index_t segments,
                                      Out out, const Op& op) {
    using T = detail::value_of_iterator<Values>;
    const index_t count = detail::length_of(values, last);
    if (!detail::has_segments(segments, count)) return out;
    detail::require_segments(ctx, detail::unwrap(offsets), segments, count);
    if (count == 0) return out;
    const auto x = detail::unwrap(values);
    const auto to = detail::unwrap(out);
    const T any = x[static_cast<index_t>(offsets[0])];
    detail::scan_segments(ctx, x, detail::unwrap(offsets), segments, any, op,
                          [&](index_t begin, index_t end, detail::partial_sum<T> before) {
                            if (!before.any) {
                              before.value = x[begin];
                              to[begin++] = before.value;
                            }
                            detail::scan_in_order<detail::scan_kind::inclusive>(x + begin, end - begin, to + begin,
                                                                                before.value, op);
                          });
    return out + count;
  }

  template <class Values, class Offsets, class Out, class T, class Op>
  static Out segmented_exclusive_scan(const context& ctx, Values values, Values last, Offsets offsets, index_t segments,
                                      Out out, const T& init, const Op& op) {
    const index_t count = detail::length_of(values, last);
    if (!detail::has_segments(segments, count)) return out;
    detail::require_segments(ctx, detail::unwrap(offsets), segments, count);
    const auto x = detail::unwrap(values);
    const auto to = detail::unwrap(out);
    detail::scan_segments(ctx, x, detail::unwrap(offsets), segments, init, op,
                          [&](index_t begin, index_t end, const detail::partial_sum<T>& before) {
                            detail::scan_in_order<detail::scan_kind::exclusive>(
                                x + begin, end - begin, to + begin, detail::with_init(init, before, op), op);
                          });
    return out + count;
  }

  template <class It, class Flags, class Out, class T, class Op>
  static index_t segmented_reduce_flags(const context& ctx, It first, It last, Flags flags, Out out, const T& init,
                                        const Op& op) {
    return detail::reduce_runs<T>(
        ctx, detail::length_of(first, last), [=](index_t i) { return flags[i] != 0; }, first, op,
        [](index_t, index_t) {}, [=](index_t run, const T& sum) { out[run] = op(init, sum); });
  }

  template <class It, class Flags, class Out, class Op>
  static Out segmented_inclusive_scan_flags(const context& ctx, It first, It last, Flags flags, Out out, const Op& op) {
    using T = detail::value_of_iterator<It>;
    detail::scan_runs<T>(
        ctx, detail::length_of(first, last), [=](index_t i) { return flags[i] != 0; }, first, op,
        [=](index_t i, bool, const T&, const T& sum) { out[i] = sum; });
    return out + detail::length_of(first, last);
  }

  template <class It, class Flags, class Out, class T, class Op>
  static Out segmented_exclusive_scan_flags(const context& ctx, It first, It last, Flags flags, Out out, const T& init,
                                            const Op& op) {
    detail::scan_runs<T>(
        ctx, detail::length_of(first, last), [=](index_t i) { return flags[i] != 0; }, first, op,
        [=](index_t i, bool open, const T& before, const T&) {
          if (open) out[i] = op(init, before);
          else out[i] = init;
        });
    return out + detail::length_of(first, last);
  }

  template <class It, class Flags, class Out, class Count, class T, class Op>
  static void segmented_reduce_flags_to(const context& ctx, It first, It last, Flags flags, Out out, Count count,
                                        const T& init, const Op& op) {
    *count = segmented_reduce_flags(ctx, first, last, flags, out, init, op);
  }
};

}  // namespace detail::cpu
}  // namespace kleene
