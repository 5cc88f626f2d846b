// Paths from predecessors: one kernel measures them, one writes their vertices. A thread follows a path from its end.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

struct path_query {
  std::int32_t from, to;
};
struct predecessor_matrix {
  const std::int32_t* data;
  index_t n, row_stride, col_stride;
  __device__ std::int32_t before(index_t s, index_t v) const { return data[s * row_stride + v * col_stride]; }
};

// lengths[q]: vertices of path q; 0 where there is none, -1 where following P does not reach its start.
static __global__ void measure_paths(predecessor_matrix p, const path_query* queries, index_t count, index_t* lengths) {
  const index_t q = blockIdx.x * index_t(blockDim.x) + threadIdx.x;
  if (q >= count) return;
  const auto [from, to] = queries[q];
  index_t length = 1;
  std::int32_t v = to;
  while (v != from && length <= p.n) {
    v = p.before(from, v);
    if (v < 0 || v >= p.n) break;
    ++length;
  }
  lengths[q] = v == from ? length : v == -1 && length == 1 ? 0 : -1;
}

static __global__ void write_paths(predecessor_matrix p, const path_query* queries, index_t count,
                                   const index_t* offsets, std::int32_t* vertices) {
  const index_t q = blockIdx.x * index_t(blockDim.x) + threadIdx.x;
  if (q >= count) return;
  const auto [from, to] = queries[q];
  std::int32_t v = to;
  for (index_t at = offsets[q + 1]; at > offsets[q]; v = p.before(from, v)) vertices[--at] = v;
}

}  // namespace kleene::kernels::cuda
