// y from the sums of all ranges of k, in a fixed order, once all values are known to be as they should be.
#pragma once

#include "kleene/kernels/cuda/gemv/inspect.cuh"
#include "kleene/kernels/cuda/gemv/term.cuh"

namespace kleene::kernels::cuda {

template <class G>
__global__ void __launch_bounds__(gemv_threads) gemv_finish(const __grid_constant__ gemv_arguments<G> p) {
  using S = typename G::algebra;
  using Sum = running_sum<S, is_selective<S>>;
  gpu::grid_dependency_wait();
  if (!gemv_values_are_valid(p)) return;
  const int lanes = 1 << p.finish_lanes_log2, lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const index_t i = (index_t{blockIdx.x} * gemv_threads + threadIdx.x) >> p.finish_lanes_log2;
  Sum all = Sum::zero();
  if (i < p.v.rows)
#pragma unroll 4
    for (index_t part = lane; part < p.parts; part += lanes) {
      Sum next = Sum::of(p.sums[part * p.v.rows + i]);
      if constexpr (is_selective<S>) next.k = p.winners ? p.winners[part * p.v.rows + i] : -1;
      all.join(next);
    }
  join_lanes(all, lanes);
  if (i < p.v.rows && lane == 0) store_element(p, i, all.result(), all.smallest());
}

}  // namespace kleene::kernels::cuda
