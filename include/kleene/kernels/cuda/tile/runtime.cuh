// What every caller of the CUDA runtime needs: its errors as Kleene's, and the right device while it works.
#pragma once

#include "kleene/data/error.hpp"

#include <string>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// error(device) with what was being done. (Out of memory is told apart where memory is asked for.)
inline void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw error(fault_code::device, std::string("CUDA: ") + what + ": " + cudaGetErrorString(result));
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
