// A sparse graph as the dense matrix that closures take.
#pragma once

#include "kleene/kernels/cuda/closure/prepare.cuh"

namespace kleene::kernels::cuda {

// a: width x width, zero() where there is no arc; vertices from `rows` on have none. A block writes a row at a time.
// Duplicate arcs are combined in their order, because all arcs of a column belong to the same thread.
template <class S>
__global__ void __launch_bounds__(row_threads)
    spread_arcs(const index_t* offsets, const std::int32_t* columns, const value_of<S>* weights, index_t rows,
                value_of<S>* a, index_t width) {
  for (index_t i = blockIdx.x; i < width; i += gridDim.x) {
    value_of<S>* const row = a + i * width;
    __syncthreads();
    for (index_t j = threadIdx.x; j < width; j += row_threads) row[j] = S::zero();
    __syncthreads();
    if (i >= rows) continue;
    for (index_t e = offsets[i]; e < offsets[i + 1]; ++e)
      if (columns[e] % row_threads == static_cast<int>(threadIdx.x))
        row[columns[e]] = normalise<S>(S::add(widen<S>(row[columns[e]]), widen<S>(weights[e])));
  }
}

}  // namespace kleene::kernels::cuda
