// Scans on CUDA devices: the kernel is in scan_tiles.cuh, the forms by key in runs.cuh.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/order.hpp"
#include "kleene/streaming/cuda/runs.cuh"
#include "kleene/streaming/cuda/tiles/scan_tiles.cuh"
#include "kleene/streaming/scan.hpp"

namespace kleene {

namespace detail::cuda {

template <class Grain>
struct scans {
  template <class In, class Out, class Op>
  static Out inclusive_scan(const context& ctx, In first, In last, Out out, Op op) {
    using T = std::iter_value_t<In>;
    return streaming::scan_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), out, T{}, op);
  }

  template <class In, class Out, class T, class Op>
  static Out exclusive_scan(const context& ctx, In first, In last, Out out, T init, Op op) {
    return streaming::scan_on_cuda<Grain, true>(ctx, first, detail::length_of(first, last), out, init, op);
  }

  template <class Keys, class Values, class Out, class Op, class Equal>
  static Out inclusive_scan_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, Out out, Op op,
                                   Equal equal) {
    const streaming::heads_of_keys<Keys, Equal> is_head{keys, equal};
    return streaming::scan_runs<Grain>(ctx, is_head, values, detail::length_of(keys, keys_last), out, op);
  }

  template <class Keys, class Values, class Out, class T, class Op, class Equal>
  static Out exclusive_scan_by_key(const context& ctx, Keys keys, Keys keys_last, Values values, Out out, T init, Op op,
                                   Equal equal) {
    const streaming::heads_of_keys<Keys, Equal> is_head{keys, equal};
    return streaming::scan_runs_before<Grain>(ctx, is_head, values, detail::length_of(keys, keys_last), out, init, op);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::scans, cuda::scans<Grain>> machines_of(family<cpu::scans, Grain>);

}  // namespace detail
}  // namespace kleene
