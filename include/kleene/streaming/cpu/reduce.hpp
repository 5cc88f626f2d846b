// Reductions on the CPU: each thread sums a stretch of the sequence, one thread the sums.
#pragma once

#include "kleene/streaming/cpu/parts.hpp"
#include "kleene/streaming/cpu/runs.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace kleene {

namespace detail {

// Many small accumulators side by side: independent chains of operations, which compilers turn into vectors.
template <class T>
inline constexpr bool has_lanes = std::is_trivially_default_constructible_v<T> && sizeof(T) <= 16;
template <class T>
inline constexpr index_t lanes_of = static_cast<index_t>(std::bit_floor(512 / sizeof(T)));  // halved again and again

// Each line of the cache is asked for so many bytes before it is due: a core's window of instructions reaches over few
// lines of sums in memory. 256 MB of i32 on a busy Xeon (Emerald Rapids), GB/s by one thread and by two: 12 and 21; by
// 1024 bytes 10 and 19, not at all 8.5 and 16. (1 MB in its second cache: 24, not at all 22.)
inline constexpr index_t prefetched_bytes = 4096;

// map(x[0]) op ... op map(x[n - 1]) in any order; n > 0.
template <class T, class It, class Op, class Map>
T sum_in_any_order(It x, index_t n, const Op& op, const Map& map) {
  if constexpr (has_lanes<T>) {
    constexpr index_t lanes = lanes_of<T>,
                      line = std::min<index_t>(std::bit_floor(64 / std::min<std::size_t>(sizeof(x[0]), 64)), lanes);
    if (n >= 2 * lanes) {
      T sum[lanes];
      for (index_t l = 0; l < lanes; ++l) sum[l] = static_cast<T>(map(x[l]));
      index_t i = lanes;
      const auto add_line = [&](index_t first) {
        if constexpr (std::is_convertible_v<It, const void*>)
          __builtin_prefetch(reinterpret_cast<const char*>(x + i + first) + prefetched_bytes);
        for (index_t l = first; l < first + line; ++l) sum[l] = op(sum[l], static_cast<T>(map(x[i + l])));
      };
      const auto add_lines = [&]<std::size_t... Line>(std::index_sequence<Line...>) {
        (add_line(static_cast<index_t>(Line) * line), ...);  // no loop, see sum_stretches: 24 GB/s, and not 18
      };
      for (; i + lanes <= n; i += lanes) add_lines(std::make_index_sequence<static_cast<std::size_t>(lanes / line)>());
      for (index_t l = 0; i < n; ++i, ++l) sum[l] = op(sum[l], static_cast<T>(map(x[i])));
      for (index_t half = lanes / 2; half > 0; half /= 2)
        for (index_t l = 0; l < half; ++l) sum[l] = op(sum[l], sum[l + half]);
      return sum[0];
    }
  }
  T sum = static_cast<T>(map(x[0]));
  for (index_t i = 1; i < n; ++i) sum = op(sum, static_cast<T>(map(x[i])));
  return sum;
}

// The sums, left to right, of neighbouring stretches of x, `length` items each: side by side, which hides the
// operator's latency. (Folds, not loops over the stretches: those stay loops where -O2 is all that is asked for, their
// sums in memory.)
template <class T, class It, class Op, std::size_t... S>
void sum_stretches(It x, index_t length, T* sums, const Op& op, std::index_sequence<S...>) {
  T sum[] = {static_cast<T>(x[static_cast<index_t>(S) * length])...};
  for (index_t i = 1; i < length; ++i)
    ((sum[S] = op(sum[S], static_cast<T>(x[static_cast<index_t>(S) * length + i]))), ...);
  ((sums[S] = sum[S]), ...);
}

// x[0] op ... op x[n - 1], left to right; n > 0.
template <class T, class It, class Op>
T sum_in_order(It x, index_t n, const Op& op) {
  constexpr index_t stretches = 8;
  const index_t length = n / stretches;
  index_t i = 1;
  T sum = static_cast<T>(x[0]);
  if constexpr (has_lanes<T>) {
    if (length >= 8) {
      T sums[stretches];
      sum_stretches(x, length, sums, op, std::make_index_sequence<stretches>());
      sum = sums[0];
      for (index_t s = 1; s < stretches; ++s) sum = op(sum, sums[s]);
      i = stretches * length;
    }
  }
  for (; i < n; ++i) sum = op(sum, static_cast<T>(x[i]));
  return sum;
}

// init op sum(0, n), the sum of a range that is not empty taken part by part.
template <class T, class Op, class Sum>
T reduce_parts(const context& ctx, index_t n, T init, const Op& op, const Sum& sum) {
  if (n == 0) return init;
  const int parts = parts_for(ctx, n);
  if (parts == 1) return op(init, sum(0, n));
  const scratch<T> partial(ctx, parts);
  for_each_part(parts, [&](int p) { partial[p] = sum(part_begin(n, parts, p), part_begin(n, parts, p + 1)); });
  for (int p = 0; p < parts; ++p) init = op(init, partial[p]);
  return init;
}

template <class Better>
struct better_of {
  const Better& better;
  template <class T>
  T operator()(const T& best, const T& x) const {
    return better(x, best) ? x : best;
  }
};

// The first position in [begin, end) of an item that no other one betters. Small items are reduced a block at a time,
// and only a block with a better one is searched: positions do not go into vectors well.
template <class It, class Better>
index_t best_in_range(It x, index_t begin, index_t end, const Better& better) {
  using T = value_of_iterator<It>;
  constexpr index_t block = has_lanes<T> ? 4096 : 1;
  index_t position = begin;
  for (index_t i = begin; i < end; i += block) {
    if constexpr (block == 1) {
      if (better(x[i], x[position])) position = i;
    } else {
      const T best = sum_in_any_order<T>(x + i, std::min(block, end - i), better_of<Better>{better}, ops::identity{});
      if (better(best, x[position]))
        for (position = i; position + 1 < std::min(end, i + block) && better(best, x[position]);) ++position;
    }
  }
  return position;
}

// The same of all parts.
template <class It, class Better>
index_t best_position(const context& ctx, It x, index_t n, const Better& better) {
  if (n == 0) return -1;
  const int parts = parts_for(ctx, n);
  const scratch<index_t> best(ctx, parts);
  for_each_part(
      parts, [&](int p) { best[p] = best_in_range(x, part_begin(n, parts, p), part_begin(n, parts, p + 1), better); });
  index_t position = best[0];
  for (int p = 1; p < parts; ++p)
    if (better(x[best[p]], x[position])) position = best[p];
  return position;
}

}  // namespace detail

namespace detail::cpu {

struct reductions {
  static constexpr const char* header = "streaming/cuda/reduce";

  template <class It, class T, class Op, class Map>
  static T transform_reduce(const context& ctx, It first, It last, T init, const Op& op, const Map& map) {
    const auto x = detail::unwrap(first);
    return detail::reduce_parts(ctx, detail::length_of(first, last), init, op, [&](index_t begin, index_t end) {
      return detail::sum_in_any_order<T>(x + begin, end - begin, op, map);
    });
  }

  template <class It, class T, class Op>
  static T reduce(const context& ctx, It first, It last, T init, const Op& op) {
    return transform_reduce(ctx, first, last, init, op, ops::identity{});
  }

  template <class It, class T, class Op>
  static T ordered_reduce(const context& ctx, It first, It last, T init, const Op& op) {
    const auto x = detail::unwrap(first);
    return detail::reduce_parts(ctx, detail::length_of(first, last), init, op, [&](index_t begin, index_t end) {
      return detail::sum_in_order<T>(x + begin, end - begin, op);
    });
  }

  template <class It, class Less>
  static index_t arg_min(const context& ctx, It first, It last, const Less& less) {
    return detail::best_position(ctx, detail::unwrap(first), detail::length_of(first, last), less);
  }

  template <class It, class Less>
  static index_t arg_max(const context& ctx, It first, It last, const Less& less) {
    return detail::best_position(ctx, detail::unwrap(first), detail::length_of(first, last),
                                 [&](const auto& x, const auto& best) { return less(best, x); });
  }

  template <class Keys, class Values, class KeysOut, class ValuesOut, class Op, class Equal>
  static index_t reduce_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, KeysOut keys_out,
                               ValuesOut values_out, const Op& op, const Equal& equal) {
    using T = detail::value_of_iterator<Values>;
    return detail::reduce_runs<T>(
        ctx, detail::length_of(keys, keys_last), [=](index_t i) { return !equal(keys[i - 1], keys[i]); }, values, op,
        [=](index_t run, index_t head) { keys_out[run] = keys[head]; },
        [=](index_t run, const T& sum) { values_out[run] = sum; });
  }

  // The forms that leave the result in memory.
  template <class It, class Out, class T, class Op, class Map>
  static void transform_reduce_to(const context& ctx, It first, It last, Out result, T init, const Op& op,
                                  const Map& map) {
    *result = transform_reduce(ctx, first, last, init, op, map);
  }
  template <class It, class Out, class T, class Op>
  static void reduce_to(const context& ctx, It first, It last, Out result, T init, const Op& op) {
    *result = reduce(ctx, first, last, init, op);
  }
  template <class It, class Out, class T, class Op>
  static void ordered_reduce_to(const context& ctx, It first, It last, Out result, T init, const Op& op) {
    *result = ordered_reduce(ctx, first, last, init, op);
  }
  template <class It, class Out, class Less>
  static void arg_min_to(const context& ctx, It first, It last, Out result, const Less& less) {
    *result = arg_min(ctx, first, last, less);
  }
  template <class It, class Out, class Less>
  static void arg_max_to(const context& ctx, It first, It last, Out result, const Less& less) {
    *result = arg_max(ctx, first, last, less);
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Count, class Op, class Equal>
  static void reduce_by_key_to(const context& ctx, Keys keys, Keys keys_last, Values values, KeysOut keys_out,
                               ValuesOut values_out, Count count, const Op& op, const Equal& equal) {
    *count = reduce_by_key(ctx, keys, keys_last, values, keys_out, values_out, op, equal);
  }
};

}  // namespace detail::cpu
}  // namespace kleene
