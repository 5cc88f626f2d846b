// Before the elimination: a check of all values, and the initial state.
#pragma once

#include "kleene/algebra/signs.hpp"
#include "kleene/kernels/cuda/closure/report.hpp"
#include "kleene/kernels/cuda/closure/tile.cuh"
#include "kleene/kernels/cuda/tile/bounds.cuh"

namespace kleene::kernels::cuda {

inline constexpr int row_threads = 256, row_warps = row_threads / 32;

// Square matrices, row by row: a warp takes a row at a time. (inspect_closure takes contiguous matrices as one long row
// each.)
template <class T>
struct matrix_rows {
  T* data;
  index_t count, n, batch_stride, row_stride, col_stride;
  const std::int32_t* sizes = nullptr;

  struct position {
    index_t matrix, row, size;  // size: vertices of that matrix
  };
  __device__ index_t total() const { return count * n; }
  __device__ position of(index_t r) const {
    const index_t matrix = count == 1 ? 0 : r / n;
    return {matrix, r - matrix * n, sizes ? sizes[matrix] : n};
  }
  __device__ T* at(index_t matrix, index_t i, index_t j) const {
    return data + matrix * batch_stride + i * row_stride + j * col_stride;
  }
};

static __global__ void clear_closure_report(closure_report* report) {
  closure_report cleared{};
  cleared.values = {operand_report::key(operand_report::highest), operand_report::key(-operand_report::highest),
                    operand_report::no_offender};
  cleared.diverging = -1;
  *report = cleared;
}

// Bounds of the elements (zero() left out), and the first that is NaN or outside the domain. Where the rows are not
// contiguous but the columns are, the caller hands over the transposed matrix and says so; rows have `cols` elements.
template <class S>
__global__ void __launch_bounds__(row_threads)
    inspect_closure(const __grid_constant__ matrix_rows<const value_of<S>> x, index_t cols, bool transposed,
                    bool domain, operand_report* report) {
  using T = value_of<S>;
  value_bounds<T> bounds;
  unsigned long long offender = operand_report::no_offender;
  const index_t step = index_t(gridDim.x) * row_warps;
  for (index_t r = index_t(blockIdx.x) * row_warps + threadIdx.x / 32; r < x.total(); r += step) {
    const auto row = x.of(r);
    if (row.row >= row.size) continue;
    const index_t size = x.sizes ? row.size : cols;
#pragma unroll 8
    for (index_t j = threadIdx.x % 32; j < size; j += 32) {
      const T value = *x.at(row.matrix, row.row, j);
      bool bad = !(value == value);
      if constexpr (has_domain<S>) bad |= !S::in_domain(value);
      if (domain && bad) {
        const unsigned long long at =
            (row.matrix * x.n + (transposed ? j : row.row)) * cols + (transposed ? row.row : j);
        offender = at < offender ? at : offender;
      }
      if (!bad && !(value == S::zero())) bounds.add(value);
    }
  }
  if (offender != operand_report::no_offender) atomicMin(&report->offender, offender);
  bounds.report(report);
}

// The sign class of every product in a closure whose matrix has these bounds. Unlike classify it also speaks for what
// the elimination produces: paths longer than an arc, one() on the diagonal.
template <class S>
constexpr sign_class closure_signs(operand_bounds) {
  return sign_class::any;
}
template <>
constexpr sign_class closure_signs<min_plus<float>>(operand_bounds a) {
  return a.low >= 0 ? sign_class::non_negative : sign_class::any;
}
template <>
constexpr sign_class closure_signs<max_plus<float>>(operand_bounds a) {
  return a.high <= 0 ? sign_class::non_positive : sign_class::any;
}
template <>
constexpr sign_class closure_signs<min_times<float>>(operand_bounds a) {
  return a.low >= 0 ? sign_class::non_negative : sign_class::any;
}
template <>
constexpr sign_class closure_signs<max_times<float>>(operand_bounds a) {
  return a.low >= 0 && a.high <= 1 ? sign_class::non_negative : sign_class::any;
}
template <>
constexpr sign_class closure_signs<min_max<float>>(operand_bounds a) {
  return a.low >= 0 ? sign_class::non_negative : sign_class::any;
}
template <>
constexpr sign_class closure_signs<max_min<float>>(operand_bounds a) {
  return a.low >= 0 ? sign_class::non_negative : sign_class::any;
}

// Makes the matrix that the elimination works on from the caller's: sets the diagonal and pads with vertices without
// edges up to `width`. `keep`, unless its data is null, receives the input weights. Where the elimination works in
// place and nothing is kept, only the diagonal is touched.
template <class S>
__global__ void __launch_bounds__(row_threads)
    prepare_closure(const __grid_constant__ matrix_rows<value_of<S>> a, value_of<S>* work, index_t width,
                    const __grid_constant__ matrix_rows<value_of<S>> keep) {
  using T = value_of<S>;
  const bool copies = work != a.data;
  const index_t step = index_t(gridDim.x) * row_warps;
  for (index_t i = index_t(blockIdx.x) * row_warps + threadIdx.x / 32; i < width; i += step) {
    const bool diagonal_only = !copies && !keep.data;
    for (index_t j = diagonal_only ? i + threadIdx.x % 32 : threadIdx.x % 32; j < (diagonal_only ? i + 1 : width);
         j += 32) {
      const bool inside = i < a.n && j < a.n;
      T value = inside ? *a.at(0, i, j) : T(S::zero());
      if (inside && keep.data) *keep.at(0, i, j) = value;
      if constexpr (has_unit_star<S>)
        if (i == j) value = normalise<S>(S::add(widen<S>(S::one()), widen<S>(value)));
      if (copies) work[i * width + j] = value;
      else if (i == j) *a.at(0, i, i) = value;
    }
  }
}

// Copies the padded result back.
template <class T>
__global__ void __launch_bounds__(row_threads)
    unpad_closure(const T* work, index_t width, const __grid_constant__ matrix_rows<T> a) {
  const index_t step = index_t(gridDim.x) * row_warps;
  for (index_t i = index_t(blockIdx.x) * row_warps + threadIdx.x / 32; i < a.n; i += step)
    for (index_t j = threadIdx.x % 32; j < a.n; j += 32) *a.at(0, i, j) = work[i * width + j];
}

}  // namespace kleene::kernels::cuda
