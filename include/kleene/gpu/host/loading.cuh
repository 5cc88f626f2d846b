// Loads kernels' code onto the device before it is needed. CUDA does so when a kernel is first launched; in an
// operation in place its matrix would then be half-written, and there may be no memory left for the code.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/gpu/host/runtime.cuh"

#include <atomic>
#include <cstdint>
#include <limits>

namespace kleene::gpu {

// Code is the driver's to place: an allocator of the caller's says nothing of that.
inline std::size_t left_for_code(const context& ctx) {
  std::size_t left = ctx.available(), total = 0;
  if (left == std::numeric_limits<std::size_t>::max()) require(cudaMemGetInfo(&left, &total), "asking for free memory");
  return left;
}

inline void require_loaded(const context& ctx, cudaError_t loaded) {
  if (loaded == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw error(fault_code::memory, "an operation's kernels do not fit into the " + std::to_string(left_for_code(ctx)) +
                                        " bytes that the device has left");
  }
  require(loaded, "loading a kernel");
}
// Free memory that a device must have before the driver is asked to load: a kernel whose code did not fit can fail in
// that process for good ("unknown error" at every later launch, driver 580).
inline constexpr std::size_t room_for_code = std::size_t{128} << 20;

template <class... Kernels>
void load_kernels(const context& ctx, Kernels... kernels) {
  if (const std::size_t left = left_for_code(ctx); left < room_for_code)
    throw error(fault_code::memory, "an operation's kernels may take " + std::to_string(room_for_code) +
                                        " bytes, and the device has " + std::to_string(left) + " left");
  cudaFuncAttributes facts;
  (require_loaded(ctx, cudaFuncGetAttributes(&facts, kernels)), ...);
}

// Remembers on which devices something was done that need not be repeated.
class done_on_devices {
 public:
  bool is_done(int device) const { return device < 64 && (done_ >> device & 1); }
  void mark(int device) {
    if (device < 64) done_ |= std::uint64_t{1} << device;
  }

 private:
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace kleene::gpu
