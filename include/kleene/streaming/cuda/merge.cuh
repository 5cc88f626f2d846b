// Merging on CUDA devices. A tile of the output a block: its share of both inputs comes to shared memory, each thread
// finds its own share (merge path) and merges it like the sequential algorithm, into registers; the tile goes out in
// one piece.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"
#include "kleene/streaming/merge.hpp"

#include <utility>

namespace kleene {
namespace streaming {

// In the place of values where there are keys alone.
struct no_values {
  __host__ __device__ no_values operator+(index_t) const { return {}; }
};

inline constexpr two_sequences<no_values, no_values> nothing_to_carry{};
template <class V>
inline constexpr std::size_t value_bytes = sizeof(std::iter_value_t<V>);
template <>
inline constexpr std::size_t value_bytes<no_values> = 0;
template <class V>
struct value_of {
  using type = std::iter_value_t<V>;
};
template <>
struct value_of<no_values> {
  using type = char;
};

// What to merge at item `first` of the output: always the same two sequences, whose merge begins at 0.
template <class A, class B, class AV, class BV>
struct one_merge {
  two_sequences<A, B> keys;
  two_sequences<AV, BV> values;
  index_t limit;

  __device__ const two_sequences<A, B>& keys_at(index_t) const { return keys; }
  __device__ const two_sequences<AV, BV>& values_at(index_t) const { return values; }
  __device__ index_t limit_at(index_t) const { return limit; }
  __device__ index_t begin_at(index_t) const { return 0; }
};

// The values of the thread's merged keys, each from where its key was: where[i] is the shared address of key i.
template <int Values, class T, class V>
__device__ __forceinline__ void gather_values(V (&value)[Values], const unsigned (&where)[Values], int diagonal,
                                              int count, const T* a, const T* b, const V* a_values, const V* b_values) {
  const unsigned first_a = gpu::shared_address(a), first_b = gpu::shared_address(b);
#pragma unroll
  for (int i = 0; i < Values; ++i)
    if (diagonal + i < count)
      value[i] =
          where[i] < first_b ? a_values[(where[i] - first_a) / sizeof(T)] : b_values[(where[i] - first_b) / sizeof(T)];
}

template <class Grain, class Work, class Out, class OutV, class Less>
__global__ void __launch_bounds__(Grain::threads)
    merge_tiles(Work work, const index_t* cuts, Out out, OutV values_out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  constexpr bool has_values = !std::is_same_v<OutV, no_values>;
  using T = std::iter_value_t<decltype(work.keys.a)>;
  using V = typename value_of<OutV>::type;
  __shared__ two_tile_buffer<T, size> buffer;
  __shared__ two_tile_buffer<V, has_values ? size : 0> value_buffer;
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(buffer) + (has_values ? sizeof(value_buffer) : 0)>::fits);
  set_up(&arrived, has_values ? 4 : 2);
  gpu::grid_dependency_wait();

  const index_t first = static_cast<index_t>(blockIdx.x) * size, begin = work.begin_at(first);
  const auto keys = work.keys_at(first);
  cuts = cuts_of_block(keys, work.limit_at(first), first - begin, size, cuts, less);
  const tile_of_two tile(keys, work.limit_at(first), cuts, first - begin, size);
  const auto [a, b] =
      buffer.template start_load<threads>(keys, tile.a_first, tile.a_count, tile.b_first, tile.b_count, &arrived);
  [[maybe_unused]] typename decltype(value_buffer)::tile_pointers values{};
  if constexpr (has_values)
    values = value_buffer.template start_load<threads>(work.values_at(first), tile.a_first, tile.a_count, tile.b_first,
                                                       tile.b_count, &arrived);
  finish_load_tile(&arrived);

  const int diagonal = min(static_cast<int>(threadIdx.x) * grain, tile.count());
  const int a_at = merge_path(a, tile.a_count, b, tile.b_count, diagonal, less);
  T key[grain];
  unsigned where[grain];
  merge_in_shared(a, tile.a_count, b, tile.b_count, a_at, diagonal - a_at, key, where, less);
  [[maybe_unused]] V value[grain];
  if constexpr (has_values) gather_values(value, where, diagonal, tile.count(), a, b, values.a, values.b);

  __syncthreads();  // results go to the inputs' buffer
  T* const merged = buffer.first(out + first);
  [[maybe_unused]] V* const merged_values = value_buffer.first(values_out + first);
#pragma unroll
  for (int i = 0; i < grain; ++i)
    if (diagonal + i < tile.count()) {
      merged[diagonal + i] = key[i];
      if constexpr (has_values) merged_values[diagonal + i] = value[i];
    }
  store_tile<threads>(out + first, merged, tile.count());
  if constexpr (has_values) store_tile<threads>(values_out + first, merged_values, tile.count());
}

// The first `limit` items of the merge.
template <class Grain, class A, class AV, class B, class BV, class Out, class OutV, class Less>
void merge_on_cuda(const context& ctx, two_sequences<A, B> keys, two_sequences<AV, BV> values, index_t limit, Out out,
                   OutV values_out, Less less) {
  static_assert(std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>, "both inputs hold the same type");
  using G = chosen_grain<Grain, merge_grain<sizeof(std::iter_value_t<A>) + value_bytes<AV>>>;
  constexpr int size = G::threads * G::values;
  const index_t tiles = ceil_div(limit, size);
  if (tiles == 0) return;
  const index_t* const cuts = blocks_cut(ctx, tiles) ? nullptr : cut_on_cuda(ctx, keys, limit, size, less);
  using work = one_merge<A, B, AV, BV>;
  launch(ctx, merge_tiles<G, work, Out, OutV, Less>, tiles, G::threads, work{keys, values, limit}, cuts, out,
         values_out, less);
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct merges {
  template <class A, class B, class Out, class Less>
  static Out merge(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less) {
    const streaming::two_sequences<A, B> keys{a, detail::length_of(a, a_last), b, detail::length_of(b, b_last)};
    streaming::merge_on_cuda<Grain>(ctx, keys, streaming::nothing_to_carry, keys.count(), out, streaming::no_values{},
                                    less);
    return out + keys.count();
  }

  template <class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut, class Less>
  static std::pair<KeysOut, ValuesOut> merge_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                                    BValues b_values, KeysOut keys_out, ValuesOut values_out,
                                                    Less less) {
    const streaming::two_sequences<A, B> keys{a, detail::length_of(a, a_last), b, detail::length_of(b, b_last)};
    const streaming::two_sequences<AValues, BValues> values{a_values, keys.a_count, b_values, keys.b_count};
    streaming::merge_on_cuda<Grain>(ctx, keys, values, keys.count(), keys_out, values_out, less);
    return {keys_out + keys.count(), values_out + keys.count()};
  }

  template <class A, class B, class Out, class Less>
  static Out merge_smallest(const context& ctx, A a, A a_last, B b, B b_last, index_t k, Out out, Less less) {
    const streaming::two_sequences<A, B> keys{a, detail::length_of(a, a_last), b, detail::length_of(b, b_last)};
    const index_t limit = std::min(detail::require_count("items asked for", k), keys.count());
    streaming::merge_on_cuda<Grain>(ctx, keys, streaming::nothing_to_carry, limit, out, streaming::no_values{}, less);
    return out + limit;
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::merges, cuda::merges<Grain>> machines_of(family<cpu::merges, Grain>);

}  // namespace detail
}  // namespace kleene
