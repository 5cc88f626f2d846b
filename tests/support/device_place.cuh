// A CUDA device as a place for the checks of tests/streaming (see place.hpp). Buffers that are put there keep their
// host's distance from a 16-byte boundary odd: every other one starts one element behind it.
#pragma once

#include "kleene/gpu/host/runtime.cuh"
#include "support/place.hpp"

#include <cuda_runtime.h>

namespace kleene {

template <class T>
class device_buffer {
 public:
  device_buffer(const context& ctx, const std::vector<T>& items, index_t offset)
      : ctx_(&ctx), count_(static_cast<index_t>(items.size())), offset_(offset) {
    gpu::require(cudaMalloc(&memory_, static_cast<std::size_t>(count_ + offset) * sizeof(T) + 1),
                 "allocating a buffer");
    if (count_ > 0) gpu::require(cudaMemcpy(data(), items.data(), bytes(), cudaMemcpyHostToDevice), "filling a buffer");
    gpu::require(cudaDeviceSynchronize(), "filling a buffer");  // such copies may return while bytes are in flight
  }
  ~device_buffer() { cudaFree(memory_); }
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  device_buffer(device_buffer&& other) noexcept
      : ctx_(other.ctx_),
        memory_(std::exchange(other.memory_, nullptr)),
        count_(other.count_),
        offset_(other.offset_) {}

  T* data() { return memory_ + offset_; }
  std::vector<T> take() const {
    ctx_->synchronise();
    std::unique_ptr<T[]> host(new T[static_cast<std::size_t>(count_) + 1]);  // not into std::vector<bool>
    if (count_ > 0)
      gpu::require(cudaMemcpy(host.get(), memory_ + offset_, bytes(), cudaMemcpyDeviceToHost), "reading a buffer");
    return std::vector<T>(host.get(), host.get() + count_);
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  const context* ctx_;
  T* memory_ = nullptr;
  index_t count_, offset_;
};

struct device_place {
  context ctx;
  index_t buffers = 0;

  template <class T>
  device_buffer<T> put(const std::vector<T>& items) {
    return device_buffer<T>(ctx, items, buffers++ % 2);
  }
  template <class T>
  device_buffer<T> room(index_t n, T poison) {
    return put(std::vector<T>(static_cast<std::size_t>(n), poison));
  }
};

// Runs check(place) on the first CUDA device; reports the test as skipped where there is none.
template <class Check>
void on_device_place(const Check& check) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  device_place place{context::cuda()};
  check(place);
}

}  // namespace kleene
