// Waiting for a context's stream.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/gpu/host/runtime.cuh"

namespace kleene::gpu {

// Until all that was put on the stream is done; then none of the calls so far can be what an error is of.
inline void wait(const context& ctx, const char* what) {
  require(cudaStreamSynchronize(static_cast<cudaStream_t>(ctx.stream())), what);
  kleene::detail::calls_of(ctx).settle();
}

}  // namespace kleene::gpu
