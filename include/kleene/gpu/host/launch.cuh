// The one way to launch a kernel: what a launch is, as a value, and what it was compiled for.
#pragma once

#include "kleene/gpu/host/runtime.cuh"

#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::gpu {

// Kernels are addresses below: what is the same for all is compiled once in a unit, not once a kernel.
using kernel_address = const void*;
template <class... Parameters>
kernel_address address_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<kernel_address>(kernel);
}

// What a kernel was compiled for on the current device, 80 or 90, say. That is not what the device is: where a program
// holds nothing newer than PTX for sm_80 the driver compiles that, and such a kernel has none of the instructions
// of ptx/programmatic_launch.cuh.
inline int target_of(kernel_address kernel) {
  struct known_kernel {
    kernel_address kernel = nullptr;
    int device = -1, target = 0;
  };
  constexpr int slots = 256;  // asked once a kernel, as a rule, and not at each launch
  thread_local known_kernel known[slots];
  known_kernel& slot = known[reinterpret_cast<std::uintptr_t>(kernel) / 16 % slots];
  int device = 0;
  cudaGetDevice(&device);
  if (slot.kernel != kernel || slot.device != device) {
    cudaFuncAttributes is{};
    if (cudaFuncGetAttributes(&is, kernel) != cudaSuccess) {
      cudaGetLastError();
      return 0;
    }
    slot = {kernel, device, is.ptxVersion};
  }
  return slot.target;
}

// How a kernel is launched.
struct launch_config {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;  // dynamic
  cudaStream_t stream = nullptr;
  // The kernel may start before the one ahead of it in the stream is done (ptx/programmatic_launch.cuh): it calls
  // grid_dependency_wait() before it touches what that one writes. Without effect below sm_90.
  bool overlaps = false;
  unsigned cluster = 1;  // blocks, along x
  // All blocks are resident at the same time, or the launch fails: they may wait for each other.
  bool cooperative = false;
  // The most that any launch of this kernel asks for, where that is not always the same: the limit is the process's,
  // and another thread's launch must not lower it in between.
  std::size_t most_shared_bytes = 0;

  std::size_t shared_bytes_limit() const { return std::max(shared_bytes, most_shared_bytes); }
};

// The same as the runtime takes it. Not to be copied: it points into itself.
class native_launch {
 public:
  native_launch(kernel_address kernel, const launch_config& c) {
    config.gridDim = c.blocks, config.blockDim = c.threads;
    config.dynamicSmemBytes = c.shared_bytes;
    config.stream = c.stream;
    config.attrs = attributes_;
    if (c.overlaps && target_of(kernel) >= 90)
      add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
    if (c.cluster > 1) {
      auto& cluster = add(cudaLaunchAttributeClusterDimension).clusterDim;
      cluster.x = c.cluster, cluster.y = cluster.z = 1;
    }
    if (c.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
  }
  native_launch(const native_launch&) = delete;
  native_launch& operator=(const native_launch&) = delete;

  cudaLaunchConfig_t config{};

 private:
  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    cudaLaunchAttribute& attribute = attributes_[config.numAttrs++];
    attribute.id = id;
    return attribute.val;
  }
  cudaLaunchAttribute attributes_[3]{};
};

// Dynamic shared memory that needs no permission: 48 KiB together with what the kernel declares, which is at most
// 16 KiB where it takes dynamic memory, too.
inline constexpr std::size_t unasked_shared_bytes = 32 * 1024;
inline void allow_shared_bytes(kernel_address kernel, std::size_t bytes) {
  if (bytes > unasked_shared_bytes)
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
            "asking for shared memory");
}

// Puts a kernel on the stream; `arguments` points at each parameter. error(device) with the launch's own error, never
// an earlier call's.
inline void launch_address(kernel_address kernel, const launch_config& c, void** arguments) {
  allow_shared_bytes(kernel, c.shared_bytes_limit());
  const native_launch native(kernel, c);
  require(cudaLaunchKernelExC(&native.config, kernel, arguments), "launching a kernel");
}
// The same, with the arguments as the kernel's parameters.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const launch_config& c, Arguments&&... arguments) {
  [&](Parameters... parameters) {
    void* places[] = {const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
    launch_address(address_of(kernel), c, places);
  }(static_cast<Arguments&&>(arguments)...);
}

// How many clusters of such a launch the device runs at the same time.
inline int resident_clusters(kernel_address kernel, const launch_config& c) {
  allow_shared_bytes(kernel, c.shared_bytes_limit());
  const native_launch native(kernel, c);
  int clusters = 0;
  require(cudaOccupancyMaxActiveClusters(&clusters, kernel, &native.config), "asking how many clusters fit");
  return clusters;
}

}  // namespace kleene::gpu
