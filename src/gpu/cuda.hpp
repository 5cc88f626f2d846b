// The runtime's side of CUDA, defined by cuda.cu, or by cuda_absent.cpp in builds without it.
#pragma once

#include "kleene/data/device.hpp"
#include "kleene/operations/paths.hpp"

namespace kleene::detail {

// error(device): no such device, or no CUDA compiled in.
cuda_queue* cuda_open(int device, void* stream);
void* cuda_stream(const cuda_queue* queue);
void* cuda_side_stream(cuda_queue* queue, int which);
const cuda_device* cuda_device_of(const cuda_queue* queue);
// Bytes that cuda_allocate could still get: what the device has free, and what its pool keeps unused.
std::size_t cuda_available(cuda_queue* queue);
device_fault* cuda_faults(const cuda_queue* queue);

// Makes the CUDA kernels of the catalog known to the operations.
void register_cuda_kernels();

// Waits, and takes the fault that kernels left. error(device) for an error of the device itself.
device_fault cuda_synchronise(cuda_queue* queue);

// operations/paths.hpp on a device, and the part that both sides share: offsets from lengths (value_error for a -1).
path_list trace_paths_on_cuda(const context& ctx, const matrix_view<const std::int32_t>& predecessors,
                              std::span<const vertex_pair> pairs);
void lay_out_paths(path_list& list, std::span<const vertex_pair> pairs, std::span<const index> lengths);

}  // namespace kleene::detail
