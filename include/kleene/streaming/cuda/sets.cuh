// Set operations on CUDA devices: the host's side of set_tiles.cuh.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/tiles/set_tiles.cuh"
#include "kleene/streaming/sets.hpp"

#include <algorithm>

namespace kleene {
namespace streaming {

// The operation, its count left at *count.
template <class Grain, set_kind Kind, class A, class B, class To, class Count, class Less>
void sets_on_cuda(const context& ctx, A a, A a_last, B b, B b_last, To to, Count count, Less less) {
  static_assert(std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>, "both sequences hold the same type");
  using G = chosen_grain<Grain, set_grain<sizeof(std::iter_value_t<A>)>>;
  constexpr int size = G::threads * G::values;
  const two_sequences<A, B> s{a, kleene::detail::length_of(a, a_last), b, kleene::detail::length_of(b, b_last)};
  const index_t tiles = ceil_div(s.count(), size);
  if (tiles == 0) return launch(ctx, write_zero<Count>, 1, 1, count);
  gpu::workspace_layout layout;
  const auto cuts_at = layout.add<path_point>(tiles + 1);
  const auto taken_at = layout.add<unsigned long long>(1);
  void* const memory = ctx.workspace(layout.bytes());
  auto* const cuts = cuts_at.in(memory);
  auto* const taken = taken_at.in(memory);
  launch(ctx, balanced_cuts<A, B, Less>, ceil_div(tiles + 1, cut_threads), cut_threads, s, index_t{size}, tiles, cuts,
         taken, less);
  const auto kernel = set_tiles<G, Kind, A, B, To, Count, Less>;
  int blocks_each = 0;  // as many as fit: each takes tile after tile
  {
    const gpu::on_device here(ctx.device()->ordinal);
    gpu::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, G::threads, 0), "sizing a launch");
  }
  const index_t workers = std::max(index_t{blocks_each} * ctx.device()->multiprocessors - 1, index_t{1});
  launch(ctx, kernel, 1 + std::min(tiles, workers), G::threads, s, cuts, tiles, taken, to, count,
         tile_scan::make(ctx, tiles), less);
}

// The same with the count copied to the host.
template <class Grain, set_kind Kind, class A, class B, class To, class Less>
index_t counted_sets_on_cuda(const context& ctx, A a, A a_last, B b, B b_last, To to, Less less) {
  const auto count = ctx.temporary(sizeof(index_t));
  sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, to, static_cast<index_t*>(count.get()), less);
  return fetch(ctx, static_cast<const index_t*>(count.get()));
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct set_operations {
  // Each returns the size of the result, or leaves it at *count.
  template <set_kind Kind, class A, class B, class Out, class Less>
  static index_t write(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less) {
    return streaming::counted_sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
  }

  template <set_kind Kind, class A, class B, class Out, class Count, class Less>
  static void write_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less) {
    streaming::sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
  }

  template <set_kind Kind, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut, class Less>
  static index_t write_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last, BValues b_values,
                              KeysOut keys_out, ValuesOut values_out, Less less) {
    const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
    return streaming::counted_sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, to, less);
  }

  template <set_kind Kind, class A, class B, class Less>
  static index_t count(const context& ctx, A a, A a_last, B b, B b_last, Less less) {
    return streaming::counted_sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::set_operations, cuda::set_operations<Grain>> machines_of(family<cpu::set_operations, Grain>);

}  // namespace detail
}  // namespace kleene
