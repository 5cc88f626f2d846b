// Rows whose elements are neighbours: a few lanes (up to a block) share a few rows, each every so many loads of them.
#pragma once

#include "kleene/kernels/cuda/gemv/inspect.cuh"
#include "kleene/kernels/cuda/gemv/load.cuh"
#include "kleene/kernels/cuda/gemv/term.cuh"

namespace kleene::kernels::cuda {

// What one thread has of its rows. Rows beyond the last are neither read nor stored.
template <class G, int Vector, bool Witness, int Rows>
struct row_lane {
  using S = typename G::algebra;
  using T = value_of<S>;
  using Sum = running_sum<S, Witness>;
  static constexpr int rows = Rows;
  // Of each row in flight: twice as many where values are looked at (below), or there is no other row.
  static constexpr int loads = loads_singly<S> ? 1 : Vector == 1 || (has_checks<S> && !Witness) || rows == 1 ? 4 : 2;

  const gemv_arguments<G>& p;
  const index_t matrix;  // of the batch
  const T* const x;
  index_t first, apart;  // rows first, first + apart, ...
  int count = 0;         // of them
  const T* row[rows];
  Sum sum[rows];
  value_inspection<S> inspection;

  __device__ row_lane(const gemv_arguments<G>& arguments, const gemv_share& share, index_t first_row,
                      index_t rows_apart)
      : p(arguments),
        matrix(share.matrix),
        x(p.v.x + share.matrix * p.vector_stride),
        first(first_row),
        apart(rows_apart) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      count += share.is_there && first + r * apart < p.v.rows;
      row[r] = row_at(r);
      sum[r] = Sum::zero();
    }
  }
  __device__ index_t at(int r) const { return min(first + r * apart, p.v.rows - 1); }
  __device__ const T* row_at(int r) const { return p.v.a + matrix * p.matrix_stride + at(r) * p.v.row_stride; }
  __device__ bool has(int r) const { return r < count; }

  // `Loads` loads of `N` elements of each row, the first at k, `step` apart.
  template <int N, int Loads>
  __device__ __forceinline__ void add(index_t k, index_t step) {
    const index_t along = N == 1 ? p.v.depth_stride : 1, x_along = N == 1 ? p.v.x_stride : 1;
    T factors[Loads][N], a[Loads][rows][N];
#pragma unroll
    for (int n = 0; n < Loads; ++n) {
      load_again(factors[n], x + (k + n * step) * x_along);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (has(r)) load_once(a[n][r], row[r] + (k + n * step) * along);
        else std::memcpy(a[n][r], factors[n], sizeof(factors[n]));
    }
    if constexpr (has_checks<S>)
      if (p.values.looks()) {
#pragma unroll
        for (int n = 0; n < Loads; ++n)
#pragma unroll
          for (int r = 0; r < rows; ++r)
#pragma unroll
            for (int e = 0; e < N; ++e)
              if (has(r)) inspection.look(a[n][r][e]);
      }
    if constexpr (adds_groups<S>) {
      T terms[rows][Loads * N];
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int n = 0; n < Loads * N; ++n) terms[r][n] = p.v.term(a[n / N][r][n % N], factors[n / N][n % N]);
      add_groups(sum, terms);
    } else if constexpr (takes_words<S> && !Witness && N == 16) {
#pragma unroll
      for (int n = 0; n < Loads; ++n) {
        std::uint32_t words[rows][4], of_x[4];
        std::memcpy(words, a[n], sizeof(words));
        std::memcpy(of_x, factors[n], sizeof(of_x));
#pragma unroll
        for (int r = 0; r < rows; ++r) add_words<S>(sum[r].value, words[r], of_x);
      }
    } else {
#pragma unroll
      for (int n = 0; n < Loads; ++n)
#pragma unroll
        for (int e = 0; e < N; ++e) {
          const auto factor = widen_element<S>(factors[n][e]);
#pragma unroll
          for (int r = 0; r < rows; ++r) sum[r].add(p.v.term(widen_element<S>(a[n][r][e]), factor), k + n * step + e);
        }
    }
  }

  // The first of steps [begin, end) outside the domain, where one of this thread's was: positions rise. (An index into
  // row[] that is not known would put all of this object into local memory: max_times f32 16384 x 8192 took 167 us, and
  // not 147.)
  __device__ void note_first(index_t begin, index_t end) {
#pragma unroll 1
    for (int r = 0; r < count; ++r)
#pragma unroll 1
      for (index_t k = begin; k < end; ++k)
        if (inspection.note(row_at(r)[k * p.v.depth_stride], (matrix * p.v.rows + at(r)) * p.v.depth + k)) return;
  }

  // Steps [begin, end) of k with the other lanes; begin is a multiple of Vector.
  __device__ __forceinline__ void add_all(index_t begin, index_t end, int lane, int lanes) {
    const index_t step = index_t{lanes} * Vector, whole = begin + (end - begin) / Vector * Vector;
    index_t k = begin + index_t{lane} * Vector;
#pragma unroll 1
    for (; k + (loads - 1) * step < whole; k += loads * step) add<Vector, loads>(k, step);
    if constexpr (loads > 1)
#pragma unroll 1
      for (; k < whole; k += step) add<Vector, 1>(k, 0);
    if constexpr (Vector > 1)
#pragma unroll 1
      for (k = whole + lane; k < end; k += lanes) add<1, 1>(k, 0);
  }

  // The sums of all lanes, in the first of them. All threads of the block come here.
  __device__ __forceinline__ void join(int lanes) {
    const bool across_warps = lanes > gpu::warp_size;
#pragma unroll
    for (int r = 0; r < rows; ++r) join_lanes(sum[r], across_warps ? gpu::warp_size : lanes);
    if (rows == 1 || !across_warps) return;
    // Of each row the warps' sums, one after the other: as many in all as a warp has lanes, and one joins them.
    constexpr int warps = gemv_threads / gpu::warp_size;
    static_assert(rows == 1 || rows * warps == gpu::warp_size);
    __shared__ alignas(16) unsigned char memory[sizeof(Sum) * rows * warps];
    Sum(*of_row)[warps] = reinterpret_cast<Sum(*)[warps]>(memory);
    const int warp = static_cast<int>(threadIdx.x) / gpu::warp_size;
    if (gpu::lane_id() == 0)
#pragma unroll
      for (int r = 0; r < rows; ++r) of_row[r][warp] = sum[r];
    __syncthreads();
    if (warp == 0) {
      Sum& of_lane = of_row[gpu::lane_id() / warps][gpu::lane_id() % warps];
      Sum joined = of_lane;
      join_lanes(joined, lanes / gpu::warp_size);
      of_lane = joined;
    }
    __syncthreads();
    if (threadIdx.x % lanes == 0)
#pragma unroll
      for (int r = 0; r < rows; ++r) sum[r] = of_row[r][warp];
  }
};

// Resident blocks a multiprocessor that the compiler is asked to leave registers for; 0: not asked. GB/s on an H200 of
// a matrix of 1 GiB (f16: half of one), with four rows a thread, by blocks and by loads in flight. (Of values that are
// looked at, when a thread's state still lay in local memory: note_first; the first two columns when a branch stood
// behind each step's loads, too. With one row 3 blocks are as fast as 4, and 5 take 4 to 6 % longer.)
//
//                                   not asked, 2   4, 2     3, 2     2, 2     2, 4
//   min_plus f32                           3,701   4,258
//   min_plus f32, witness                  3,744   4,066    4,017    4,050
//   plus_times f16                                          4,282    4,281    4,164
//   min_max f64                            3,314   4,030    4,155    4,238    3,870
//   or_and bool                            3,576   4,359    4,275    4,282    4,307
//   max_times f32, looked at               3,544   2,356    3,708    3,649    3,871
//   max_times f64, looked at               2,957   2,114    3,590    3,514    3,750
//   min_plus i64, looked at                2,933   2,135    3,369    3,429    3,601
template <class S, bool Witness, int Rows>
inline constexpr int gemv_rows_blocks = [] {
  using T = value_of<S>;
  if (!(std::is_arithmetic_v<T> || kleene::detail::is_short_float<T>)) return 0;
  if (Rows == 1) return 4;
  if (Witness) return has_checks<S> ? 0 : 3;
  if (has_checks<S>) return 2;
  return sizeof(T) == 4 && !adds_groups<S> ? 4 : 3;
}();

template <class G, int Vector, bool Witness, int Rows>
__global__ void __launch_bounds__(gemv_threads, gemv_rows_blocks<typename G::algebra, Witness, Rows>)
    gemv_rows(const __grid_constant__ gemv_arguments<G> p) {
  gpu::launch_dependents();
  const auto [matrix, tile] = place_of(p);
  if (matrix >= p.grid.batch) return;
  const gemv_share share(p, matrix);
  const int lanes = 1 << p.lanes_log2, lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const index_t groups = index_t{1} << (p.share_log2 - p.lanes_log2);
  row_lane<G, Vector, Witness, Rows> mine(p, share, tile * groups * Rows + (share.thread >> p.lanes_log2), groups);
  const index_t begin = index_t{blockIdx.y} * p.part, end = min(begin + p.part, p.v.depth);
  mine.add_all(begin, end, lane, lanes);
  mine.join(lanes);
  if (lane == 0)
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (!mine.has(r)) continue;
      const index_t i = mine.at(r), to = (index_t{blockIdx.y} * p.grid.batch + mine.matrix) * p.v.rows + i;
      if (p.sums) p.sums[to] = mine.sum[r].part();
      else store_element(p, mine.matrix, i, mine.sum[r].result(), mine.sum[r].smallest());
      if (p.winners) p.winners[to] = mine.sum[r].smallest();
    }
  if constexpr (has_checks<typename G::algebra>)
    if (p.values.looks()) {
      if (mine.inspection.outside) mine.note_first(begin, end);
      report_values(p, mine.inspection);
    }
}

}  // namespace kleene::kernels::cuda
