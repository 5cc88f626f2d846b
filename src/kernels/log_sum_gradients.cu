// Factors and weights of the gradient of a product over log_plus, and the terms of what its two products leave out.
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/contract/log_sum_gradient.hpp"
#include "kleene/kernels/cuda/gemm/log_sums/gradients.hpp"

#include <limits>
#include <string>

namespace kleene::kernels::cuda {

namespace {

constexpr int threads = 256;
constexpr int line_threads = 512, lane_count = 32, phase_count = line_threads / lane_count;
constexpr int tile = far_tile, each = 4,
              chunk = 16;  // a thread has each x each elements of a tile, chunk terms at a time
static_assert((tile / each) * (tile / each) == threads);

// Maxima of a matrix's lines, and the exponentials below them. Along: a line's elements are neighbours, and a warp has
// a line; else lines are, and a block has lane_count of them.
template <bool Along, class T>
__global__ void __launch_bounds__(line_threads)
    line_factors(batch_view<const T, memory::device> x, batch_view<T, memory::device> factors,
                 batch_view<T, memory::device> tops) {
  __shared__ T parts[phase_count][lane_count];
  const int lane = threadIdx.x % lane_count, phase = threadIdx.x / lane_count;
  const index_t m = blockIdx.y, line = Along ? blockIdx.x * phase_count + phase : blockIdx.x * lane_count + lane;
  const int first = Along ? lane : phase, step = Along ? lane_count : phase_count;
  T top = -std::numeric_limits<T>::infinity();
  if (line < x.rows())
#pragma unroll 8
    for (index_t k = first; k < x.cols(); k += step) top = fmax(top, x(m, line, k));
  if constexpr (Along) {
    for (int mask = lane_count / 2; mask > 0; mask /= 2) top = fmax(top, __shfl_xor_sync(~0u, top, mask));
  } else {
    parts[phase][lane] = top;
    __syncthreads();
    for (int other = 0; other < phase_count; ++other) top = fmax(top, parts[other][lane]);
  }
  if (line >= x.rows()) return;
  if (first == 0) tops(m, line, 0) = top;
#pragma unroll 4
  for (index_t k = first; k < x.cols(); k += step) {
    factors(m, line, k) = factor_of_log_sum(x(m, line, k), top);
  }
}

template <class T>
__global__ void __launch_bounds__(threads) weights(log_sum_gradients<T> x) {
  const index_t m = blockIdx.z, row = index_t(blockIdx.y) * tile, col = index_t(blockIdx.x) * tile;
  bool any = false;
#pragma unroll 4
  for (int n = threadIdx.x; n < tile * tile; n += threads) {
    const index_t i = row + n / tile, j = col + n % tile;
    if (i >= x.c.rows() || j >= x.c.cols()) continue;
    bool is_far;
    x.w(m, i, j) = weight_of_log_sum(x.g(m, i, j), x.tops_a(m, i, 0), x.tops_b(m, 0, j), x.c(m, i, j), is_far);
    any |= is_far;
  }
  const int some = __syncthreads_or(any);
  if (threadIdx.x == 0) x.far(m, blockIdx.y, blockIdx.x) = some;
}

// What the terms of a tile of `to` need of 16 elements of each row of C, and of B.
template <class T>
struct term_memory {
  T b[chunk][tile], c[chunk][tile], g[chunk][tile];  // of what was not left out g is 0

  __device__ void load(const log_sum_gradients<T>& x, index_t m, index_t row, index_t col, index_t first) {
    const bool along = x.c.stride(2) == 1;  // threads read what is next to each other
    for (int n = threadIdx.x; n < chunk * tile; n += threads) {
      const int j = along ? n % chunk : n / tile, at = along ? n / chunk : n % tile;
      const bool inside = first + j < x.c.cols();
      b[j][at] = inside && col + at < x.b.rows() ? x.b(m, col + at, first + j) : T(0);
      g[j][at] = c[j][at] = 0;
      if (!inside || row + at >= x.c.rows()) continue;
      c[j][at] = x.c(m, row + at, first + j);
      const T whole = x.g(m, row + at, first + j);
      bool is_far;
      weight_of_log_sum(whole, x.tops_a(m, row + at, 0), x.tops_b(m, 0, first + j), c[j][at], is_far);
      if (is_far) g[j][at] = whole;
    }
  }
};

// A tile of `to`, rows i and columns k: times the factors, and the terms over those j that were left out. A thread has
// elements (down, right), and every `step` further on.
template <class T>
__global__ void __launch_bounds__(threads) terms(log_sum_gradients<T> x, batch_view<T, memory::device> to) {
  __shared__ term_memory<T> shared;
  constexpr int step = tile / each;
  const index_t m = blockIdx.z, row = index_t(blockIdx.y) * tile, col = index_t(blockIdx.x) * tile;
  const bool by_rows = to.stride(2) == 1;
  const int slow = threadIdx.x / step, fast = threadIdx.x % step;
  const int down = by_rows ? slow : fast, right = by_rows ? fast : slow;
  T own[each][each], sum[each][each] = {};
  bool has_own = false;
  for (index_t first = 0; first < x.c.cols(); first += chunk) {
    if (!x.far(m, blockIdx.y, first / tile)) {
      first += tile - chunk;  // tiles begin at chunks
      continue;
    }
    if (!has_own)
      for (int i = 0; i < each; ++i)
        for (int k = 0; k < each; ++k) {
          const index_t r = row + down + i * step, c = col + right + k * step;
          own[i][k] = r < to.rows() && c < to.cols() ? x.a(m, r, c) : T(0);
        }
    has_own = true;
    __syncthreads();
    shared.load(x, m, row, col, first);
    __syncthreads();
    for (int j = 0; j < chunk; ++j)
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const T g = shared.g[j][down + i * step], c = shared.c[j][down + i * step];
        if (g == T(0)) continue;
        bool any = false;  // NaN is near
#pragma unroll
        for (int k = 0; k < each; ++k)
          any |= !(own[i][k] + shared.b[j][right + k * step] - c <= log_sum_bounds<T>::negligible);
        if (!any) continue;
#pragma unroll
        for (int k = 0; k < each; ++k)
          sum[i][k] += g * exp(difference_of_log_sum(own[i][k], shared.b[j][right + k * step], c));
      }
  }
  for (int i = 0; i < each; ++i)
    for (int k = 0; k < each; ++k) {
      const index_t r = row + down + i * step, c = col + right + k * step;
      if (r < to.rows() && c < to.cols()) to(m, r, c) = to(m, r, c) * x.p(m, r, c) + sum[i][k];
    }
}

// The same problem with rows and columns of C exchanged.
template <class T>
log_sum_gradients<T> exchanged(const log_sum_gradients<T>& x) {
  return {x.g.transposed(), x.b.transposed(), x.a.transposed(),      x.c.transposed(),      x.q.transposed(),
          x.p.transposed(), x.w.transposed(), x.tops_b.transposed(), x.tops_a.transposed(), x.far.transposed()};
}

dim3 blocks_of(index_t columns, index_t rows, index_t batch) {
  constexpr index_t most = 65535;
  if (rows > most || batch > most)
    throw shape_error("a gradient over log_plus takes at most " + std::to_string(most) +
                      " matrices, and as many times " + std::to_string(tile) + " rows and columns");
  return {gpu::grid_of(columns), static_cast<unsigned>(rows), static_cast<unsigned>(batch)};
}

template <class T>
void launch_factors(const context& ctx, const batch_view<const T, memory::device>& x,
                    const batch_view<T, memory::device>& factors, const batch_view<T, memory::device>& tops) {
  const bool along = x.stride(2) == 1 || x.rows() == 1;
  const dim3 blocks = blocks_of(ceil_div(x.rows(), along ? phase_count : lane_count), x.extent(0), 1);
  gpu::launch(along ? line_factors<true, T> : line_factors<false, T>,
              {.blocks = blocks, .threads = line_threads, .stream = static_cast<cudaStream_t>(ctx.stream())}, x,
              factors, tops);
}

template <class T>
void launch_terms(const context& ctx, const log_sum_gradients<T>& x, const batch_view<T, memory::device>& to) {
  if (to.empty()) return;
  const dim3 blocks = blocks_of(ceil_div(to.cols(), far_tile), ceil_div(to.rows(), far_tile), to.extent(0));
  gpu::launch(terms<T>, {.blocks = blocks, .threads = threads, .stream = static_cast<cudaStream_t>(ctx.stream())}, x,
              to);
}

}  // namespace

template <class T>
void launch_log_sum_factors(const context& ctx, const log_sum_gradients<T>& x) {
  const gpu::on_device here(ctx.device()->ordinal);
  if (!x.a.empty()) launch_factors<T>(ctx, x.a, x.p, x.tops_a);
  if (!x.b.empty()) launch_factors<T>(ctx, x.b.transposed(), x.q.transposed(), x.tops_b.transposed());
  if (x.c.empty() || x.a.empty()) return;
  const dim3 blocks = blocks_of(ceil_div(x.c.cols(), far_tile), ceil_div(x.c.rows(), far_tile), x.c.extent(0));
  gpu::launch(weights<T>, {.blocks = blocks, .threads = threads, .stream = static_cast<cudaStream_t>(ctx.stream())}, x);
}

template <class T>
void launch_log_sum_terms(const context& ctx, const log_sum_gradients<T>& x, const batch_view<T, memory::device>& to_a,
                          const batch_view<T, memory::device>& to_b) {
  const gpu::on_device here(ctx.device()->ordinal);
  launch_terms(ctx, x, to_a);
  launch_terms(ctx, exchanged(x), to_b.transposed());
}

template void launch_log_sum_factors(const context&, const log_sum_gradients<float>&);
template void launch_log_sum_factors(const context&, const log_sum_gradients<double>&);
template void launch_log_sum_terms(const context&, const log_sum_gradients<float>&,
                                   const batch_view<float, memory::device>&, const batch_view<float, memory::device>&);
template void launch_log_sum_terms(const context&, const log_sum_gradients<double>&,
                                   const batch_view<double, memory::device>&,
                                   const batch_view<double, memory::device>&);

}  // namespace kleene::kernels::cuda
