// Launches that overlap: on sm_90 a kernel may start while the one before it in the stream still runs, set itself up,
// and wait only where it needs the other's results. Source: CUDA programming guide, "Programmatic dependent launch". On
// older targets these do nothing, and launches follow each other.
#pragma once

#include <nv/target>

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// The next kernel may start as soon as every block of this one has come here.
__device__ __forceinline__ void dependents_may_start() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.launch_dependents;" :: : "memory");))
}
// Returns when the kernels before this one are done and what they wrote can be read.
__device__ __forceinline__ void wait_for_predecessors() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" :: : "memory");))
}

// What a kernel was compiled for on the current device, 80 or 90, say. That is not what the device is: where a program
// holds nothing newer than PTX for sm_80 the driver compiles that, and such a kernel has none of the instructions
// above.
template <class... Parameters>
int target_of(void (*kernel)(Parameters...)) {
  struct known_kernel {
    const void* kernel = nullptr;
    int device = -1, target = 0;
  };
  constexpr int slots = 64;  // asked once a kernel, as a rule, and not at each launch
  thread_local known_kernel known[slots];
  const void* const key = reinterpret_cast<const void*>(kernel);
  known_kernel& slot = known[reinterpret_cast<std::uintptr_t>(key) / 16 % slots];
  int device = 0;
  cudaGetDevice(&device);
  if (slot.kernel != key || slot.device != device) {
    cudaFuncAttributes is{};
    if (cudaFuncGetAttributes(&is, key) != cudaSuccess) {
      cudaGetLastError();
      return 0;
    }
    slot = {key, device, is.ptxVersion};
  }
  return slot.target;
}

// Launches so that the kernel may start early, if it was compiled so that it waits by itself; it must call
// wait_for_predecessors() before it touches their results.
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
  config.numAttrs = early && target_of(kernel) >= 90 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments);
}

}  // namespace kleene::kernels::cuda
