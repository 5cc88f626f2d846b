// Time on a stream, by events.
#pragma once

#include "kleene/data/error.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kleene::bench {

inline void require_cuda(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw error(fault_code::device, std::string("CUDA: ") + what + ": " + cudaGetErrorString(result));
}

class gpu_timer {
 public:
  explicit gpu_timer(void* stream) : stream_(static_cast<cudaStream_t>(stream)) {
    require_cuda(cudaEventCreate(&start_), "making an event");
    require_cuda(cudaEventCreate(&stop_), "making an event");
  }
  ~gpu_timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  gpu_timer(const gpu_timer&) = delete;
  gpu_timer& operator=(const gpu_timer&) = delete;

  void start() { require_cuda(cudaEventRecord(start_, stream_), "starting the clock"); }
  void stop() { require_cuda(cudaEventRecord(stop_, stream_), "stopping the clock"); }
  // Waits for the work between start and stop.
  double seconds() {
    float milliseconds = 0;
    require_cuda(cudaEventSynchronize(stop_), "waiting for timed work");
    require_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading the clock");
    return 1e-3 * milliseconds;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

}  // namespace kleene::bench
