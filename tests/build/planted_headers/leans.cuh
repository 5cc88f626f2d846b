// Planted: uses kleene::index_t and includes nothing. That it does not compile alone must be caught.
#pragma once

namespace kleene {
__host__ __device__ inline index_t twice(index_t n) { return 2 * n; }
}  // namespace kleene
