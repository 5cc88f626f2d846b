// What every caller of the CUDA runtime needs: its errors as Kleene's, the right device while it works, and the way to
// launch a kernel.
#pragma once

#include "kleene/data/error.hpp"

#include <cstddef>
#include <string>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// error(device) with what was being done. (Out of memory is told apart where memory is asked for.)
inline void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw error(fault_code::device, std::string("CUDA: ") + what + ": " + cudaGetErrorString(result));
}

// Puts a kernel on the stream: the one way to launch, because it returns its own error and no other call's.
template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared_bytes,
                   cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  require(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "launching a kernel");
}

// The calling thread's device while this lives; the caller's own choice comes back.
class on_device {
 public:
  explicit on_device(int device) {
    cudaGetDevice(&before_);
    if (device != before_) cudaSetDevice(device);
  }
  ~on_device() { cudaSetDevice(before_); }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;

 private:
  int before_ = 0;
};

}  // namespace kleene::kernels::cuda
