// Scans on CUDA devices: the kernel is in scan_tiles.cuh, the forms by key in runs.cuh.
#pragma once

#include "kleene/streaming/cuda/runs.cuh"
#include "kleene/streaming/cuda/scan_tiles.cuh"
#include "kleene/streaming/scan.hpp"

namespace kleene {

inline namespace cuda {

template <class Grain = tuned, class In, class Out, class Op = ops::plus>
requires any_machine<In>
Out inclusive_scan(const context& ctx, In first, In last, Out out, Op op = {}) {
  if (ctx.kind() == device_kind::cpu) return cpu::inclusive_scan(ctx, first, last, out, op);
  using T = std::iter_value_t<In>;
  return streaming::scan_on_cuda<Grain, false>(ctx, first, detail::length_of(first, last), out, T{}, op);
}

template <class Grain = tuned, class In, class Out, class T, class Op = ops::plus>
requires any_machine<In>
Out exclusive_scan(const context& ctx, In first, In last, Out out, T init, Op op = {}) {
  if (ctx.kind() == device_kind::cpu) return cpu::exclusive_scan(ctx, first, last, out, init, op);
  return streaming::scan_on_cuda<Grain, true>(ctx, first, detail::length_of(first, last), out, init, op);
}

}  // namespace cuda
}  // namespace kleene
