// Sorts of keys, whole or in segments, with the positions that they came from, on CUDA devices. Whole vectors are
// sorted by radix: half a merge sort's time, and a third with positions.
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/cuda/radix_sort.cuh"
#include "kleene/streaming/cuda/sort.cuh"

#include "device_order.cuh"
#include "device_sequences.hpp"

#include <limits>

namespace kleene::python {

namespace {

constexpr int threads = 256;

__device__ index_t own_index() { return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

template <class P>
__global__ void count_up(P* positions, index_t count) {
  gpu::grid_dependency_wait();
  if (const index_t i = own_index(); i < count) positions[i] = static_cast<P>(i);
}

__global__ void widen(const std::uint32_t* from, std::int64_t* to, index_t count) {
  gpu::grid_dependency_wait();
  if (const index_t i = own_index(); i < count) to[i] = from[i];
}

// Maps keys so that the ascending order of the results is the order that is asked for; a second call maps them back.
// Every NaN becomes the quiet one: compared by their bits, negative ones would stand first.
template <class T>
__global__ void turn(T* keys, index_t count, bool descends) {
  gpu::grid_dependency_wait();
  const index_t i = own_index();
  if (i >= count) return;
  const T key = keys[i];
  if constexpr (std::is_integral_v<T>) keys[i] = ~key;
  else if (key != key) keys[i] = std::numeric_limits<T>::quiet_NaN();
  else if (descends) keys[i] = -key;
}

template <class Kernel, class... Arguments>
void launch_for(const context& ctx, Kernel kernel, index_t count, Arguments... arguments) {
  if (count > 0) streaming::launch(ctx, kernel, ceil_div(count, threads), threads, arguments...);
}

template <class T>
void sort_whole(const context& ctx, bool descends, T* keys, index_t count, std::int64_t* positions) {
  if (descends || std::is_floating_point_v<T>) launch_for(ctx, turn<T>, count, keys, count, descends);
  if (positions == nullptr) {
    radix_sort(ctx, keys, keys + count);
  } else {
    // Half the bytes go along. (Not in the positions' own memory: widening would overwrite what it has still to read.)
    const auto memory = ctx.temporary(count * sizeof(std::uint32_t) + 1);
    auto* const narrow = static_cast<std::uint32_t*>(memory.get());
    launch_for(ctx, count_up<std::uint32_t>, count, narrow, count);
    radix_sort_by_key(ctx, keys, keys + count, narrow);
    launch_for(ctx, widen, count, static_cast<const std::uint32_t*>(narrow), positions, count);
  }
  if (descends) launch_for(ctx, turn<T>, count, keys, count, descends);
}

template <class T>
void sort(const context& ctx, order_on_device less, const plain::ordered_request& r) {
  T* const keys = static_cast<T*>(r.keys);
  const bool is_wide = r.positions && r.count > std::numeric_limits<std::uint32_t>::max();
  if (!r.offsets && !is_wide) return sort_whole(ctx, less.descends, keys, r.count, r.positions);
  if (r.positions == nullptr) return segmented_sort(ctx, keys, keys + r.count, r.offsets, r.segments, less);
  launch_for(ctx, count_up<std::int64_t>, r.count, r.positions, r.count);
  if (r.offsets) segmented_sort_by_key(ctx, keys, keys + r.count, r.positions, r.offsets, r.segments, less);
  else merge_sort_by_key(ctx, keys, keys + r.count, r.positions, less);
}

}  // namespace

index_t sort_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r) {
  with_key_type(type, [&]<class T>(std::type_identity<T>) { sort<T>(ctx, {descends}, r); });
  return r.count;
}

}  // namespace kleene::python
