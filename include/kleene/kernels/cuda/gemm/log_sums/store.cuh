// From a sum to an element of C, if it proves itself.
#pragma once

#include "kleene/kernels/cuda/gemm/log_sums/arguments.cuh"

namespace kleene::kernels::cuda {

// A warpgroup's 64 x 64 elements, from (row, col) on: thread t holds of row 16 (t / 32) + t % 32 / 4 + 8 h and column
// 8 g + 2 (t % 4) + e the element 4 g + 2 h + e.
template <bool Ranges, class G>
__device__ __forceinline__ void store_log_sums(const log_sums_arguments<G>& p, const float (&sums)[32], index_t row,
                                               index_t col) {
  const G g = p.product();
  gemm_writer<G> writer{g, 0};
  const int thread = static_cast<int>(threadIdx.x) % 128;
  const index_t first_row = row + thread / 32 * 16 + thread % 32 / 4, first_col = col + thread % 4 * 2;
  bool failed = false;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const index_t i = first_row + 8 * h;
    if (i >= g.m) continue;
    const float shift = p.lines_a.shift(i);
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const index_t j = first_col + e / 2 * 8 + e % 2;
      if (j >= g.n) continue;
      std::conditional_t<Ranges, double, float> sum = sums[e / 2 * 4 + h * 2 + e % 2];
      if constexpr (Ranges) {
        if (!p.is_first) sum += p.totals[i * g.n + j];
        p.totals[i * g.n + j] = sum;
        if (!p.is_last) continue;
      }
      if (log_sums_sm90::proves(sum, g.k)) {
        const double exponent = std::log(static_cast<double>(sum)) - 2 * log_sums_sm90::scale * 0.69314718055994531;
        writer.store(i, j, static_cast<float>(exponent + shift + p.lines_b.shift(j)));
      } else {
        p.failed[i * g.n + j] = 1;
        failed = true;
      }
    }
  }
  if (failed) p.failed_tiles[row / stream_tile * p.stream_tiles_n() + col / stream_tile] = 1;
}

}  // namespace kleene::kernels::cuda
