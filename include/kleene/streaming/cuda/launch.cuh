// The host's side of streaming kernels: where they run, results that come back.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/streaming/base/grain.hpp"
#include "kleene/streaming/base/range.hpp"

#include <cstddef>
#include <string>

namespace kleene {

namespace streaming {

inline cudaStream_t stream_of(const context& ctx) { return static_cast<cudaStream_t>(ctx.stream()); }

// launch() of a kernel that takes its shared memory when it is launched: more than the 48 KiB it may declare.
template <class... Parameters, class... Arguments>
void launch_with_shared_bytes(const context& ctx, void (*kernel)(Parameters...), index_t blocks, int threads,
                              std::size_t shared_bytes, Arguments&&... arguments) {
  const gpu::on_device here(ctx.device()->ordinal);
  if (blocks > gpu::most_blocks) throw error(fault_code::memory, "a sequence has too many tiles for one launch");
  cudaFuncAttributes declared{};
  if (shared_bytes > gpu::unasked_shared_bytes)
    gpu::require(cudaFuncGetAttributes(&declared, kernel), "asking for shared memory");
  if (shared_bytes + declared.sharedSizeBytes > ctx.device()->shared_memory)
    throw error(fault_code::device, "a tile of these elements takes " + std::to_string(shared_bytes) +
                                        " bytes of shared memory, and a thread block of " + ctx.describe() +
                                        " can have " + std::to_string(ctx.device()->shared_memory));
  gpu::launch(kernel,
              {static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared_bytes, stream_of(ctx), true},
              arguments...);
}

// Puts a kernel on the context's stream. It may start while the one before it ends: it has to call
// grid_dependency_wait() before it touches global memory.
template <class... Parameters, class... Arguments>
void launch(const context& ctx, void (*kernel)(Parameters...), index_t blocks, int threads, Arguments&&... arguments) {
  launch_with_shared_bytes(ctx, kernel, blocks, threads, 0, arguments...);
}

// A value that a kernel left on the device; waits for the stream.
template <class T>
T fetch(const context& ctx, const T* value) {
  T result;
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::require(cudaMemcpyAsync(&result, value, sizeof(T), cudaMemcpyDeviceToHost, stream_of(ctx)), "fetching a result");
  gpu::wait(ctx, "waiting for a result");
  return result;
}

template <class Out>
__global__ void write_zero(Out out) {
  gpu::grid_dependency_wait();
  *out = 0;
}

}  // namespace streaming
}  // namespace kleene
