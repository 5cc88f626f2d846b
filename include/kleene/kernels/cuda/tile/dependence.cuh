// Launches that overlap: on sm_90 a kernel may start while the one before it in the stream still runs, set itself up,
// and wait only where it needs the other's results. Source: CUDA programming guide, "Programmatic dependent launch". On
// older targets these do nothing, and launches follow each other.
#pragma once

#include <nv/target>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// The next kernel may start as soon as every block of this one has come here.
__device__ __forceinline__ void dependents_may_start() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.launch_dependents;" ::: "memory");))
}
// Returns when the kernels before this one are done and what they wrote can be read.
__device__ __forceinline__ void wait_for_predecessors() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" ::: "memory");))
}

// Launches so that the kernel may start early; it must call wait_for_predecessors() before it touches their results.
template <class Kernel, class Arguments>
cudaError_t launch_early(Kernel kernel, dim3 blocks, int threads, int shared_bytes, cudaStream_t stream, bool early,
                         const Arguments& arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments);
}

}  // namespace kleene::kernels::cuda
