// Sorted search on CUDA devices: a tile of the merge of both sequences a block, so that what a tile's items are looked
// up in is a stretch of the other sequence, in shared memory. (Instructions an item where a quarter of the items are
// looked up: walking along the merge and noting the side of each step 53; each thread some adjacent items, each from
// where the last one was, 44, as lanes part ways; halving in step with each other, as here, least.)
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/search_outputs.hpp"
#include "kleene/streaming/base/tuning.hpp"
#include "kleene/streaming/cuda/tiles/merge_path.cuh"
#include "kleene/streaming/search.hpp"

namespace kleene {
namespace streaming {

// at[k] = how many of y[0 .. count) come before key[k]: those below it, and with Ties those equal to it. All threads
// take the same steps, for several keys at once.
template <bool Ties, int Batch, class T, class Less>
__device__ __forceinline__ void look_up(int (&at)[Batch], const T (&key)[Batch], const T* y, int count,
                                        const Less& less) {
  const auto before = [&](const T& item, const T& k) { return Ties ? !less(k, item) : less(item, k); };
  const T* from[Batch];
#pragma unroll
  for (int k = 0; k < Batch; ++k) from[k] = y;
  int left = count;
  for (; left > 1; left -= left >> 1) {
    const int half = left >> 1;
#pragma unroll
    for (int k = 0; k < Batch; ++k)
      if (before(from[k][half - 1], key[k])) from[k] += half;
  }
  // The difference of shared addresses: that of pointers would make the loop carry 64 bits of each.
  const unsigned first = gpu::shared_address(y);
#pragma unroll
  for (int k = 0; k < Batch; ++k)
    at[k] =
        static_cast<int>((gpu::shared_address(from[k]) - first) / sizeof(T)) + (left > 0 && before(*from[k], key[k]));
}

// found(i, how many of y come before x[i]) for the thread's share of x.
template <bool Ties, int Threads, int Batch = 4, class T, class Less, class Found>
__device__ __forceinline__ void look_up_all(const T* x, int x_count, const T* y, int y_count, const Less& less,
                                            const Found& found) {
  for (int first = static_cast<int>(threadIdx.x); first < x_count; first += Batch * Threads) {
    T key[Batch];
    int at[Batch];
#pragma unroll
    for (int k = 0; k < Batch; ++k) key[k] = x[min(first + k * Threads, x_count - 1)];
    look_up<Ties>(at, key, y, y_count, less);
#pragma unroll
    for (int k = 0; k < Batch; ++k)
      if (first + k * Threads < x_count) found(first + k * Threads, at[k]);
  }
}

template <class Out>
inline constexpr bool wanted = !std::is_same_v<Out, no_output>;

// What is known of item i of x, given that `before` items of y come before it: all below it are among them (`ties`
// false), or all that are not above it (`ties` true).
template <bool Ties, class X, class Y, class Lower, class Upper, class Found, class Less>
__device__ __forceinline__ void write_answers(X x, Y y, index_t y_count, index_t i, index_t before, Lower lower,
                                              Upper upper, Found found, const Less& less) {
  if constexpr (wanted<Found> || wanted<std::conditional_t<Ties, Lower, Upper>>) {
    const auto key = x[i];
    bool has;
    if constexpr (Ties) has = before > 0 && !less(y[before - 1], key);
    else has = before < y_count && !less(key, y[before]);
    if constexpr (wanted<Found>) found[i] = has;
    if constexpr (Ties && wanted<Lower>) lower[i] = has ? run_start(y, before, key, less) : before;
    if constexpr (!Ties && wanted<Upper>) upper[i] = has ? run_end(y, before, y_count, key, less) : before;
  }
  if constexpr (Ties && wanted<Upper>) upper[i] = before;
  if constexpr (!Ties && wanted<Lower>) lower[i] = before;
}

template <class Grain, class A, class B, class Outputs, class Less>
__global__ void __launch_bounds__(Grain::threads)
    search_tiles(two_sequences<A, B> s, const index_t* cuts, Outputs out, Less less) {
  constexpr int threads = Grain::threads, grain = Grain::values, size = threads * grain;
  using T = std::iter_value_t<A>;
  __shared__ two_tile_buffer<T, size> buffer;
  __shared__ gpu::mbarrier arrived;
  static_assert(declared_shared<sizeof(buffer)>::fits);
  set_up(&arrived, 2);
  gpu::grid_dependency_wait();

  const index_t first = index_t{blockIdx.x} * size;
  cuts = cuts_of_block(s, s.count(), first, size, cuts, less);
  const tile_of_two<A, B> tile(s, s.count(), cuts, first, size);
  const auto [a, b] =
      buffer.template start_load<threads>(s, tile.a_first, tile.a_count, tile.b_first, tile.b_count, &arrived);
  finish_load_tile(&arrived);

  using O = Outputs;
  constexpr bool asks_a = wanted<decltype(O::a_lower)> || wanted<decltype(O::a_upper)> || wanted<decltype(O::a_found)>;
  constexpr bool asks_b = wanted<decltype(O::b_lower)> || wanted<decltype(O::b_upper)> || wanted<decltype(O::b_found)>;
  if constexpr (asks_a)
    look_up_all<false, threads>(a, tile.a_count, b, tile.b_count, less, [&](int i, int before) {
      write_answers<false>(s.a, s.b, s.b_count, tile.a_first + i, tile.b_first + before, out.a_lower, out.a_upper,
                           out.a_found, less);
    });
  if constexpr (asks_b)
    look_up_all<true, threads>(b, tile.b_count, a, tile.a_count, less, [&](int j, int before) {
      write_answers<true>(s.b, s.a, s.a_count, tile.b_first + j, tile.a_first + before, out.b_lower, out.b_upper,
                          out.b_found, less);
    });
}

template <class Grain, class A, class B, class Outputs, class Less>
void search_on_cuda(const context& ctx, A a, index_t a_count, B b, index_t b_count, Outputs outputs, Less less) {
  static_assert(std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>>, "both sequences hold the same type");
  using G = chosen_grain<Grain, search_grain<sizeof(std::iter_value_t<A>)>>;
  const two_sequences<A, B> s{a, a_count, b, b_count};
  const index_t tiles = ceil_div(s.count(), G::threads * G::values);
  if (tiles == 0) return;
  const index_t* const cuts =
      blocks_cut(ctx, tiles) ? nullptr : cut_on_cuda(ctx, s, s.count(), G::threads * G::values, less);
  launch(ctx, search_tiles<G, A, B, Outputs, Less>, tiles, G::threads, s, cuts, outputs, less);
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct searches {
  template <class A, class B, class Outputs, class Less>
  static void sorted_search(const context& ctx, A a, A a_last, B b, B b_last, Outputs outputs, Less less) {
    streaming::search_on_cuda<Grain>(ctx, a, detail::length_of(a, a_last), b, detail::length_of(b, b_last), outputs,
                                     less);
  }

  template <class Needles, class Hay, class Out, class Less>
  static void lower_bound(const context& ctx, Needles needles, Needles needles_last, Hay hay, Hay hay_last, Out out,
                          Less less) {
    const index_t count = detail::length_of(needles, needles_last), size = detail::length_of(hay, hay_last);
    streaming::search_on_cuda<Grain>(ctx, needles, count, hay, size, search_outputs<Out>{out}, less);
  }

  template <class Needles, class Hay, class Out, class Less>
  static void upper_bound(const context& ctx, Needles needles, Needles needles_last, Hay hay, Hay hay_last, Out out,
                          Less less) {
    search_outputs<no_output, no_output, no_output, Out> outputs;
    outputs.b_upper = out;
    const index_t count = detail::length_of(needles, needles_last), size = detail::length_of(hay, hay_last);
    streaming::search_on_cuda<Grain>(ctx, hay, size, needles, count, outputs, less);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::searches, cuda::searches<Grain>> machines_of(family<cpu::searches, Grain>);

}  // namespace detail
}  // namespace kleene
