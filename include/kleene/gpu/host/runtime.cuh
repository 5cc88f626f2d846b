// What every caller of the CUDA runtime needs: its errors as Kleene's, and the right device while it works.
#pragma once

#include "kleene/data/detail/recent_calls.hpp"
#include "kleene/data/error.hpp"

#include <cstddef>
#include <string>

#include <cuda_runtime.h>

namespace kleene::gpu {

// Whether an error is sticky: left by a kernel, and returned by every later call, whoever launched that kernel.
inline bool is_of_earlier_work(cudaError_t result) {
  switch (result) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
      return true;
    default:
      return false;
  }
}

// error(device) with what was being done, and for a kernel's fault the calls that it may be of. (Out of memory is told
// apart where memory is asked for.) `result` is what the call itself returned, never cudaGetLastError(): that would be
// an earlier call's of the program around us.
inline void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw error(fault_code::device,
              std::string("CUDA: ") + what + ": " + cudaGetErrorString(result) +
                  (is_of_earlier_work(result) ? " (by this or earlier work on the device, whoever put it there; the "
                                                "process cannot use the device any more)" +
                                                    kleene::detail::suspected_calls()
                                              : ""));
}

// The calling thread's device while this lives; the caller's own choice comes back. It is set even where it is the
// choice already: in a thread that has called nothing yet the driver's own functions find no device otherwise (tensor
// maps could not be made there).
class on_device {
 public:
  explicit on_device(int device) : device_(device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~on_device() {
    if (before_ != device_) cudaSetDevice(before_);
  }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;

 private:
  int device_, before_ = 0;
};

}  // namespace kleene::gpu
