// Set operations on CUDA devices: one kernel after the cuts. Cuts of tiles and of threads are balanced paths, so every
// thread has whole pairs of equal items and works like the sequential algorithm; it notes in two bits a step which side
// it takes from. Counts of threads and tiles are scanned on the way (block_scan, chain), so results go straight to
// their places.
#pragma once

#include "kleene/streaming/block_scan.cuh"
#include "kleene/streaming/chain.cuh"
#include "kleene/streaming/merge_path.cuh"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/tuning.hpp"

namespace kleene {
namespace streaming {

template <class A, class B, class Less>
__global__ void balanced_cuts(two_sequences<A, B> s, index tile, index tiles, path_point* cuts, Less less) {
  kernels::cuda::wait_for_predecessors();
  const index first = static_cast<index>(blockIdx.x) * cut_threads, t = first + threadIdx.x;
  const index at = min(t * tile, s.count());
  const index cut =
      block_cuts(s, min(first * tile, s.count()), min((first + cut_threads - 1) * tile, s.count()), at, less);
  if (t <= tiles) cuts[t] = balanced_path_from(s.a, s.a_count, s.b, s.b_count, at, cut, less);
  kernels::cuda::dependents_may_start();
}

// Steps of a walk: whether each takes an item of a, of b, or one of both.
struct taken {
  unsigned a = 0, b = 0;

  // Which of them stay.
  template <set_kind Kind>
  __device__ unsigned kept() const {
    if constexpr (Kind == set_kind::intersection)
      return a & b;
    else if constexpr (Kind == set_kind::union_)
      return a | b;
    else if constexpr (Kind == set_kind::difference)
      return a & ~b;
    else
      return a ^ b;
  }
};

template <int Steps, class T, class Less>
__device__ __forceinline__ taken walk_sets(const T* a, const T* b, point_of_path<int> at, point_of_path<int> end,
                                           const Less& less) {
  static_assert(Steps <= 32, "one bit a step");
  const T *next_of_a = a + at.a, *next_of_b = b + at.b;
  const T *const a_end = a + end.a, *const b_end = b + end.b;
  T x = *next_of_a, y = *next_of_b;
  taken result;
#pragma unroll
  for (int step = 0; step < Steps; ++step) {
    const bool no_a = next_of_a >= a_end, no_b = next_of_b >= b_end;
    const bool take_a = !no_a && (no_b || !less(y, x)), take_b = !no_b && (no_a || !less(x, y));
    if (take_a) {
      result.a |= 1u << step;
      x = *++next_of_a;
    }
    if (take_b) {
      result.b |= 1u << step;
      y = *++next_of_b;
    }
  }
  return result;
}

// Where a set operation leaves its items: keys alone, keys with values, or nothing but their number.
struct no_items {};
template <class Out>
struct keys_out {
  Out out;
};
template <class AV, class BV, class Out, class OutV>
struct pairs_out {
  Out out;
  AV a_values;
  BV b_values;
  OutV values_out;
};

template <class Grain, set_kind Kind, class A, class B, class To, class Count, class Less>
__global__ void __launch_bounds__(Grain::threads)
    set_tiles(two_sequences<A, B> s, const path_point* cuts, To to, Count count, chain<index> tiles, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain, steps = grain + 1;
  using T = std::iter_value_t<A>;
  using sums = block_scan<int, threads>;
  constexpr bool writes = !std::is_same_v<To, no_items>, carries = requires(To t) { t.values_out; };
  __shared__ room_for_two<T, size + 1> room;
  __shared__ unsigned short sources[writes ? size + 1 : 1];  // of kept items: their numbers, through a and then b
  __shared__ int thread_cuts[threads + 1][2];
  __shared__ typename sums::storage shared;
  __shared__ index left;
  __shared__ barrier arrived;
  set_up(&arrived, 2);
  kernels::cuda::wait_for_predecessors();

  const path_point first = cuts[blockIdx.x], last = cuts[blockIdx.x + 1];
  const int a_count = static_cast<int>(last.a - first.a), b_count = static_cast<int>(last.b - first.b);
  const auto [a, b] = room.template bring<threads>(s.a + first.a, a_count, s.b + first.b, b_count, &arrived);
  finish_bringing(&arrived);

  const int thread = static_cast<int>(threadIdx.x), all = a_count + b_count;
  const point_of_path<int> at = thread * grain < all ? balanced_path(a, a_count, b, b_count, thread * grain, less)
                                                     : point_of_path<int>{a_count, b_count};
  thread_cuts[thread][0] = at.a;
  thread_cuts[thread][1] = at.b;
  if (thread == 0) {
    thread_cuts[threads][0] = a_count;
    thread_cuts[threads][1] = b_count;
  }
  __syncthreads();
  const point_of_path<int> end{thread_cuts[thread + 1][0], thread_cuts[thread + 1][1]};
  const taken walk = walk_sets<steps>(a, b, at, end, less);
  const unsigned kept = walk.template kept<Kind>();

  int place = sums::exclusive(shared, __popc(kept), ops::plus{});
  const int total = sums::total(shared, ops::plus{});
  if (thread == 0) place = 0;
  if constexpr (writes) {
    int i = at.a, j = at.b;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const bool from_a = walk.a >> step & 1;
      if (kept >> step & 1) sources[place++] = static_cast<unsigned short>(from_a ? i : a_count + j);
      i += from_a;
      j += walk.b >> step & 1;
    }
  }
  if (thread < warp_size) {
    const index before = tiles.before(blockIdx.x, total, ops::plus{});
    if (thread == 0) {
      left = blockIdx.x > 0 ? before : 0;
      if (blockIdx.x == gridDim.x - 1) *count = left + total;
    }
  }
  if constexpr (writes) {
    __syncthreads();
    for (int k = thread; k < total; k += threads) {
      const int from = sources[k];
      const bool from_a = from < a_count;
      to.out[left + k] = from_a ? a[from] : b[from - a_count];
      if constexpr (carries) {
        if (from_a)
          to.values_out[left + k] = to.a_values[first.a + from];
        else
          to.values_out[left + k] = to.b_values[first.b + from - a_count];
      }
    }
  }
}

template <class Grain, set_kind Kind, class A, class B, class To, class Count, class Less>
void sets_on_cuda(const context& ctx, A a, A a_last, B b, B b_last, To to, Count count, Less less) {
  static_assert(std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>, "both sequences hold the same type");
  using G = chosen_grain<Grain, set_grain<sizeof(std::iter_value_t<A>)>>;
  constexpr int size = G::threads * G::values;
  const two_sequences<A, B> s{a, a_last - a, b, b_last - b};
  const index tiles = tiles_of(s.count(), size);
  if (tiles == 0) return launch(ctx, write_zero<Count>, 1, 1, count);
  path_point* const cuts = static_cast<path_point*>(ctx.workspace((tiles + 1) * sizeof(path_point) + sizeof(index)));
  launch(ctx, balanced_cuts<A, B, Less>, tiles_of(tiles + 1, cut_threads), cut_threads, s, index{size}, tiles, cuts,
         less);
  launch(ctx, set_tiles<G, Kind, A, B, To, Count, Less>, tiles, G::threads, s, cuts, to, count,
         chain<index>::make(ctx, tiles), less);
}

// The same with the count brought to the host.
template <class Grain, set_kind Kind, class A, class B, class To, class Less>
index counted_sets_on_cuda(const context& ctx, A a, A a_last, B b, B b_last, To to, Less less) {
  const auto count = ctx.temporary(sizeof(index));
  sets_on_cuda<Grain, Kind>(ctx, a, a_last, b, b_last, to, static_cast<index*>(count.get()), less);
  return fetch(ctx, static_cast<const index*>(count.get()));
}

}  // namespace streaming

inline namespace cuda {

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A> Out set_intersection(const context& ctx, A a, A a_last, B b, B b_last, Out out,
                                             Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_intersection_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  if (ctx.kind() == device_kind::cpu)
    *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else
    streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A> index set_intersection_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::intersection;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A> std::pair<KeysOut, ValuesOut> set_intersection_by_key(const context& ctx, A a, A a_last,
                                                                              AValues a_values, B b, B b_last,
                                                                              BValues b_values, KeysOut keys_out,
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
requires any_machine<A> Out set_union(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_union_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  if (ctx.kind() == device_kind::cpu)
    *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else
    streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A> index set_union_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A> std::pair<KeysOut, ValuesOut> set_union_by_key(const context& ctx, A a, A a_last,
                                                                       AValues a_values, B b, B b_last,
                                                                       BValues b_values, KeysOut keys_out,
                                                                       ValuesOut values_out, Less less = {}) {
  constexpr auto kind = set_kind::union_;
  const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
  const index count =
      ctx.kind() == device_kind::cpu
          ? cpu::set_operation_by_key<kind>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less)
          : streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, to, less);
  return {keys_out + count, values_out + count};
}

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A> Out set_difference(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  if (ctx.kind() == device_kind::cpu) return out + cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  return out +
         streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, less);
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less>
requires any_machine<A>
void set_difference_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  if (ctx.kind() == device_kind::cpu)
    *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else
    streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A> index set_difference_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A> std::pair<KeysOut, ValuesOut> set_difference_by_key(const context& ctx, A a, A a_last,
                                                                            AValues a_values, B b, B b_last,
                                                                            BValues b_values, KeysOut keys_out,
                                                                            ValuesOut values_out, Less less = {}) {
  constexpr auto kind = set_kind::difference;
  const streaming::pairs_out<AValues, BValues, KeysOut, ValuesOut> to{keys_out, a_values, b_values, values_out};
  const index count =
      ctx.kind() == device_kind::cpu
          ? cpu::set_operation_by_key<kind>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out, values_out, less)
          : streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, to, less);
  return {keys_out + count, values_out + count};
}

template <class Grain = tuned, class A, class B, class Out, class Less = ops::less>
requires any_machine<A> Out set_symmetric_difference(const context& ctx, A a, A a_last, B b, B b_last, Out out,
                                                     Less less = {}) {
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
  if (ctx.kind() == device_kind::cpu)
    *count = cpu::set_operation<kind>(ctx, a, a_last, b, b_last, out, less);
  else
    streaming::sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::keys_out<Out>{out}, count, less);
}

template <class Grain = tuned, class A, class B, class Less = ops::less>
requires any_machine<A> index set_symmetric_difference_count(const context& ctx, A a, A a_last, B b, B b_last,
                                                             Less less = {}) {
  constexpr auto kind = set_kind::symmetric_difference;
  if (ctx.kind() == device_kind::cpu) return cpu::set_count<kind>(ctx, a, a_last, b, b_last, less);
  return streaming::counted_sets_on_cuda<Grain, kind>(ctx, a, a_last, b, b_last, streaming::no_items{}, less);
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less>
requires any_machine<A> std::pair<KeysOut, ValuesOut> set_symmetric_difference_by_key(
    const context& ctx, A a, A a_last, AValues a_values, B b, B b_last, BValues b_values, KeysOut keys_out,
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
