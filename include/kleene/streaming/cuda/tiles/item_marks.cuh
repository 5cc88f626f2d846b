// Which items of a tile start a segment.
#pragma once

#include <cuda_runtime.h>

namespace kleene::streaming {

// One bit for each item of a tile, and one behind the last.
template <int Size>
struct item_marks {
  static constexpr int words = Size / 32 + 2;
  unsigned word[words];

  __device__ void set(int item) { atomicOr(&word[item / 32], 1u << item % 32); }
  // The 32 marks from `item` on.
  __device__ unsigned from(int item) const { return __funnelshift_r(word[item / 32], word[item / 32 + 1], item % 32); }
};

}  // namespace kleene::streaming
