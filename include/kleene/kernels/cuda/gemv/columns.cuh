// Columns whose elements are neighbours: a lane has a few rows, and slices of the block every so many columns of
// them.
#pragma once

#include "kleene/kernels/cuda/gemv/inspect.cuh"
#include "kleene/kernels/cuda/gemv/load.cuh"
#include "kleene/kernels/cuda/gemv/term.cuh"

namespace kleene::kernels::cuda {

// What one thread has of its rows first .. first + Vector. Rows beyond the last are the last again, and are not stored.
template <class G, int Vector, bool Witness>
struct column_lane {
  using S = typename G::algebra;
  using T = value_of<S>;
  using Sum = running_sum<S, Witness>;
  static constexpr int loads = loads_singly<S> ? 1 : gemv_columns_together;  // columns in flight

  const gemv_arguments<G>& p;
  const index_t matrix;  // of the batch
  const T* const from;
  const T* const x;
  index_t first;
  Sum sum[Vector];
  value_inspection<S> inspection;

  __device__ column_lane(const gemv_arguments<G>& arguments, index_t of_batch, index_t first_row)
      : p(arguments),
        matrix(of_batch),
        from(p.v.a + of_batch * p.matrix_stride),
        x(p.v.x + of_batch * p.vector_stride),
        first(first_row) {
#pragma unroll
    for (int e = 0; e < Vector; ++e) sum[e] = Sum::zero();
  }
  __device__ index_t at(int e) const { return min(first + e, p.v.rows - 1); }

  // `Loads` columns from k on, `step` apart. Whole: none of the rows is beyond the last.
  template <int Loads, bool Whole>
  __device__ __forceinline__ void add(index_t k, index_t step) {
    T factors[Loads], a[Loads][Vector];
#pragma unroll
    for (int n = 0; n < Loads; ++n) {
      const T* column = from + (k + n * step) * p.v.depth_stride;
      factors[n] = x[(k + n * step) * p.v.x_stride];
      if constexpr (Whole) {
        load_once(a[n], column + first * (Vector == 1 ? p.v.row_stride : 1));
      } else {
#pragma unroll
        for (int e = 0; e < Vector; ++e) a[n][e] = column[at(e) * p.v.row_stride];
      }
    }
    if constexpr (has_checks<S>)
      if (p.values.looks()) {
#pragma unroll
        for (int n = 0; n < Loads; ++n)
#pragma unroll
          for (int e = 0; e < Vector; ++e) inspection.look(a[n][e]);
      }
    if constexpr (adds_groups<S>) {
      T terms[Vector][Loads];
#pragma unroll
      for (int e = 0; e < Vector; ++e)
#pragma unroll
        for (int n = 0; n < Loads; ++n) terms[e][n] = p.v.term(a[n][e], factors[n]);
      add_groups(sum, terms);
    } else if constexpr (is_bitwise<S> && !Witness && Vector == 16) {
      std::uint32_t all[4]{}, words[Loads][4];
      std::memcpy(words, a, sizeof(words));
#pragma unroll
      for (int n = 0; n < Loads; ++n)
#pragma unroll
        for (int w = 0; w < 4; ++w) all[w] = plus_bits<S>(all[w], factors[n] ? words[n][w] : 0);
#pragma unroll
      for (int e = 0; e < Vector; ++e)
        sum[e].value = static_cast<accumulator_of<S>>(plus_bits<S>(sum[e].value, all[e / 4] >> 8 * (e % 4) & 1u));
    } else {
#pragma unroll
      for (int n = 0; n < Loads; ++n) {
        const auto factor = widen_element<S>(factors[n]);
#pragma unroll
        for (int e = 0; e < Vector; ++e) sum[e].add(p.v.term(widen_element<S>(a[n][e]), factor), k + n * step);
      }
    }
  }

  // The first of columns [begin, end) outside the domain, where one of this thread's elements was: positions rise.
  __device__ void note_first(index_t begin, index_t end) {
#pragma unroll 1
    for (int e = 0; e < Vector; ++e)
#pragma unroll 1
      for (index_t k = begin; k < end; ++k)
        if (inspection.note(from[at(e) * p.v.row_stride + k * p.v.depth_stride],
                            (matrix * p.v.rows + at(e)) * p.v.depth + k))
          return;
  }

  // Columns [k, end), every `slices`th.
  __device__ __forceinline__ void add_all(index_t k, index_t end, int slices) {
    if (first + Vector > p.v.rows) {
#pragma unroll 1
      for (; k < end; k += slices) add<1, false>(k, 0);
      return;
    }
#pragma unroll 1
    for (; k + (loads - 1) * index_t{slices} < end; k += loads * index_t{slices}) add<loads, true>(k, slices);
    if constexpr (loads > 1)
#pragma unroll 1
      for (; k < end; k += slices) add<1, true>(k, 0);
  }

  // The sums of all slices, in the first of them, by a fixed tree; thread: of those that share a matrix. All threads of
  // the block come here.
  __device__ __forceinline__ void join(int lanes, int slices, int thread) {
    __shared__ alignas(16) unsigned char memory[sizeof(Sum) * Vector * gemv_threads];
    Sum(*of_thread)[gemv_threads] = reinterpret_cast<Sum(*)[gemv_threads]>(memory);
    for (int half = slices / 2; half > 0; half /= 2) {
      if (thread >= half * lanes && thread < 2 * half * lanes)
#pragma unroll
        for (int e = 0; e < Vector; ++e) of_thread[e][threadIdx.x] = sum[e];
      __syncthreads();
      if (thread < half * lanes)
#pragma unroll
        for (int e = 0; e < Vector; ++e) sum[e].join(of_thread[e][threadIdx.x + half * lanes]);
    }
  }
};

// Resident blocks a multiprocessor that the compiler is asked to leave registers for; 0: not asked, and then it takes
// about 40 registers a thread, which leave few loads in flight. Us on an H200, by blocks:
//
//                                                  not asked   2      3      4
//   plus_times f32 16384 x 16384                       267     263    263    265
//                  4096 x 4096                         28.3    23.6   23.7   24.2
//   min_plus f32, witness, 16384 x 16384               288     264    265    270
//   plus_times f16 8192 x 16384                        77.2    75.4   75.6   78.2
//   or_and bool 16384 x 16384                          78.6    79.0   78.4   81.4
//               1,024 of 256 x 256                     37.2    39.8   36.9   31.9
//   log_plus f32 4096 x 4096                           34.8    32.8   31.9   37.8
//   max_times f32 16384 x 16384, looked at             267     267    265    319
//                 1,024 of 256 x 256                   79.4    82.6   78.7   89.9
template <class S, bool Witness>
inline constexpr int gemv_columns_blocks = [] {
  using T = value_of<S>;
  if (has_checks<S> || !(std::is_arithmetic_v<T> || kleene::detail::is_short_float<T>)) return 0;
  return sizeof(T) == 1 ? 3 : 2;
}();

template <class G, int Vector, bool Witness>
__global__ void __launch_bounds__(gemv_threads, gemv_columns_blocks<typename G::algebra, Witness>)
    gemv_columns(const __grid_constant__ gemv_arguments<G> p) {
  gpu::launch_dependents();
  const auto [matrix, tile] = place_of(p);
  if (matrix >= p.grid.batch) return;
  const gemv_share share(p, matrix);
  const int lanes = 1 << p.lanes_log2, slices = 1 << (p.share_log2 - p.lanes_log2);
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1), slice = share.thread >> p.lanes_log2;
  column_lane<G, Vector, Witness> mine(p, share.matrix, (tile * lanes + lane) * Vector);
  const index_t begin = index_t{blockIdx.y} * p.part, end = min(begin + p.part, p.v.depth);
  mine.add_all(begin + slice, end, slices);
  mine.join(lanes, slices, share.thread);
  if (slice == 0 && share.is_there)
#pragma unroll
    for (int e = 0; e < Vector; ++e) {
      const index_t i = mine.first + e, to = (index_t{blockIdx.y} * p.grid.batch + mine.matrix) * p.v.rows + i;
      if (i >= p.v.rows) continue;
      if (p.sums) p.sums[to] = mine.sum[e].part();
      else store_element(p, mine.matrix, i, mine.sum[e].result(), mine.sum[e].smallest());
      if (p.winners) p.winners[to] = mine.sum[e].smallest();
    }
  if constexpr (has_checks<typename G::algebra>)
    if (p.values.looks()) {
      if (mine.inspection.outside) mine.note_first(begin, end);
      report_values(p, mine.inspection);
    }
}

}  // namespace kleene::kernels::cuda
