// Segmented scans and reductions by head flags on CUDA devices: runs of equal keys, segments by flags. A flag and its
// value are one item of an associative operator, so the scan of scan_tiles.cuh does the work.
#pragma once

#include "kleene/streaming/cuda/tiles/scan_tiles.cuh"

namespace kleene::streaming {

// A stretch of items: how many have the head flag, and the sum of the items from the last of those on.
template <class T>
struct flagged_sum {
  index_t heads;
  T value;
};
template <class Op>
struct flagged_sum_op {
  Op op;
  template <class T>
  __device__ flagged_sum<T> operator()(const flagged_sum<T>& a, const flagged_sum<T>& b) const {
    return {a.heads + b.heads, b.heads > 0 ? b.value : op(a.value, b.value)};
  }
};

// Head flags of items, by their keys or as given. Item 0 always has one.
template <class Keys, class Equal>
struct head_flags_of_keys {
  Keys keys;
  Equal equal;
  __device__ bool operator()(index_t i) const { return i == 0 || !equal(keys[i - 1], keys[i]); }
};
template <class Flags>
struct head_flags_given {
  Flags flags;
  __device__ bool operator()(index_t i) const { return i == 0 || flags[i]; }
};

template <class T, class IsHead, class Values>
struct flagged_items {
  using value_type = flagged_sum<T>;
  using difference_type = index_t;
  IsHead is_head;
  Values values;
  index_t at = 0;
  __device__ flagged_items operator+(index_t n) const { return {is_head, values, at + n}; }
  __device__ flagged_sum<T> operator[](index_t i) const { return {is_head(at + i), static_cast<T>(values[at + i])}; }
};

// Inclusive scans write the value.
template <class Out>
struct value_of_run {
  Out out;
  struct reference {
    Out out;
    index_t i;
    template <class T>
    __device__ void operator=(const flagged_sum<T>& h) const {
      out[i] = h.value;
    }
  };
  __host__ __device__ value_of_run operator+(index_t n) const { return {out + n}; }
  __device__ reference operator[](index_t i) const { return {out, i}; }
};

// Exclusive scans write init combined with what the run has before the item.
template <class T, class Op>
struct run_before {
  T init;
  Op op;
  __device__ flagged_sum<T> operator()(const flagged_sum<T>& before, const flagged_sum<T>& item) const {
    return {0, item.heads > 0 ? init : op(init, before.value)};
  }
};

template <class Grain, class IsHead, class Values, class Out, class Op>
Out scan_runs(const context& ctx, IsHead is_head, Values values, index_t count, Out out, Op op) {
  using T = std::iter_value_t<Values>;
  scan_on_cuda<Grain, false>(ctx, flagged_items<T, IsHead, Values>{is_head, values}, count, value_of_run<Out>{out},
                             flagged_sum<T>{}, flagged_sum_op<Op>{op});
  return out + count;
}

template <class Grain, class IsHead, class Values, class Out, class T, class Op>
Out scan_runs_before(const context& ctx, IsHead is_head, Values values, index_t count, Out out, T init, Op op) {
  scan_on_cuda<Grain, true>(ctx, flagged_items<T, IsHead, Values>{is_head, values}, count, value_of_run<Out>{out},
                            flagged_sum<T>{0, init}, flagged_sum_op<Op>{op}, run_before<T, Op>{init, op});
  return out + count;
}

// One result a run: of the scan, the last item of each run is kept. results.start(run, i) is told of each run's first
// item, results.end(run, value) what it comes to.
template <class IsHead, class Results, class Count>
struct last_of_run {
  IsHead is_head;
  Results results;
  index_t items;
  Count count;
  index_t at = 0;
  struct reference {
    const last_of_run& to;
    index_t i;
    template <class T>
    __device__ void operator=(const flagged_sum<T>& h) const {
      if (to.is_head(i)) to.results.start(h.heads - 1, i);
      const bool last = i + 1 == to.items;
      if (last || to.is_head(i + 1)) to.results.end(h.heads - 1, h.value);
      if (last) *to.count = h.heads;
    }
  };
  __host__ __device__ last_of_run operator+(index_t n) const { return {is_head, results, items, count, at + n}; }
  __device__ reference operator[](index_t i) const { return {*this, at + i}; }
};

template <class Grain, class T, class IsHead, class Values, class Results, class Count, class Op>
void reduce_runs(const context& ctx, IsHead is_head, Values values, index_t items, Results results, Count count,
                 Op op) {
  if (items == 0) return launch(ctx, write_zero<Count>, 1, 1, count);
  scan_on_cuda<Grain, false>(ctx, flagged_items<T, IsHead, Values>{is_head, values}, items,
                             last_of_run<IsHead, Results, Count>{is_head, results, items, count}, flagged_sum<T>{},
                             flagged_sum_op<Op>{op});
}

template <class Keys, class KeysOut, class ValuesOut>
struct keyed_results {
  Keys keys;
  KeysOut keys_out;
  ValuesOut values_out;
  __device__ void start(index_t run, index_t i) const { keys_out[run] = keys[i]; }
  template <class T>
  __device__ void end(index_t run, const T& value) const {
    values_out[run] = value;
  }
};

}  // namespace kleene::streaming
