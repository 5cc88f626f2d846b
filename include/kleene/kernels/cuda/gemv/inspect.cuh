// Values looked at where they are read: the algebra's domain, and magnitudes whose sums could wrap. Nothing is written
// to y before all of them are known.
#pragma once

#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemv/arguments.cuh"
#include "kleene/kernels/cuda/gemv/plan.hpp"
#include "kleene/kernels/cuda/tile/bounds.cuh"

namespace kleene::kernels::cuda {

static __global__ void clear_gemv_findings(gemv_findings* found) {
  gpu::launch_dependents();
  constexpr long long high = 0x7ff0000000000000;  // operand_report::key of infinity, and of its negative
  found->matrix = found->vector = found->source = {high, ~high, operand_report::no_offender};
}

// What one thread has read of an operand.
template <class S, class T = value_of<S>>
struct value_inspection {
  static constexpr bool has_magnitudes = can_wrap<S> && std::is_integral_v<T>;
  value_bounds<T> bounds;
  bool outside = false;  // a value was outside the domain: note() says where
  unsigned long long offender = operand_report::no_offender;

  // No branch: behind one, the next loads would wait for these.
  __device__ __forceinline__ void look(const T& value) {
    if constexpr (has_magnitudes) bounds.add(value);
    outside |= !is_inside(value);
  }
  // Whether the value is outside; its position is kept where none before it was.
  __device__ bool note(const T& value, index_t position) {
    if (is_inside(value)) return false;
    offender = min(offender, static_cast<unsigned long long>(position));
    return true;
  }
  // All threads of a block come here.
  __device__ void report(operand_report* to) {
    if (offender != operand_report::no_offender) atomicMin(&to->offender, offender);
    if constexpr (has_magnitudes) {
      __syncthreads();  // the memory of an earlier report
      bounds.report(to);
    }
  }

 private:
  __device__ static __forceinline__ bool is_inside(const T& value) {
    if constexpr (has_domain<S> && std::is_same_v<T, value_of<S>>) return S::in_domain(value);
    else return true;
  }
};

// Element e of all vectors, and of the source, one matrix of the batch after the other.
template <class G>
__device__ const auto& vector_at(const gemv_arguments<G>& p, index_t e) {
  const index_t matrix = p.grid.batch == 1 ? 0 : e / p.v.depth;
  return p.v.x[matrix * p.vector_stride + (e - matrix * p.v.depth) * p.v.x_stride];
}
template <class G>
__device__ const auto& source_at(const gemv_arguments<G>& p, index_t e) {
  const index_t matrix = p.grid.batch == 1 ? 0 : e / p.v.rows;
  return p.g.d[matrix * p.g.sd[0] + (e - matrix * p.v.rows) * (p.v.is_row ? p.g.sd[2] : p.g.sd[1])];
}

// The vectors: every block looks at its share, then reports what it found in all.
template <class G>
__device__ void report_values(const gemv_arguments<G>& p, value_inspection<typename G::algebra>& matrix) {
  using S = typename G::algebra;
  const matrix_vector<G>& v = p.v;
  const index_t block = (index_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const index_t first = block * gemv_threads + threadIdx.x;
  const index_t stride = index_t{gridDim.x} * gridDim.y * gridDim.z * gemv_threads;
  value_inspection<S> vector;
  for (index_t e = first; e < p.grid.batch * v.depth; e += stride)
    vector.look(vector_at(p, e)), vector.note(vector_at(p, e), e);
  value_inspection<S, typename G::source> source;
  if (p.g.d)
    for (index_t e = first; e < p.grid.batch * v.rows; e += stride)
      source.look(source_at(p, e)), source.note(source_at(p, e), e);
  gpu::grid_dependency_wait();  // until the findings are cleared
  matrix.report(&p.values.found->matrix);
  vector.report(&p.values.found->vector);
  source.report(&p.values.found->source);
}

// Whether sums of such magnitudes could leave the accumulator.
template <class S>
__device__ bool may_wrap(const gemv_values& values) {
  if constexpr (can_wrap<S>) {
    if (!values.wraps) return false;
    const auto magnitude = [](const operand_report& r) {
      const double low = operand_report::value(r.low), high = operand_report::value(r.high);
      return low > high ? 0 : -low > high ? -low : high;
    };
    const gemv_findings& found = *values.found;
    const double products = values.product_scale * magnitude(found.matrix) * magnitude(found.vector);
    const double source = values.source_scale > 0 ? values.source_scale * magnitude(found.source) : 0;
    return !S::sums_fit(1, products + source, 1);
  }
  return false;
}

// The first offending value as a fault, by its place in its own matrix.
template <class G>
__device__ device_fault offending_value(const gemv_arguments<G>& p) {
  const matrix_vector<G>& v = p.v;
  const auto fault = [&](const char* name, index_t row, index_t column, const auto& value) {
    device_fault f{device_fault::domain, p.algebra, name, v.is_row ? column : row, v.is_row ? row : column, 0};
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) f.value = static_cast<double>(value);
    return f;
  };
  const gemv_findings& found = *p.values.found;
  if (found.matrix.offender != operand_report::no_offender) {
    const index_t row = static_cast<index_t>(found.matrix.offender) / v.depth;
    const index_t k = static_cast<index_t>(found.matrix.offender) % v.depth, matrix = row / v.rows, i = row % v.rows;
    return fault(p.matrix_name, i, k, v.a[matrix * p.matrix_stride + i * v.row_stride + k * v.depth_stride]);
  }
  if (found.vector.offender != operand_report::no_offender) {
    const index_t e = static_cast<index_t>(found.vector.offender);
    return fault(p.vector_name, e % v.depth, 0, vector_at(p, e));
  }
  const index_t e = static_cast<index_t>(found.source.offender);
  return fault(p.source_name, e % v.rows, 0, source_at(p, e));
}

// Whether the values are as they should be; the first thread of the grid says so where they are not.
template <class G>
__device__ bool gemv_values_are_valid(const gemv_arguments<G>& p) {
  using S = typename G::algebra;
  if constexpr (has_checks<S>) {
    if (!p.values.looks()) return true;
    const gemv_findings& found = *p.values.found;
    constexpr auto none = operand_report::no_offender;
    const bool outside = p.values.domain && (found.matrix.offender != none || found.vector.offender != none ||
                                             found.source.offender != none);
    if (!outside && !may_wrap<S>(p.values)) return true;
    const device_fault wraps{device_fault::wraps, p.algebra, p.nothing, 0, 0, 0};
    if (blockIdx.x == 0 && threadIdx.x == 0) report_fault(p.fault, outside ? offending_value(p) : wraps);
    return false;
  }
  return true;
}

}  // namespace kleene::kernels::cuda
