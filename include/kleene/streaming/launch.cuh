// The host's side of streaming kernels: where they run, scratch memory cut into arrays, results that come back.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/cuda/tile/dependence.cuh"
#include "kleene/kernels/cuda/tile/runtime.cuh"
#include "kleene/streaming/grain.hpp"
#include "kleene/streaming/range.hpp"

#include <cstddef>
#include <string>

namespace kleene {

// What the overloads for both machines ask of their arguments: nothing. Being constrained at all makes them better
// matches than the ones of the .hpp, which know the CPU alone.
template <class T>
concept any_machine = true;

namespace streaming {

using kernels::cuda::on_device, kernels::cuda::require;

inline cudaStream_t stream_of(const context& ctx) { return static_cast<cudaStream_t>(ctx.stream()); }

// launch() of a kernel that takes its shared memory when it is launched: more than the 48 KiB it may declare.
template <class... Parameters, class... Arguments>
void launch_with_room(const context& ctx, void (*kernel)(Parameters...), index blocks, int threads, int shared_bytes,
                      Arguments&&... arguments) {
  const on_device here(ctx.device()->ordinal);
  if (blocks > 0x7fffffff) throw error(fault_code::memory, "a sequence has too many tiles for one launch");
  if (shared_bytes > 48 * 1024 &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes) != cudaSuccess) {
    cudaGetLastError();
    throw error(fault_code::device, "a tile of these elements takes " + std::to_string(shared_bytes) +
                                        " bytes of shared memory, and a thread block of " + ctx.describe() +
                                        " can have " + std::to_string(ctx.device()->shared_memory));
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream_of(ctx);
  config.attrs = &attribute;
  config.numAttrs = kernels::cuda::target_of(kernel) >= 90 ? 1 : 0;  // before, launches follow each other
  require(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "launching a streaming kernel");
}

// Puts a kernel on the context's stream. It may start while the one before it ends: it has to call
// wait_for_predecessors() before it touches global memory.
template <class... Parameters, class... Arguments>
void launch(const context& ctx, void (*kernel)(Parameters...), index blocks, int threads, Arguments&&... arguments) {
  launch_with_room(ctx, kernel, blocks, threads, 0, arguments...);
}

// Scratch memory for several arrays: add() each, then take the pointers from one workspace.
class scratch {
 public:
  template <class T>
  std::size_t add(index count) {
    const std::size_t at = bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return at;
  }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  static T* at(void* base, std::size_t offset) {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(base) + offset);
  }

 private:
  std::size_t bytes_ = 0;
};

// A value that a kernel left on the device; waits for the stream.
template <class T>
T fetch(const context& ctx, const T* value) {
  T result;
  const on_device here(ctx.device()->ordinal);
  require(cudaMemcpyAsync(&result, value, sizeof(T), cudaMemcpyDeviceToHost, stream_of(ctx)), "fetching a result");
  require(cudaStreamSynchronize(stream_of(ctx)), "waiting for a result");
  return result;
}

template <class Out>
__global__ void write_zero(Out out) {
  kernels::cuda::wait_for_predecessors();
  *out = 0;
}

constexpr index tiles_of(index count, index tile) { return (count + tile - 1) / tile; }

}  // namespace streaming
}  // namespace kleene
