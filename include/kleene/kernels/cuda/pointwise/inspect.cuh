// Values looked at before anything is written: the algebra's domain, and magnitudes whose products could wrap.
#pragma once

#include "kleene/data/device.hpp"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/tile/bounds.cuh"
#include "kleene/kernels/cuda/tile/operand_report.hpp"

#include <type_traits>

namespace kleene::kernels::cuda {

struct pointwise_findings {
  operand_report left, right, source;
};

// Whether an algebra has anything to be looked for.
template <class S>
inline constexpr bool wraps_in_products = can_wrap<S> && std::is_integral_v<value_of<S>>;
template <class S>
inline constexpr bool looks_at_values = has_domain<S> || wraps_in_products<S>;

static __global__ void clear_pointwise_findings(pointwise_findings* found) {
  gpu::launch_dependents();
  constexpr long long high = 0x7ff0000000000000;  // operand_report::key of infinity, and of its negative
  found->left = found->right = found->source = {high, ~high, operand_report::no_offender};
}

// What one thread has read of a tensor.
template <class S>
struct element_inspection {
  using T = value_of<S>;
  value_bounds<T> bounds;
  unsigned long long offender = operand_report::no_offender;

  __device__ __forceinline__ void note(const T& value, index_t position) {
    if constexpr (wraps_in_products<S>) bounds.add(value);
    if constexpr (has_domain<S>)
      if (!S::in_domain(value)) offender = min(offender, static_cast<unsigned long long>(position));
  }
  // All threads of a block come here.
  __device__ void report(operand_report* to) {
    if (offender != operand_report::no_offender) atomicMin(&to->offender, offender);
    if constexpr (wraps_in_products<S>) {
      __syncthreads();  // the memory of an earlier report
      bounds.report(to);
    }
  }
};

// Whether C (+) A (x) B, of elements of such magnitudes, could leave the accumulator.
template <class S>
__device__ bool products_may_wrap(const pointwise_findings& found, bool has_source) {
  if constexpr (wraps_in_products<S>) {
    const auto magnitude = [](const operand_report& r) {
      const double low = operand_report::value(r.low), high = operand_report::value(r.high);
      return low > high ? 0 : -low > high ? -low : high;
    };
    const double products = magnitude(found.left) * magnitude(found.right);
    return !S::sums_fit(1, products + (has_source ? magnitude(found.source) : 0), 1);
  }
  return false;
}

// Leaves a fault in the context, unless it has one already.
static __device__ void leave_fault(device_fault* to, const device_fault& fault) {
  if (atomicCAS(&to->kind, static_cast<int>(device_fault::none), fault.kind) != device_fault::none) return;
  to->algebra = fault.algebra, to->operand = fault.operand;
  to->row = fault.row, to->column = fault.column, to->value = fault.value;
}

}  // namespace kleene::kernels::cuda
