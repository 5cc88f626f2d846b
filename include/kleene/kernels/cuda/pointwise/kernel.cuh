// C_bij = A_bi (x) B_bj, element by element: nothing is read twice, so that the memory's rate is all there is to have.
#pragma once

#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/pointwise/inspect.cuh"
#include "kleene/kernels/cuda/pointwise/row.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

// pointwise_depth: elements of a thread that are under way at the same time.
inline constexpr int pointwise_threads = 256, pointwise_depth = 4;
inline constexpr index_t pointwise_long_row = 256;

template <class G>
struct pointwise_arguments {
  G g;  // one of its extents, m or n, is 1
  pointwise_axes<G> axes;
  index_t count = 0, length = 1;        // of all elements; of the inner axis
  bool along_batch = false;             // neighbours in C are of neighbouring batches
  pointwise_findings* found = nullptr;  // null: nothing is looked for
  const char *algebra = "", *left = "A", *right = "B", *source = "the source", *nothing = "";
  device_fault* fault = nullptr;
};

struct pointwise_place {
  index_t batch, row, column;
};

// Element e, counted in the order in which threads take them.
template <class G>
__device__ __forceinline__ pointwise_place place_of(const pointwise_arguments<G>& p, index_t e) {
  index_t outer, inner;
  if (p.count <= 0xffffffff) {
    const auto small = static_cast<std::uint32_t>(e), length = static_cast<std::uint32_t>(p.length);
    outer = small / length, inner = small % length;
  } else {
    outer = e / p.length, inner = e % p.length;
  }
  const index_t batch = p.along_batch ? inner : outer, other = p.along_batch ? outer : inner;
  return p.g.n == 1 ? pointwise_place{batch, other, 0} : pointwise_place{batch, 0, other};
}

template <class G>
__device__ __forceinline__ const auto& left_at(const G& g, const pointwise_place& at) {
  return g.a[at.batch * g.sa[0] + at.row * g.sa[1]];
}
template <class G>
__device__ __forceinline__ const auto& right_at(const G& g, const pointwise_place& at) {
  return g.b[at.batch * g.sb[0] + at.column * g.sb[2]];
}
template <class G>
__device__ __forceinline__ const auto& source_at(const G& g, const pointwise_place& at) {
  return g.d[at.batch * g.sd[0] + at.row * g.sd[1] + at.column * g.sd[2]];
}

template <class G>
__global__ void __launch_bounds__(pointwise_threads)
    inspect_pointwise(const __grid_constant__ pointwise_arguments<G> p) {
  using S = typename G::algebra;
  element_inspection<S> left, right, source;
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  const index_t stride = index_t{gridDim.x} * pointwise_threads;
  for (index_t e = index_t{blockIdx.x} * pointwise_threads + threadIdx.x; e < p.count; e += stride) {
    const pointwise_place at = place_of(p, e);
    left.note(left_at(p.g, at), e);
    right.note(right_at(p.g, at), e);
    if (p.g.d) source.note(source_at(p.g, at), e);
  }
  left.report(&p.found->left);
  right.report(&p.found->right);
  source.report(&p.found->source);
}

// Whether the values are as they should be; the first thread of the grid says so where they are not.
template <class G>
__device__ bool pointwise_values_are_valid(const pointwise_arguments<G>& p) {
  using S = typename G::algebra;
  if constexpr (looks_at_values<S>) {
    if (!p.found) return true;
    const pointwise_findings& found = *p.found;
    const auto report = [&](const device_fault& fault) {
      if (blockIdx.x == 0 && threadIdx.x == 0) leave_fault(p.fault, fault);
      return false;
    };
    const auto outside = [&](const char* name, const pointwise_place& at, index_t row, index_t column,
                             const auto& value) {
      device_fault fault{device_fault::domain, p.algebra, name, row, column, 0};
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) fault.value = double(value);
      return report(fault);
    };
    constexpr auto none = operand_report::no_offender;
    if (found.left.offender != none) {
      const pointwise_place at = place_of(p, static_cast<index_t>(found.left.offender));
      return outside(p.left, at, at.row, 0, left_at(p.g, at));
    }
    if (found.right.offender != none) {
      const pointwise_place at = place_of(p, static_cast<index_t>(found.right.offender));
      return outside(p.right, at, 0, at.column, right_at(p.g, at));
    }
    if (p.g.d && found.source.offender != none) {
      const pointwise_place at = place_of(p, static_cast<index_t>(found.source.offender));
      return outside(p.source, at, at.row, at.column, source_at(p.g, at));
    }
    if (products_may_wrap<S>(found, p.g.d != nullptr))
      return report({device_fault::wraps, p.algebra, p.nothing, 0, 0, 0});
  }
  return true;
}

// Neighbours along a row: its offsets are worked out once, since seven products of 64 bits an element, and a division,
// took twice the time of the memory.
template <class G>
__device__ bool multiply_along_rows(const pointwise_arguments<G>& p) {
  constexpr index_t chunk = pointwise_threads * pointwise_depth;
  const index_t inner = p.axes.inner, chunks = (inner + chunk - 1) / chunk, tasks = p.axes.outer * chunks;
  bool overflow = false;
  for (index_t task = blockIdx.x; task < tasks; task += gridDim.x) {
    const pointwise_row<G> row(p.g, p.axes, task / chunks);
    const index_t first = task % chunks * chunk + threadIdx.x;
    value_of<typename G::algebra> left[pointwise_depth], right[pointwise_depth];
#pragma unroll
    for (int d = 0; d < pointwise_depth; ++d) {
      const index_t i = min(first + d * pointwise_threads, inner - 1);
      left[d] = row.left(i), right[d] = row.right(i);
    }
#pragma unroll
    for (int d = 0; d < pointwise_depth; ++d)
      if (const index_t i = first + d * pointwise_threads; i < inner) overflow |= row.store(i, left[d], right[d]);
  }
  return overflow;
}

// Rows of few elements.
template <class G>
__device__ bool multiply_one_by_one(const pointwise_arguments<G>& p) {
  const index_t stride = index_t{gridDim.x} * pointwise_threads, inner = p.axes.inner;
  bool overflow = false;
  for (index_t e = index_t{blockIdx.x} * pointwise_threads + threadIdx.x; e < p.count; e += stride) {
    const pointwise_row<G> row(p.g, p.axes, e / inner);
    const index_t i = e % inner;
    overflow |= row.store(i, row.left(i), row.right(i));
  }
  return overflow;
}

template <class G>
__global__ void __launch_bounds__(pointwise_threads)
    multiply_pointwise(const __grid_constant__ pointwise_arguments<G> p) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (!pointwise_values_are_valid(p)) return;
  const bool overflow = p.axes.inner >= pointwise_long_row ? multiply_along_rows(p) : multiply_one_by_one(p);
  if (overflow) leave_fault(p.fault, {device_fault::overflow, p.algebra, p.nothing, 0, 0, 0});
}

}  // namespace kleene::kernels::cuda
