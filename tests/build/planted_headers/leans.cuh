// Planted: uses kleene::index and includes nothing. That it does not compile alone must be caught.
#pragma once

namespace kleene {
__host__ __device__ inline index twice(index n) { return 2 * n; }
}  // namespace kleene
