// A pipeline: a ring of shared-memory buffers (stages) between producers, which fill them, and consumers, which read
// them.
#pragma once

#include <cuda_runtime.h>

namespace kleene::gpu {

// The next stage of the ring, and the phase that its mbarriers are in then.
template <int Stages>
struct pipeline_cursor {
  int stage = 0, phase = 0;

  __device__ void next() {
    if (++stage == Stages) stage = 0, phase ^= 1;
  }
  __device__ void skip(int steps) {
    phase ^= (stage + steps) / Stages & 1;
    stage = (stage + steps) % Stages;
  }
  __device__ int previous_stage() const { return stage == 0 ? Stages - 1 : stage - 1; }

  // Of step 0, 1, 2, ...
  __device__ static int stage_of(int step) { return step % Stages; }
  __device__ static int phase_of(int step) { return step / Stages & 1; }
};

}  // namespace kleene::gpu
