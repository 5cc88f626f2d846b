// Set operations on CUDA devices: the host's side of set_tiles.cuh.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/set_tiles.cuh"
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
  const index tiles = ceil_div(s.count(), size);
  if (tiles == 0) return launch(ctx, write_zero<Count>, 1, 1, count);
  gpu::workspace_layout layout;
  const auto cuts_at = layout.add<path_point>(tiles + 1);
  const auto taken_at = layout.add<unsigned long long>(1);
  void* const memory = ctx.workspace(layout.bytes());
  auto* const cuts = cuts_at.in(memory);
  auto* const taken = taken_at.in(memory);
  launch(ctx, balanced_cuts<A, B, Less>, ceil_div(tiles + 1, cut_threads), cut_threads, s, index{size}, tiles, cuts,
         taken, less);
  const auto kernel = set_tiles<G, Kind, A, B, To, Count, Less>;
  int blocks_each = 0;  // as many as fit: each takes tile after tile
  {
    const gpu::on_device here(ctx.device()->ordinal);
    gpu::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, G::threads, 0), "sizing a launch");
  }
  const index workers = std::max(index{blocks_each} * ctx.device()->multiprocessors - 1, index{1});
  launch(ctx, kernel, 1 + std::min(tiles, workers), G::threads, s, cuts, tiles, taken, to, count,
         tile_scan::make(ctx, tiles), less);
}

// The same with the count copied to the host.
template <class Grain, set_kind Kind, class A, class B, class To, class Less>
index counted_sets_on_cuda(const context& ctx, A a, A a_last, B b, B b_last, To to, Less less) {
  const auto count = ctx.temporary(sizeof(index));
  sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, to, static_cast<index*>(count.get()), less);
  return fetch(ctx, static_cast<const index*>(count.get()));
}

}  // namespace streaming

inline namespace cuda {

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A>
Out set_intersection(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_intersection_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  if (ctx.kind() == device_kind::cpu) *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A>
index set_intersection_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A>
std::pair<KeysOut, ValuesOut> set_intersection_by_key(const context& ctx, A a, A a_last, AValues a_values, B b,
                                                      B b_last, BValues b_values, KeysOut keys_out,
                                                      ValuesOut values_out, Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
  const index count =
      ctx.kind() == device_kind::cpu
          ? cpu::set_operation_by_key<kind>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less)
          : streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, to, less);
  return {keys_out + count, values_out + count};
}

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A>
Out set_union(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_union_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  if (ctx.kind() == device_kind::cpu) *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A>
index set_union_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A>
std::pair<KeysOut, ValuesOut> set_union_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                               BValues b_values, KeysOut keys_out, ValuesOut values_out,
                                               Less less = {}) {
  constexpr auto kind = set_kind::union_;
  const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
  const index count =
      ctx.kind() == device_kind::cpu
          ? cpu::set_operation_by_key<kind>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less)
          : streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, to, less);
  return {keys_out + count, values_out + count};
}

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A>
Out set_difference(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_difference_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  if (ctx.kind() == device_kind::cpu) *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A>
index set_difference_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A>
std::pair<KeysOut, ValuesOut> set_difference_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                                    BValues b_values, KeysOut keys_out, ValuesOut values_out,
                                                    Less less = {}) {
  constexpr auto kind = set_kind::difference;
  const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
  const index count =
      ctx.kind() == device_kind::cpu
          ? cpu::set_operation_by_key<kind>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less)
          : streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, to, less);
  return {keys_out + count, values_out + count};
}

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A>
Out set_symmetric_difference(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  constexpr auto kind = set_kind::symmetric_difference;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_symmetric_difference_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count,
                                 Less less = {}) {
  constexpr auto kind = set_kind::symmetric_difference;
  if (ctx.kind() == device_kind::cpu) *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A>
index set_symmetric_difference_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::symmetric_difference;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A>
std::pair<KeysOut, ValuesOut> set_symmetric_difference_by_key(const context& ctx, A a, A a_last, AValues a_values, B b,
                                                              B b_last, BValues b_values, KeysOut keys_out,
                                                              ValuesOut values_out, Less less = {}) {
  constexpr auto kind = set_kind::symmetric_difference;
  const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
  const index count =
      ctx.kind() == device_kind::cpu
          ? cpu::set_operation_by_key<kind>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less)
          : streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, to, less);
  return {keys_out + count, values_out + count};
}

}  // namespace cuda
}  // namespace kleene
