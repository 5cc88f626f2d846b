// Sorts of keys, whole or in segments, with the positions that they came from, on CUDA devices.
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/cuda/sort.cuh"

#include "device_order.cuh"
#include "device_sequences.hpp"

namespace kleene::python {

namespace {

__global__ void count_up(std::int64_t* positions, index_t count) {
  gpu::grid_dependency_wait();
  const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) positions[i] = i;
}

template <class T>
void sort(const context& ctx, order_on_device less, const plain::ordered_request& r) {
  T* const keys = static_cast<T*>(r.keys);
  if (r.positions == nullptr) {
    if (r.offsets) segmented_sort(ctx, keys, keys + r.count, r.offsets, r.segments, less);
    else merge_sort(ctx, keys, keys + r.count, less);
    return;
  }
  constexpr int threads = 256;
  if (r.count > 0) streaming::launch(ctx, count_up, ceil_div(r.count, threads), threads, r.positions, index_t{r.count});
  if (r.offsets) segmented_sort_by_key(ctx, keys, keys + r.count, r.positions, r.offsets, r.segments, less);
  else merge_sort_by_key(ctx, keys, keys + r.count, r.positions, less);
}

}  // namespace

index_t sort_on_device(const context& ctx, key_type type, bool descends, const plain::ordered_request& r) {
  with_key_type(type, [&]<class T>(std::type_identity<T>) { sort<T>(ctx, {descends}, r); });
  return r.count;
}

}  // namespace kleene::python
