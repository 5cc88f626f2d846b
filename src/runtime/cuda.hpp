// The runtime's side of CUDA, defined by cuda.cu, or by cuda_absent.cpp in builds without it.
#pragma once

#include "kleene/data/device.hpp"

namespace kleene::detail {

// error(device): no such device, or no CUDA compiled in.
cuda_queue* cuda_open(int device, void* stream);
void* cuda_stream(const cuda_queue* queue);
const cuda_device* cuda_device_of(const cuda_queue* queue);
device_fault* cuda_faults(const cuda_queue* queue);

// Makes the CUDA kernels of the catalog known to the operations.
void register_cuda_kernels();

// Waits, and takes the fault that kernels left. error(device) for an error of the device itself.
device_fault cuda_synchronise(cuda_queue* queue);

}  // namespace kleene::detail
