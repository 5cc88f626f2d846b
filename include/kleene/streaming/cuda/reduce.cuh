// Reductions on CUDA devices: the host's side of reduce_all.cuh; items with their positions for arg_min and arg_max.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/order.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/cuda/reduce_all.cuh"
#include "kleene/streaming/cuda/runs.cuh"
#include "kleene/streaming/reduce.hpp"

#include <algorithm>

namespace kleene {
namespace streaming {

template <class Grain, bool Ordered, class In, class Out, class T, class Op, class Map>
void reduce_on_cuda(const context& ctx, In in, index_t count, Out out, T init, Op op, Map map) {
  using G = chosen_grain<Grain, reduce_grain<sizeof(T)>>;
  constexpr int blocks_each = 1024 / G::threads;  // of a multiprocessor: what it holds at once
  // All that run at once; fewer where there is not a batch for each thread, but the same number for every
  // multiprocessor if possible.
  const index_t each = ctx.device()->multiprocessors,
                vector_tiles = ceil_div(count, index_t{G::threads} * vectors<In>::length);
  const index_t blocks = vector_tiles <= each
                             ? std::max<index_t>(1, vector_tiles)
                             : each * std::min<index_t>(blocks_each, ceil_div(vector_tiles, each * G::values));
  const auto tagged = ctx.tagged(blocks * gpu::words_of<maybe<T>> * sizeof(gpu::tagged_word));
  launch(ctx, reduce_all<G, Ordered, In, Out, T, Op, Map>, blocks, G::threads, in, count, out, init,
         static_cast<gpu::tagged_word*>(tagged.memory), tagged.tag, op, map);
}

// The same, copied to the host.
template <class Grain, bool Ordered, class In, class T, class Op, class Map>
T reduced_on_cuda(const context& ctx, In in, index_t count, T init, Op op, Map map) {
  T* const result = static_cast<T*>(ctx.workspace(sizeof(T)));
  reduce_on_cuda<Grain, Ordered>(ctx, in, count, result, init, op, map);
  return fetch(ctx, result);
}

// Items with their positions, for arg_min and arg_max; position -1: no item.
template <class T>
struct placed {
  T value;
  index_t at;
};
template <class In>
struct placed_items {
  using value_type = placed<std::iter_value_t<In>>;
  In items;
  __device__ value_type operator[](index_t i) const { return {items[i], i}; }
};

// The better of two: the one that the order puts first, then the one that stands first.
template <bool Largest, class Less>
struct better_position {
  Less less;
  template <class T>
  __device__ placed<T> operator()(const placed<T>& a, const placed<T>& b) const {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    const bool a_first = Largest ? less(b.value, a.value) : less(a.value, b.value);
    const bool b_first = Largest ? less(a.value, b.value) : less(b.value, a.value);
    return a_first || (!b_first && a.at < b.at) ? a : b;
  }
};

// Writes the position alone.
template <class Out>
struct position_of {
  Out out;
  struct reference {
    Out out;
    template <class T>
    __device__ void operator=(const placed<T>& p) const {
      *out = p.at;
    }
  };
  __device__ reference operator[](index_t) const { return {out}; }
};

template <bool Largest, class Grain, class It, class Out, class Less>
void arg_on_cuda(const context& ctx, It first, index_t count, Out result, Less less) {
  using T = std::iter_value_t<It>;
  // `nothing` stands before all items and loses to each.
  const placed<T> nothing{T{}, -1};
  reduce_on_cuda<Grain, false>(ctx, placed_items<It>{first}, count, position_of<Out>{result}, nothing,
                               better_position<Largest, Less>{less}, ops::identity{});
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct reductions {
  template <class It, class T, class Op>
  static T reduce(const context& ctx, It first, It last, T init, Op op) {
    return streaming::reduced_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), init, op,
                                                    ops::identity{});
  }

  template <class It, class T, class Op>
  static T ordered_reduce(const context& ctx, It first, It last, T init, Op op) {
    return streaming::reduced_on_cuda<Grain, true>(ctx, first, detail::length_of(first, last), init, op,
                                                   ops::identity{});
  }

  template <class It, class T, class Op, class Map>
  static T transform_reduce(const context& ctx, It first, It last, T init, Op op, Map map) {
    return streaming::reduced_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), init, op, map);
  }

  template <class It, class Out, class T, class Op>
  static void reduce_to(const context& ctx, It first, It last, Out result, T init, Op op) {
    streaming::reduce_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), result, init, op,
                                            ops::identity{});
  }

  template <class It, class Out, class T, class Op>
  static void ordered_reduce_to(const context& ctx, It first, It last, Out result, T init, Op op) {
    streaming::reduce_on_cuda<Grain, true>(ctx, first, detail::length_of(first, last), result, init, op,
                                           ops::identity{});
  }

  template <class It, class Out, class T, class Op, class Map>
  static void transform_reduce_to(const context& ctx, It first, It last, Out result, T init, Op op, Map map) {
    streaming::reduce_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), result, init, op, map);
  }

  template <class It, class Out, class Less>
  static void arg_min_to(const context& ctx, It first, It last, Out result, Less less) {
    streaming::arg_on_cuda<false, Grain>(ctx, first, detail::length_of(first, last), result, less);
  }

  template <class It, class Out, class Less>
  static void arg_max_to(const context& ctx, It first, It last, Out result, Less less) {
    streaming::arg_on_cuda<true, Grain>(ctx, first, detail::length_of(first, last), result, less);
  }

  template <class It, class Less>
  static index_t arg_min(const context& ctx, It first, It last, Less less) {
    index_t* const result = static_cast<index_t*>(ctx.workspace(sizeof(index_t)));
    streaming::arg_on_cuda<false, Grain>(ctx, first, detail::length_of(first, last), result, less);
    return streaming::fetch(ctx, result);
  }

  template <class It, class Less>
  static index_t arg_max(const context& ctx, It first, It last, Less less) {
    index_t* const result = static_cast<index_t*>(ctx.workspace(sizeof(index_t)));
    streaming::arg_on_cuda<true, Grain>(ctx, first, detail::length_of(first, last), result, less);
    return streaming::fetch(ctx, result);
  }

  template <class Keys, class Values, class KeysOut, class ValuesOut, class Count, class Op, class Equal>
  static void reduce_by_key_to(const context& ctx, Keys keys, Keys keys_last, Values values, KeysOut keys_out,
                               ValuesOut values_out, Count count, Op op, Equal equal) {
    const streaming::heads_of_keys<Keys, Equal> is_head{keys, equal};
    const streaming::keyed_results<KeysOut, ValuesOut> results{keys_out, values_out};
    const index_t items = detail::length_of(keys, keys_last);
    streaming::reduce_runs<Grain, std::iter_value_t<Values>>(ctx, is_head, values, items, results, count, op);
  }

  template <class Keys, class Values, class KeysOut, class ValuesOut, class Op, class Equal>
  static index_t reduce_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, KeysOut keys_out,
                               ValuesOut values_out, Op op, Equal equal) {
    index_t* const count = static_cast<index_t*>(ctx.workspace(sizeof(index_t)));
    reduce_by_key_to(ctx, keys, keys_last, values, keys_out, values_out, count, op, equal);
    return streaming::fetch(ctx, count);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::reductions, cuda::reductions<Grain>> machines_of(family<cpu::reductions, Grain>);

}  // namespace detail
}  // namespace kleene
