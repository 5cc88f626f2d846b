// What an epilogue gives for the rows of C: totals of each row's parts, which a small kernel folds in their order. The
// parts come from the kernel that stores C (wgmma/store.cuh), or from a pass over C.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/warp.cuh"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/contract/row_results.hpp"
#include "kleene/kernels/cuda/tile/limits.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

// Joins what `width` neighbouring lanes have, a power of two; all of a warp come here.
template <class Fold>
__device__ __forceinline__ void join_lanes(typename Fold::total& total, int width) {
  for (int mask = width / 2; mask > 0; mask /= 2) Fold::join(total, gpu::warp_xor(total, mask));
}

// Rows of C, and rows of totals: where one begins, and an element of it.
template <class G>
struct stored_rows {
  using Fold = row_fold_of<G>;
  const std::remove_pointer_t<decltype(G::c)>* c;
  index_t m, batch_stride, row_stride, stride;
  __device__ auto* line(index_t row) const {
    const index_t matrix = row < m ? 0 : row / m;
    return c + matrix * batch_stride + (row - matrix * m) * row_stride;
  }
  __device__ void add(typename Fold::total& total, const auto* line, index_t j) const {
    Fold::take(total, static_cast<typename Fold::number>(line[j * stride]));
  }
};
template <class G>
struct totalled_rows {
  using Fold = row_fold_of<G>;
  const typename Fold::total* totals;
  index_t columns;
  __device__ auto* line(index_t row) const { return totals + row * columns; }
  __device__ void add(typename Fold::total& total, const auto* line, index_t j) const { Fold::join(total, line[j]); }
};

template <class Rows, class G>
struct fold_arguments {
  Rows from;
  decltype(G::epilogue) epilogue;
  index_t rows, columns;
  int lanes_log2 = 0;                 // neighbouring lanes that share a part of a row
  index_t part = 0;                   // columns of a part; there are gridDim.y
  row_total_of<G>* totals = nullptr;  // several parts: [row][part]
};

// A row of one part is done then; of others the parts are left.
template <class Rows, class G>
__global__ void __launch_bounds__(256) fold_rows(const __grid_constant__ fold_arguments<Rows, G> p) {
  gpu::grid_dependency_wait();
  using Fold = row_fold_of<G>;
  const int lanes = 1 << p.lanes_log2, lane = threadIdx.x & (lanes - 1);
  const index_t row = (index_t(blockIdx.x) * 256 + threadIdx.x) >> p.lanes_log2;
  auto total = Fold::start();
  if (row < p.rows) {
    const auto* line = p.from.line(row);
    const index_t first = blockIdx.y * p.part + lane, end = blockIdx.y * p.part + p.part;
    const index_t count = ((end < p.columns ? end : p.columns) - first + lanes - 1) >> p.lanes_log2;
#pragma unroll 8
    for (index_t step = 0; step < count; ++step) p.from.add(total, line, first + (step << p.lanes_log2));
  }
  join_lanes<Fold>(total, lanes);
  if (row >= p.rows || lane > 0) return;
  if (gridDim.y > 1) p.totals[row * gridDim.y + blockIdx.y] = total;
  else p.epilogue.template give<std::remove_pointer_t<decltype(G::c)>>(row, total);
}

template <class Rows, class G>
void enqueue_fold(const fold_arguments<Rows, G>& p, unsigned parts, cudaStream_t stream, bool early) {
  const dim3 blocks(gpu::grid_of(ceil_div(p.rows << p.lanes_log2, 256)), parts);
  gpu::launch(fold_rows<Rows, G>, {blocks, 256, 0, stream, early}, p);
}

// The results of rows from `columns` totals of each. early: the launch before is the one that stores them.
template <class G>
void fold_totals(const G& g, const row_total_of<G>* totals, index_t columns, cudaStream_t stream, bool early) {
  fold_arguments<totalled_rows<G>, G> p{{totals, columns}, g.epilogue, g.batch * g.m, columns};
  while (p.lanes_log2 < 5 && (index_t{4} << p.lanes_log2) < columns) ++p.lanes_log2;
  p.part = columns;
  enqueue_fold(p, 1, stream, early);
}

// The same from C itself, in parts of 64 elements a lane (more, if a grid has not so many). Lanes read what lies next
// to each other: neighbours of a row, or rows that are neighbours.
template <class G>
void fold_stored(const context& ctx, const G& g) {
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const gpu::on_device here(ctx.device()->ordinal);
  const bool by_columns = g.sc[1] == 1 && g.sc[2] != 1;
  fold_arguments<stored_rows<G>, G> p{{g.c, g.m, g.sc[0], g.sc[1], g.sc[2]}, g.epilogue, g.batch * g.m, g.n};
  while (!by_columns && p.lanes_log2 < 5 && (index_t{1} << p.lanes_log2) < g.n) ++p.lanes_log2;
  constexpr index_t most = 65535;
  p.part = std::max(index_t{64} << p.lanes_log2, ceil_div(g.n, most));
  const index_t parts = std::max<index_t>(ceil_div(g.n, p.part), 1);
  decltype(ctx.temporary(0)) totals;
  if (parts > 1) totals = ctx.temporary(static_cast<std::size_t>(p.rows * parts) * sizeof(row_total_of<G>));
  p.totals = static_cast<row_total_of<G>*>(totals.get());
  enqueue_fold(p, static_cast<unsigned>(parts), stream, false);
  if (parts > 1) fold_totals(g, p.totals, parts, stream, false);
}

}  // namespace kleene::kernels::cuda
