// Passes over the operands: the least and the greatest number of each line, whether there is anything that cannot be
// coded, and so how many products a sum may have.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

#include <algorithm>
#include <type_traits>

namespace kleene::kernels::cuda {

inline constexpr int inspect_exponent_threads = 256, inspect_exponent_warps = inspect_exponent_threads / 32;
inline constexpr int inspect_depth = 512;                       // numbers of each line that a block looks at
inline constexpr int inspect_along = 32, inspect_across = 128;  // lines of a block, as neighbours lie

// The least and the greatest number of a line, as far as one thread has seen it.
struct line_extremes {
  std::int32_t least = most_whole_number, most = -most_whole_number;
  bool other = false;

  __device__ __forceinline__ void take(const whole_number& x) {
    if (x.kind == whole_number::other) other = true;
    if (x.kind != whole_number::finite) return;
    least = min(least, x.value), most = max(most, x.value);
  }
  // Some numbers of a line are enough to see that it is too wide for every code.
  __device__ bool hopeless() const { return other || most - least > exponent_key::code::most_level; }
};

template <class S>
__global__ void clear_exponent_findings(const __grid_constant__ exponent_lines<S> a,
                                        const __grid_constant__ exponent_lines<S> b, exponent_findings* found) {
  gpu::launch_dependents();
  const index_t thread = index_t{blockIdx.x} * blockDim.x + threadIdx.x, threads = index_t{gridDim.x} * blockDim.x;
  if (thread == 0) *found = {};
  for (index_t i = thread; i < a.lines; i += threads) a.least[i] = most_whole_number, a.most[i] = -most_whole_number;
  for (index_t i = thread; i < b.lines; i += threads) b.least[i] = most_whole_number, b.most[i] = -most_whole_number;
}

// Where neighbours are of one line: a warp takes line after line.
template <class S>
__device__ bool inspect_lines_along(const exponent_lines<S>& x, index_t first_line, index_t first) {
  const int lane = gpu::lane_id();
  bool hopeless = false;
  for (int l = static_cast<int>(threadIdx.x) / 32; l < inspect_along; l += inspect_exponent_warps) {
    const index_t line = first_line + l;
    if (line >= x.lines) break;
    line_extremes seen;
#pragma unroll
    for (int r = 0; r < inspect_depth / 128; ++r) {
      const index_t k = first + r * 128 + lane * 4;
      value_of<S> values[4];
      x.load_four(x.data + line * x.line_stride + k * x.stride, x.depth - k, values);
#pragma unroll
      for (int e = 0; e < 4; ++e) seen.take(whole_number_of<S>(values[e]));
    }
    seen.least = __reduce_min_sync(gpu::all_lanes, seen.least),
    seen.most = __reduce_max_sync(gpu::all_lanes, seen.most);
    if (lane == 0 && seen.least <= seen.most) {
      atomicMin(x.least + line, seen.least);
      atomicMax(x.most + line, seen.most);
    }
    hopeless |= seen.hopeless();
  }
  return hopeless;
}

// Where neighbours are of neighbouring lines: a thread takes four of them, every eighth number.
template <class S>
__device__ bool inspect_lines_across(const exponent_lines<S>& x, index_t first_line, index_t first) {
  __shared__ std::int32_t least[inspect_across], most[inspect_across];
  const int thread = static_cast<int>(threadIdx.x), line = gpu::lane_id() * 4;
  if (thread < inspect_across) least[thread] = most_whole_number, most[thread] = -most_whole_number;
  __syncthreads();
  line_extremes seen[4];
  const index_t left = x.lines - first_line - line, end = min(x.depth, first + inspect_depth);
  const value_of<S>* const from = x.data + (first_line + line) * x.line_stride;
#pragma unroll 8
  for (index_t k = first + thread / 32; k < end; k += inspect_exponent_warps) {
    value_of<S> values[4];
    x.load_four(from + k * x.stride, left, values);
#pragma unroll
    for (int e = 0; e < 4; ++e) seen[e].take(whole_number_of<S>(values[e]));
  }
  bool hopeless = false;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    atomicMin(least + line + e, seen[e].least);
    atomicMax(most + line + e, seen[e].most);
    hopeless |= seen[e].hopeless();
  }
  __syncthreads();
  if (thread < inspect_across && first_line + thread < x.lines && least[thread] <= most[thread]) {
    atomicMin(x.least + first_line + thread, least[thread]);
    atomicMax(x.most + first_line + thread, most[thread]);
  }
  return hopeless;
}

// How an operand's lines are shared among blocks.
struct inspect_blocks {
  unsigned deep, all;
  template <class S>
  explicit inspect_blocks(const exponent_lines<S>& x)
      : deep(static_cast<unsigned>(std::max<index_t>(ceil_div(x.depth, inspect_depth), 1))),
        all(gpu::grid_of(deep * ceil_div(x.lines, x.along ? inspect_along : inspect_across))) {}
};

// A's blocks first. Blocks that begin when something was found that cannot be coded have nothing to do.
template <class S>
__global__ void __launch_bounds__(inspect_exponent_threads)
    inspect_exponents(const __grid_constant__ exponent_lines<S> a, const __grid_constant__ exponent_lines<S> b,
                      const inspect_blocks of_a, const inspect_blocks of_b, exponent_findings* found) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (__syncthreads_or(__ldcg(&found->others))) return;
  const bool is_a = blockIdx.x < of_a.all;
  const exponent_lines<S>& x = is_a ? a : b;
  const unsigned block = is_a ? blockIdx.x : blockIdx.x - of_a.all, deep = is_a ? of_a.deep : of_b.deep;
  const index_t first = index_t{block % deep} * inspect_depth;
  const bool hopeless = x.along ? inspect_lines_along(x, index_t{block / deep} * inspect_along, first)
                                : inspect_lines_across(x, index_t{block / deep} * inspect_across, first);
  if (hopeless) found->others = 1;
}

// D, where its values are checked: a product whose D is outside the domain is refused, and so not computed here.
template <class G>
__global__ void inspect_exponents_source(const __grid_constant__ G g, exponent_findings* found) {
  using S = typename G::algebra;
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const bool rows = g.sd[2] == 1 || g.sd[1] != 1;
  const index_t outer = rows ? g.m : g.n, inner = rows ? g.n : g.m;
  const index_t across = rows ? g.sd[1] : g.sd[2], along = rows ? g.sd[2] : g.sd[1];
  bool outside = false;
  for (index_t o = blockIdx.x; o < outer; o += gridDim.x)
    for (index_t i = threadIdx.x; i < inner; i += blockDim.x) outside |= !S::in_domain(g.d[o * across + i * along]);
  if (outside) found->others = 1;
}

// One block: the highest level of each operand, and what that allows: sums of at most `most_terms` products.
inline constexpr int decide_exponent_threads = 1024;
template <class S>
__global__ void __launch_bounds__(decide_exponent_threads)
    decide_exponents(const __grid_constant__ exponent_lines<S> a, const __grid_constant__ exponent_lines<S> b,
                     int most_terms, exponent_findings* found) {
  __shared__ int highest[2];
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (threadIdx.x < 2) highest[threadIdx.x] = 0;
  __syncthreads();
  const auto look = [](const exponent_lines<S>& x, int& to) {
    int level = 0;
    for (index_t i = threadIdx.x; i < x.lines; i += decide_exponent_threads) level = max(level, x.most[i] - x.least[i]);
    level = __reduce_max_sync(gpu::all_lanes, level);
    if (gpu::lane_id() == 0) atomicMax(&to, level);
  };
  look(a, highest[0]);
  look(b, highest[1]);
  __syncthreads();
  if (threadIdx.x > 0 || found->others) return;
  const auto holds = [&]<int Terms>(std::integral_constant<int, Terms>) {
    return Terms <= most_terms && exponent_code<Terms>::holds(highest[0], highest[1]);
  };
  found->terms = holds(std::integral_constant<int, 63>{})   ? 63
                 : holds(std::integral_constant<int, 31>{}) ? 31
                 : holds(std::integral_constant<int, 15>{}) ? 15
                                                            : 0;
  found->done = found->terms > 0;
}

template <class G, class S = typename G::algebra>
void enqueue_inspect_exponents(const G& g, const exponent_lines<S>& a, const exponent_lines<S>& b, int most_terms,
                               exponent_findings* found, cudaStream_t stream) {
  const auto clearing = static_cast<unsigned>(std::clamp<index_t>(ceil_div(std::max(a.lines, b.lines), 256), 1, 256));
  gpu::launch(clear_exponent_findings<S>, {clearing, 256, 0, stream}, a, b, found);
  const inspect_blocks of_a(a), of_b(b);
  gpu::launch(inspect_exponents<S>,
              {gpu::grid_of(index_t{of_a.all} + of_b.all), inspect_exponent_threads, 0, stream, true}, a, b, of_a, of_b,
              found);
  if constexpr (has_domain<S>)
    if (g.d && g.check_domain)
      gpu::launch(inspect_exponents_source<G>,
                  {static_cast<unsigned>(std::min<index_t>(std::max(g.m, g.n), 1024)), 256, 0, stream, true}, g, found);
  gpu::launch(decide_exponents<S>, {1, decide_exponent_threads, 0, stream, true}, a, b, most_terms, found);
}

}  // namespace kleene::kernels::cuda
