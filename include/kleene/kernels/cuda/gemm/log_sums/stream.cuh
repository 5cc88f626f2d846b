// Elements without proof, from the operands as they are: the largest term, then the sum of exponentials below it, each
// of a sum a + b that keeps its rounding error. A block does a tile of elements, if any of them is asked for; values of
// the others are left alone, and so a result does not depend on the tile that it lies in.
//
// Where nothing has a proof (small products, devices without the kernels that have) all elements are asked for: then
// tiles may be smaller, and k is cut into parts where there are few tiles.
#pragma once

#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/lines.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/policy.hpp"
#include "kleene/kernels/cuda/tile/log_sum.hpp"

namespace kleene::kernels::cuda {

inline constexpr int stream_depth = 32;

// 16 x 16 threads have Each x Each elements of C each.
template <class T, int Each>
struct stream_memory {
  alignas(16) T a[stream_depth][16 * Each], b[stream_depth][16 * Each];
};

// A tile's numbers from k on; what is not there is -infinity.
template <class T, int Lines>
__device__ void load_stream(const log_lines<T>& x, index_t first, index_t k, T (&to)[stream_depth][Lines]) {
  const bool along = x.along();
  for (int n = static_cast<int>(threadIdx.x); n < stream_depth * Lines; n += stream_threads) {
    const int line = along ? n / stream_depth : n % Lines, d = along ? n % stream_depth : n / Lines;
    const bool there = first + line < x.lines && k + d < x.depth;
    to[d][line] = there ? x.data[(first + line) * x.line_stride + (k + d) * x.stride] : no_term<T>;
  }
}

// step(a, b) for every k, with a thread's numbers of each operand; after() behind every stream_depth of them.
template <class T, int Each, class Step, class After>
__device__ __forceinline__ void for_each_step(const log_lines<T>& lines_a, const log_lines<T>& lines_b, index_t row,
                                              index_t col, stream_memory<T, Each>& shared, const Step& step,
                                              const After& after) {
  constexpr int bytes = Each * sizeof(T) < 16 ? Each * sizeof(T) : 16;
  struct alignas(bytes) numbers {
    T of[Each];
  };
  const int down = static_cast<int>(threadIdx.x) / 16 * Each, right = static_cast<int>(threadIdx.x) % 16 * Each;
  for (index_t k = 0; k < lines_a.depth; k += stream_depth) {
    __syncthreads();
    load_stream(lines_a, row, k, shared.a);
    load_stream(lines_b, col, k, shared.b);
    __syncthreads();
#pragma unroll 4
    for (int d = 0; d < stream_depth; ++d) {
      const numbers a = *reinterpret_cast<const numbers*>(&shared.a[d][down]);
      const numbers b = *reinterpret_cast<const numbers*>(&shared.b[d][right]);
      step(a.of, b.of);
    }
    after();
  }
}

// exp(a + b - base), the sum with its rounding error; infinities have none.
template <class T>
__device__ __forceinline__ T log_term(T a, T b, T base) {
  const T sum = a + b, back = sum - a;
  const T error = (a - (sum - back)) + (b - back);
  const T term = exponential(sum - base);
  return error == error ? fma(term, error, term) : term;
}

// Sums of stream_depth terms, added up: in double, or as doubles with what rounding took.
template <class T>
struct stream_sum {
  double all = 0;
  __device__ void add(float part) { all += part; }
  __device__ double value() const { return all; }
};
template <>
struct stream_sum<double> {
  double all = 0;
  float lost = 0;  // NaN where the sum is infinite
  __device__ void add(double part) {
    const double next = all + part, back = next - all;
    lost += static_cast<float>((all - (next - back)) + (part - back));
    all = next;
  }
  __device__ double value() const { return lost == lost ? all + lost : all; }
};

template <class G>
struct stream_arguments : log_problem<G> {
  using T = typename log_problem<G>::T;

  using log_problem<G>::log_problem;

  T near = 0;                  // terms so far below the largest, or farther, do not count
  index_t part = 0;            // steps of k of a block; there are gridDim.z parts
  log_sum<T>* sums = nullptr;  // [part][batch][m][n], where there are several
};

// What a thread has: the largest terms, then the sums below them.
template <class T, int Each>
struct stream_lane {
  T most[Each][Each], part[Each][Each];
  stream_sum<T> sums[Each][Each];

  template <class Work>
  __device__ static __forceinline__ void for_each(const Work& work) {
#pragma unroll
    for (int i = 0; i < Each; ++i)
#pragma unroll
      for (int j = 0; j < Each; ++j) work(i, j);
  }

  __device__ __forceinline__ void run(const log_lines<T>& a_lines, const log_lines<T>& b_lines, index_t row,
                                      index_t col, T near, stream_memory<T, Each>& shared) {
    for_each([&](int i, int j) { most[i][j] = no_term<T>, part[i][j] = 0; });
    for_each_step(
        a_lines, b_lines, row, col, shared,
        [&](const T(&a)[Each], const T(&b)[Each]) {
          for_each([&](int i, int j) { most[i][j] = larger(most[i][j], a[i] + b[j]); });
        },
        [] {});
    // Below nothing, and below infinity, terms are as they are.
    for_each([&](int i, int j) { most[i][j] = abs(most[i][j]) < -no_term<T> ? most[i][j] : 0; });
    for_each_step(
        a_lines, b_lines, row, col, shared,
        [&](const T(&a)[Each], const T(&b)[Each]) {
          bool any = false;  // NaN is near
          for_each([&](int i, int j) { any |= !(a[i] + b[j] - most[i][j] <= near); });
          if (any) for_each([&](int i, int j) { part[i][j] += log_term(a[i], b[j], most[i][j]); });
        },
        [&] { for_each([&](int i, int j) { sums[i][j].add(part[i][j]), part[i][j] = 0; }); });
  }

 private:
  // NaN is no term here: it is found when terms are summed.
  __device__ static __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
  __device__ static __forceinline__ double larger(double a, double b) { return a < b ? b : a; }
};

template <class G, int Each>
__global__ void __launch_bounds__(stream_threads, Each == 4 && sizeof(typename log_problem<G>::T) == 8 ? 1 : 2)
    stream_log_sums(const __grid_constant__ stream_arguments<G> p) {
  using T = typename log_problem<G>::T;
  __shared__ stream_memory<T, Each> shared;
  gpu::grid_dependency_wait();
  constexpr int side = 16 * Each;
  const index_t tiles_n = ceil_div(p.g.n, index_t{side});
  if (p.failed_tiles && !p.failed_tiles[blockIdx.x]) return;  // its tiles are of that size
  const index_t row = blockIdx.x / tiles_n * side, col = blockIdx.x % tiles_n * side, batch = blockIdx.y;
  const index_t first = blockIdx.z * p.part;
  log_lines<T> a = p.lines_a, b = p.lines_b;
  a.data += batch * p.g.sa[0] + first * a.stride, b.data += batch * p.g.sb[0] + first * b.stride;
  a.depth = b.depth = min(p.part, a.depth - first);
  stream_lane<T, Each> lane;
  lane.run(a, b, row, col, p.near, shared);
  const G g = p.product();
  gemm_writer<G> writer{g, batch};
  lane.for_each([&](int i, int j) {
    const index_t to_row = row + static_cast<int>(threadIdx.x) / 16 * Each + i;
    const index_t to_col = col + static_cast<int>(threadIdx.x) % 16 * Each + j;
    if (to_row >= g.m || to_col >= g.n) return;
    const double sum = lane.sums[i][j].value();
    const index_t at = to_row * g.n + to_col;
    if (p.sums)
      p.sums[(blockIdx.z * g.batch + batch) * g.m * g.n + at] = {sum > 0 ? lane.most[i][j] : no_term<T>,
                                                                 static_cast<T>(sum), 0};
    else if (!p.failed || p.failed[at]) writer.store(to_row, to_col, static_cast<T>(std::log(sum) + lane.most[i][j]));
  });
}

// C from split-K sums, in the order of the splits.
template <class G>
__global__ void __launch_bounds__(stream_threads)
    join_log_sums(const __grid_constant__ stream_arguments<G> p, const index_t parts) {
  gpu::grid_dependency_wait();
  const G g = p.product();
  const index_t at = index_t{blockIdx.x} * stream_threads + threadIdx.x, all = g.batch * g.m * g.n;
  if (at >= all) return;
  auto sum = p.sums[at];
  for (index_t part = 1; part < parts; ++part) sum.join(p.sums[part * all + at]);
  gemm_writer<G> writer{g, at / (g.m * g.n)};
  writer.store(at / g.n % g.m, at % g.n, sum.value());
}

}  // namespace kleene::kernels::cuda
