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
  const index_t e = (index_t{blockIdx.x} * gemv_threads + threadIdx.x) >> p.finish_lanes_log2;
  const index_t elements = p.grid.batch * p.v.rows;
  Sum all = Sum::zero();
  if (e < elements)
#pragma unroll 4
    for (index_t part = lane; part < p.parts; part += lanes) {
      Sum next = Sum::of(p.sums[part * elements + e]);
      if constexpr (is_selective<S>) next.k = p.winners ? p.winners[part * elements + e] : -1;
      all.join(next);
    }
  join_lanes(all, lanes);
  if (e >= elements || lane != 0) return;
  const index_t matrix = p.grid.batch == 1 ? 0 : e / p.v.rows;
  store_element(p, matrix, e - matrix * p.v.rows, all.result(), all.smallest());
}

}  // namespace kleene::kernels::cuda
