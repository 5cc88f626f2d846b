// Radix sort on CUDA devices: CUB's, which is the best there is (one pass over the data for each digit of eight bits).
// A file of its own, because including CUB costs ten seconds.
#pragma once

#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cuda/launch.cuh"
#include "kleene/streaming/sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <iterator>
#include <memory>

namespace kleene {
namespace streaming {

// The sorted items may end in either of two arrays; call(temporary, bytes) in CUB's manner.
template <class Call>
void radix_sort_with(const context& ctx, Call call) {
  const gpu::on_device here(ctx.device()->ordinal);
  std::size_t bytes = 0;
  gpu::require(call(nullptr, bytes), "asking for a radix sort's memory");
  const auto temporary = ctx.temporary(bytes + 1);
  gpu::require(call(temporary.get(), bytes), "sorting");
}

template <class T>
void copy_back(const context& ctx, T* to, cub::DoubleBuffer<T>& buffer, index_t count) {
  const gpu::on_device here(ctx.device()->ordinal);
  if (buffer.Current() != to)
    gpu::require(cudaMemcpyAsync(to, buffer.Current(), count * sizeof(T), cudaMemcpyDeviceToDevice, stream_of(ctx)),
                 "copying sorted items");
}

}  // namespace streaming

namespace detail::cuda {

template <class Grain>
struct radix_sorts {
  template <class It>
  static void radix_sort(const context& ctx, It first, It last) {
    using T = std::iter_value_t<It>;
    const index_t count = detail::length_of(first, last);
    if (count < 2) return;
    T* const keys = std::to_address(first);
    cub::DoubleBuffer<T> buffer(keys, static_cast<T*>(ctx.workspace(count * sizeof(T))));
    streaming::radix_sort_with(ctx, [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, buffer, count, 0, 8 * static_cast<int>(sizeof(T)),
                                            streaming::stream_of(ctx));
    });
    streaming::copy_back(ctx, keys, buffer, count);
  }

  template <class It, class Values>
  static void radix_sort_by_key(const context& ctx, It first, It last, Values values) {
    using T = std::iter_value_t<It>;
    using V = std::iter_value_t<Values>;
    const index_t count = detail::length_of(first, last);
    if (count < 2) return;
    gpu::workspace_layout layout;
    const auto keys_at = layout.add<T>(count);
    const auto values_at = layout.add<V>(count);
    void* const memory = ctx.workspace(layout.bytes());
    T* const keys = std::to_address(first);
    V* const carried = std::to_address(values);
    cub::DoubleBuffer<T> buffer(keys, keys_at.in(memory));
    cub::DoubleBuffer<V> value_buffer(carried, values_at.in(memory));
    streaming::radix_sort_with(ctx, [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, buffer, value_buffer, count, 0,
                                             8 * static_cast<int>(sizeof(T)), streaming::stream_of(ctx));
    });
    streaming::copy_back(ctx, keys, buffer, count);
    streaming::copy_back(ctx, carried, value_buffer, count);
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::radix_sorts, cuda::radix_sorts<Grain>> machines_of(family<cpu::radix_sorts, Grain>);

}  // namespace detail
}  // namespace kleene
