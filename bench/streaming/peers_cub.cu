// CUB (and Thrust where CUB has nothing).
#include "gpu_timer.cuh"
#include "streaming/peers.hpp"

#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <memory>

namespace kleene::bench::peers {

namespace {

struct less {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct equal {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct sum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct compose {
  __host__ __device__ affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

// F(temporary, bytes) in CUB's manner: asked for the bytes once, then called with them.
template <class F>
peer cub_peer(const char* name, F f) {
  std::size_t bytes = 0;
  require_cuda(f(nullptr, bytes), "asking CUB for its storage");
  void* memory = nullptr;
  require_cuda(cudaMalloc(&memory, bytes + 1), "allocating CUB's storage");
  const std::shared_ptr<void> storage(memory, [](void* p) { cudaFree(p); });
  return {name, [f, storage, bytes]() mutable { require_cuda(f(storage.get(), bytes), "running CUB"); }};
}

cudaStream_t stream_of(const context& ctx) { return static_cast<cudaStream_t>(ctx.stream()); }

// The same for i32 and i64.
template <class T>
peer reduce_items(const context& ctx, const T* in, T* out, index_t n) {
  return cub_peer("cub::DeviceReduce::Sum", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(t, bytes, in, out, n, s);
  });
}
template <class T>
peer merge_items(const context& ctx, const T* a, index_t na, const T* b, index_t nb, T* out) {
  return cub_peer("cub::DeviceMerge::MergeKeys", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceMerge::MergeKeys(t, bytes, a, na, b, nb, out, less{}, s);
  });
}
template <class T>
peer merge_sort_items(const context& ctx, T* keys, index_t n) {
  return cub_peer("cub::DeviceMergeSort::SortKeys", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortKeys(t, bytes, keys, n, less{}, s);
  });
}
template <class T>
peer radix_sort_items(const context& ctx, T* keys, T* spare, index_t n) {
  return cub_peer("cub::DeviceRadixSort::SortKeys", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    cub::DoubleBuffer<T> buffer(keys, spare);
    return cub::DeviceRadixSort::SortKeys(t, bytes, buffer, n, 0, 8 * static_cast<int>(sizeof(T)), s);
  });
}

}  // namespace

peer reduce(const context& ctx, const int* in, int* out, index_t n) { return reduce_items(ctx, in, out, n); }
peer reduce(const context& ctx, const long long* in, long long* out, index_t n) {
  return reduce_items(ctx, in, out, n);
}
peer reduce_by_key(const context& ctx, const int* keys, const int* values, index_t n, int* keys_out, int* out,
                   int* runs) {
  return cub_peer("cub::DeviceReduce::ReduceByKey", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(t, bytes, keys, keys_out, values, out, runs, sum{}, n, s);
  });
}
peer scan_by_key(const context& ctx, const int* keys, const int* values, int* out, index_t n) {
  return cub_peer("cub::DeviceScan::InclusiveSumByKey", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(t, bytes, keys, values, out, static_cast<int>(n), equal{}, s);
  });
}
peer reduce_user(const context& ctx, const int* in, int* out, index_t n) {
  return cub_peer("cub::DeviceReduce::Reduce", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(t, bytes, in, out, n, user_max{}, 0, s);
  });
}
peer scan(const context& ctx, const int* in, int* out, index_t n) {
  return cub_peer("cub::DeviceScan::InclusiveSum", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(t, bytes, in, out, n, s);
  });
}
peer scan(const context& ctx, const long long* in, long long* out, index_t n) {
  return cub_peer("cub::DeviceScan::InclusiveSum", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(t, bytes, in, out, n, s);
  });
}
peer scan_user(const context& ctx, const int* in, int* out, index_t n) {
  return cub_peer("cub::DeviceScan::InclusiveScan", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(t, bytes, in, out, user_max{}, n, s);
  });
}
peer scan_affine(const context& ctx, const affine* in, affine* out, index_t n) {
  return cub_peer("cub::DeviceScan::InclusiveScan", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(t, bytes, in, out, compose{}, n, s);
  });
}
peer merge(const context& ctx, const int* a, index_t na, const int* b, index_t nb, int* out) {
  return merge_items(ctx, a, na, b, nb, out);
}
peer merge(const context& ctx, const long long* a, index_t na, const long long* b, index_t nb, long long* out) {
  return merge_items(ctx, a, na, b, nb, out);
}
peer merge_pairs(const context& ctx, const int* a, const int* av, index_t na, const int* b, const int* bv, index_t nb,
                 int* out, int* out_values) {
  return cub_peer("cub::DeviceMerge::MergePairs", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceMerge::MergePairs(t, bytes, a, av, na, b, bv, nb, out, out_values, less{}, s);
  });
}
peer merge_sort(const context& ctx, int* keys, index_t n) { return merge_sort_items(ctx, keys, n); }
peer merge_sort(const context& ctx, long long* keys, index_t n) { return merge_sort_items(ctx, keys, n); }
peer merge_sort_pairs(const context& ctx, int* keys, int* values, index_t n) {
  return cub_peer("cub::DeviceMergeSort::SortPairs", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortPairs(t, bytes, keys, values, n, less{}, s);
  });
}
peer radix_sort(const context& ctx, int* keys, int* spare, index_t n) { return radix_sort_items(ctx, keys, spare, n); }
peer radix_sort(const context& ctx, long long* keys, long long* spare, index_t n) {
  return radix_sort_items(ctx, keys, spare, n);
}
peer radix_sort_pairs(const context& ctx, int* keys, int* values, int* spare, int* spare_values, index_t n) {
  return cub_peer("cub::DeviceRadixSort::SortPairs", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    cub::DoubleBuffer<int> buffer(keys, spare), buffer_values(values, spare_values);
    return cub::DeviceRadixSort::SortPairs(t, bytes, buffer, buffer_values, n, 0, 32, s);
  });
}
peer segmented_sum(const context& ctx, const int* in, const int* offsets, index_t segments, int* out) {
  return cub_peer("cub::DeviceSegmentedReduce::Sum", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(t, bytes, in, out, segments, offsets, offsets + 1, s);
  });
}

peer segmented_sort(const context& ctx, const int* in, int* out, index_t n, const int* offsets, index_t segments) {
  return cub_peer("cub::DeviceSegmentedSort::StableSortKeys", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::StableSortKeys(t, bytes, in, out, n, segments, offsets, offsets + 1, s);
  });
}
peer move_intervals(const context& ctx, const int* const* from, int* const* to, const int* bytes_each,
                    index_t segments) {
  return cub_peer("cub::DeviceMemcpy::Batched", [=, s = stream_of(ctx)](void* t, std::size_t& bytes) {
    return cub::DeviceMemcpy::Batched(t, bytes, from, to, bytes_each, static_cast<unsigned>(segments), s);
  });
}

namespace {
template <class T>
void sort_keys_now(T* keys, index_t n) {
  T* spare = nullptr;
  require_cuda(cudaMalloc(&spare, n * sizeof(T) + 1), "allocating room to sort");
  const std::shared_ptr<void> room(spare, [](void* p) { cudaFree(p); });
  require_cuda(cudaMemcpy(spare, keys, n * sizeof(T), cudaMemcpyDeviceToDevice), "copying keys to sort");
  const T* from = spare;
  cub_peer("", [=](void* t, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(t, bytes, from, keys, n, 0, 8 * static_cast<int>(sizeof(T)));
  }).call();
  require_cuda(cudaDeviceSynchronize(), "sorting bench data");
}
}  // namespace

void sort_now(int* keys, index_t n) { sort_keys_now(keys, n); }
void sort_now(long long* keys, index_t n) { sort_keys_now(keys, n); }

}  // namespace kleene::bench::peers
