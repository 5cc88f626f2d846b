// Outputs of large.hpp on a CUDA device, and arrays there that are too large for the host.
#pragma once

#include "kleene/gpu/host/runtime.cuh"
#include "streaming/large.hpp"
#include "support/device_place.cuh"

#include <nv/target>

namespace kleene {

template <>
struct notes<device_place> {
  // What compiles for the host, too, is not run there. A call, not a copy wherever outputs are written: kernels compile
  // faster.
  __host__ __device__ __noinline__ static void take([[maybe_unused]] bool right, [[maybe_unused]] index_t i,
                                                    [[maybe_unused]] unsigned long long* counts) {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (if (!right) atomicAdd(counts, 1ull); if (i % sample == sampled) atomicAdd(counts + 1, 1ull);))
  }
};

template <class Check>
void on_large_device(const Check& check) {
  on_device_place([&](auto& place) {
    if (place.ctx.available() >> 30 < 18) GTEST_SKIP() << "less than 18 GiB of device memory";  // the sort of ints
    check(place);
  });
}

template <class T, class F>
__global__ void fill_array(T* x, index_t count, F f) {
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    x[i] = static_cast<T>(f(i));
}
template <class T, class F>
__global__ void count_others(const T* x, index_t count, F f, unsigned long long* others) {
  unsigned long long mine = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    mine += x[i] != static_cast<T>(f(i));
  if (mine > 0) atomicAdd(others, mine);
}

template <class T>
class large_array {
 public:
  // f(0), ..., f(count - 1), and one behind them that is to stay as it is.
  template <class F>
  large_array(device_place& place, index_t count, F f)
      : place_(&place), count_(count), memory_(place.ctx.temporary(static_cast<std::size_t>(count + 1) * sizeof(T))) {
    fill_array<<<2048, 256, 0, stream()>>>(data(), count + 1, f);
    gpu::require(cudaGetLastError(), "filling an array");
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  T* end() const { return data() + count_; }
  // How many of the first `count` are not what f says.
  template <class F>
  index_t others(index_t count, F f) const {
    auto result = place_->room(1, 0ull);
    count_others<<<2048, 256, 0, stream()>>>(data(), count, f, result.data());
    gpu::require(cudaGetLastError(), "checking an array");
    return static_cast<index_t>(result.take()[0]);
  }
  T behind() const {
    T item{};
    place_->ctx.synchronise();
    gpu::require(cudaMemcpy(&item, end(), sizeof(T), cudaMemcpyDeviceToHost), "reading an item");
    return item;
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(place_->ctx.stream()); }

  device_place* place_;
  index_t count_;
  decltype(std::declval<const context&>().temporary(0)) memory_;
};

}  // namespace kleene
