// Elements without proof, from the operands as they are: the largest term, then the sum of exponentials below it, each
// of a sum a + b that keeps its rounding error. A block does 64 x 64 elements, if any of them is asked for; values of
// the others are left alone, and so a result does not depend on the tile that it lies in.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/store.cuh"

namespace kleene::kernels::cuda {

inline constexpr int stream_tile = 64, stream_threads = 256, stream_depth = 32, stream_each = 4;

struct stream_memory {
  float a[stream_depth][stream_tile], b[stream_depth][stream_tile];
};

// A tile's numbers from k on; what is not there is -infinity.
__device__ inline void load_stream(const log_lines& x, index_t first, index_t k,
                                   float (&to)[stream_depth][stream_tile]) {
  const bool along = x.along();
  for (int n = static_cast<int>(threadIdx.x); n < stream_depth * stream_tile; n += stream_threads) {
    const int line = along ? n / stream_depth : n % stream_tile, d = along ? n % stream_depth : n / stream_tile;
    const bool there = first + line < x.lines && k + d < x.depth;
    to[d][line] =
        there ? x.data[(first + line) * x.line_stride + (k + d) * x.stride] : -std::numeric_limits<float>::infinity();
  }
}

// step(a, b) for every k, with a thread's four numbers of each operand; after() behind every stream_depth of them.
template <class Step, class After>
__device__ __forceinline__ void for_each_step(const log_lines& lines_a, const log_lines& lines_b, index_t row,
                                              index_t col, stream_memory& shared, const Step& step,
                                              const After& after) {
  const int down = static_cast<int>(threadIdx.x) / 16 * stream_each,
            right = static_cast<int>(threadIdx.x) % 16 * stream_each;
  for (index_t k = 0; k < lines_a.depth; k += stream_depth) {
    __syncthreads();
    load_stream(lines_a, row, k, shared.a);
    load_stream(lines_b, col, k, shared.b);
    __syncthreads();
#pragma unroll 4
    for (int d = 0; d < stream_depth; ++d) {
      const float4 a = *reinterpret_cast<const float4*>(&shared.a[d][down]);
      const float4 b = *reinterpret_cast<const float4*>(&shared.b[d][right]);
      const float as[] = {a.x, a.y, a.z, a.w}, bs[] = {b.x, b.y, b.z, b.w};
      step(as, bs);
    }
    after();
  }
}

// exp(a + b - most), the sum with its rounding error. Infinities have none, and what is as infinite as `most` counts 1.
__device__ __forceinline__ float log_term(float a, float b, float most) {
  const float sum = a + b, back = sum - a;
  const float error = (a - (sum - back)) + (b - back);
  const float term = exp2f((sum == most ? 0.0f : sum - most) * 1.44269504f);
  return error == error ? fmaf(term, error, term) : term;
}

template <class G>
__global__ void __launch_bounds__(stream_threads) stream_log_sums(const __grid_constant__ log_sums_arguments<G> p) {
  __shared__ stream_memory shared;
  gpu::grid_dependency_wait();
  const unsigned tile = blockIdx.x;
  if (!p.failed_tiles[tile]) return;
  const index_t row = tile / p.stream_tiles_n() * stream_tile, col = tile % p.stream_tiles_n() * stream_tile;
  constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  constexpr float near = -30;  // 32,768 terms below that are 3e-9 of the sum
  constexpr int each = stream_each;
  float most[each][each], part[each][each];
  double sums[each][each];
  const auto for_each = [](const auto& work) {
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j) work(i, j);
  };
  for_each([&](int i, int j) { most[i][j] = minus_infinity, part[i][j] = 0, sums[i][j] = 0; });
  for_each_step(
      p.lines_a, p.lines_b, row, col, shared,
      [&](const float(&a)[each], const float(&b)[each]) {
        for_each([&](int i, int j) { most[i][j] = fmaxf(most[i][j], a[i] + b[j]); });
      },
      [] {});
  for_each_step(
      p.lines_a, p.lines_b, row, col, shared,
      [&](const float(&a)[each], const float(&b)[each]) {
        bool any = false;  // NaN is near
        for_each([&](int i, int j) { any |= !(a[i] + b[j] - most[i][j] <= near); });
        if (any) for_each([&](int i, int j) { part[i][j] += log_term(a[i], b[j], most[i][j]); });
      },
      [&] { for_each([&](int i, int j) { sums[i][j] += part[i][j], part[i][j] = 0; }); });
  const G g = with_factors(p);
  gemm_writer<G> writer{g, 0};
  for_each([&](int i, int j) {
    const index_t to_row = row + static_cast<int>(threadIdx.x) / 16 * each + i;
    const index_t to_col = col + static_cast<int>(threadIdx.x) % 16 * each + j;
    if (to_row < g.m && to_col < g.n && p.failed[to_row * g.n + to_col])
      writer.store(to_row, to_col, static_cast<float>(std::log(sums[i][j]) + most[i][j]));
  });
}

template <class G>
void enqueue_log_stream(const log_sums_arguments<G>& p, cudaStream_t stream) {
  const unsigned tiles = gpu::grid_of(ceil_div(p.g.m, index_t{stream_tile}) * p.stream_tiles_n());
  gpu::launch(stream_log_sums<G>, {tiles, stream_threads, 0, stream, true}, p);
}

}  // namespace kleene::kernels::cuda
