#include "kleene/gpu/host/runtime.cuh"
#include "kleene/grid/detail/host/device_lanes.hpp"

namespace kleene::detail {

bool is_pinned(const void* p) {
  cudaPointerAttributes is{};
  if (cudaPointerGetAttributes(&is, p) == cudaSuccess) return is.type == cudaMemoryTypeHost;
  cudaGetLastError();
  return false;
}

}  // namespace kleene::detail
