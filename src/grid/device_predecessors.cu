// Kernels that find predecessors on a grid of devices.
#include "kleene/grid/detail/device_predecessors.hpp"

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/closure/predecessors/predecessors.cuh"

#include <algorithm>
#include <array>

namespace kleene::detail {

namespace {

using kernels::cuda::best_tail;
using kernels::cuda::is_best_arc;
using kernels::cuda::row_threads;

cudaStream_t stream_of(const context& ctx) { return static_cast<cudaStream_t>(ctx.stream()); }

// Counts the best arcs into each head, or with Fill writes them into the list. A block looks at `depth` rows of
// row_threads columns.
template <class S, bool Fill>
__global__ void __launch_bounds__(row_threads)
    list_share(const __grid_constant__ closed_share<value_of<S>> x, head_range heads, index_t depth, unsigned* counts,
               const unsigned* offsets, std::int32_t* tails, value_of<S>* weights) {
  const index_t head = blockIdx.x * index_t(row_threads) + threadIdx.x, j = heads.first + head;
  const index_t rows = x.closed.extent(0), first = blockIdx.y * depth,
                last = first + depth < rows ? first + depth : rows;
  if (head >= heads.size) return;
  const index_t v = x.cols.indxl2g(j, x.col);
  unsigned count = 0;
#pragma unroll 4
  for (index_t i = first; i < last; ++i) {
    const value_of<S> arc = x.arcs.data()[i * x.arcs.stride(0) + j];
    if (!(arc == x.closed.data()[i * x.closed.stride(0) + j]) || arc == S::zero()) continue;
    const index_t u = x.rows.indxl2g(i, x.row);
    if (u == v) continue;
    if constexpr (Fill) {
      const unsigned at = offsets[head] + atomicAdd(counts + head, 1u);
      tails[at] = static_cast<std::int32_t>(u);
      weights[at] = arc;
    }
    ++count;
  }
  if (!Fill && count > 0) atomicAdd(counts + head, count);
}

// A block takes a row; a thread, one head after the other.
template <class S>
__global__ void __launch_bounds__(1024) recover_share(const __grid_constant__ recovery_arguments<value_of<S>> x) {
  using T = value_of<S>;
  const index_t i = x.first_row + blockIdx.x, root = x.share.rows.indxl2g(i, x.share.row);
  const T* const row = x.whole.data() + index_t(blockIdx.x) * x.whole.stride(0);
  bool tie = false;
  for (index_t h = threadIdx.x; h < x.heads.size; h += blockDim.x) {
    const index_t j = x.heads.first + h, v = x.share.cols.indxl2g(j, x.share.col);
    const T here = row[v];
    std::int32_t chosen = -1;
    if (is_best_arc<S>(x.share.arcs.data()[i * x.share.arcs.stride(0) + j], here, root, v)) {
      chosen = static_cast<std::int32_t>(root);
    } else if (v != root && !(here == S::zero())) {
      best_tail<S> best;
      for (int q = 0; q < x.arcs.parts; ++q) {
        const unsigned* const offsets = x.arcs.offsets + q * (x.heads.size + 1) + h;
        const index_t last = x.arcs.base[q] + offsets[1];
        for (index_t e = x.arcs.base[q] + offsets[0]; e < last; ++e)
          best.offer(x.arcs.tails[e], row[x.arcs.tails[e]], x.arcs.weights[e]);
      }
      chosen = best.tail;
      tie |= best.ties(here);
    }
    x.p.data()[i * x.p.stride(0) + j] = chosen;
  }
  if (__syncthreads_or(tie) && threadIdx.x == 0) x.ties[i] = 1;
}

template <class Unit>
__global__ void place_units(const __grid_constant__ column_pieces x) {
  const index_t cols = x.cols.numroc(x.col), at = blockIdx.x * index_t(blockDim.x) + threadIdx.x;
  if (at >= x.rows * cols) return;
  const index_t i = at / cols, j = at % cols;
  static_cast<Unit*>(x.to)[i * x.cols.extent + x.cols.indxl2g(j, x.col)] = static_cast<const Unit*>(x.from)[at];
}

// Pointer doubling, as follow_predecessors does it. `next` has n elements for each block.
__global__ void __launch_bounds__(1024) follow_rows(const __grid_constant__ chain_arguments x, std::int32_t* next) {
  const index_t n = x.p.extent(1);
  volatile std::int32_t* const from = next + blockIdx.x * n;
  for (index_t t = blockIdx.x; t < x.count; t += gridDim.x) {
    const index_t i = x.rows[t];
    const auto root = static_cast<std::int32_t>(x.first_vertex + i);
    __syncthreads();
    for (index_t j = threadIdx.x; j < n; j += blockDim.x)
      from[j] = j == root ? root : x.p.data()[i * x.p.stride(0) + j];
    __syncthreads();
    for (index_t reach = 1; reach < n; reach *= 2) {
      for (index_t j = threadIdx.x; j < n; j += blockDim.x)
        if (const std::int32_t u = from[j]; u >= 0)
          if (const std::int32_t further = from[u]; further >= 0) from[j] = further;
      __syncthreads();
    }
    bool bad = false;
    for (index_t j = threadIdx.x; j < n; j += blockDim.x) bad |= from[j] >= 0 && from[j] != root;
    if (__syncthreads_or(bad) && threadIdx.x == 0) atomicAdd(x.broken, 1u);
  }
}

template <class S>
struct predecessors_over {
  using T = value_of<S>;

  // Blocks across the heads, and down the rows until the device is full: `depth` rows each.
  static dim3 blocks(const context& ctx, const closed_share<T>& x, head_range heads, index_t& depth) {
    const index_t across = ceil_div(heads.size, row_threads), rows = x.closed.rows();
    depth = std::clamp<index_t>(rows * across / (8 * ctx.device()->multiprocessors), 8, 256);
    depth = std::max(depth, ceil_div(rows, index_t{65535}));
    return {static_cast<unsigned>(across), static_cast<unsigned>(ceil_div(rows, depth))};
  }
  static void count(const context& ctx, const closed_share<T>& x, head_range heads, unsigned* offsets,
                    unsigned long long* total) {
    gpu::require(
        cudaMemsetAsync(offsets, 0, static_cast<std::size_t>(heads.size + 1) * sizeof *offsets, stream_of(ctx)),
        "clearing counters");
    if (!x.closed.empty() && heads.size > 0) {
      index_t depth;
      const dim3 grid = blocks(ctx, x, heads, depth);
      gpu::launch(list_share<S, false>, {grid, row_threads, 0, stream_of(ctx)}, x, heads, depth, offsets, nullptr,
                  nullptr, nullptr);
    }
    gpu::launch(kernels::cuda::scan_offsets, {1, 1024, 0, stream_of(ctx)}, offsets, heads.size, total);
  }
  static void list(const context& ctx, const closed_share<T>& x, head_range heads, const unsigned* offsets,
                   unsigned* cursor, std::int32_t* tails, T* weights) {
    if (x.closed.empty() || heads.size == 0) return;
    index_t depth;
    const dim3 grid = blocks(ctx, x, heads, depth);
    gpu::launch(list_share<S, true>, {grid, row_threads, 0, stream_of(ctx)}, x, heads, depth, cursor, offsets, tails,
                weights);
  }
  static void recover(const context& ctx, const recovery_arguments<T>& x) {
    if (x.whole.rows() == 0 || x.heads.size == 0) return;
    const unsigned threads = x.heads.size > 4096 ? 1024 : 256;
    gpu::launch(recover_share<S>, {static_cast<unsigned>(x.whole.rows()), threads, 0, stream_of(ctx)}, x);
  }
  static constexpr predecessor_kernels<T> kernels{&count, &list, &recover};
};

template <class S>
const predecessor_kernels<value_of<S>>* kernels_over() {
  if constexpr (closed_semiring<S> && is_selective<S> && has_unit_star<S>) return &predecessors_over<S>::kernels;
  else return nullptr;
}

}  // namespace

#define KLEENE_ROW(algebra, type)                                              \
  template <>                                                                  \
  const predecessor_kernels<type>* find_predecessor_kernels<algebra<type>>() { \
    return kernels_over<algebra<type>>();                                      \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

void place_columns(const context& ctx, const column_pieces& x) {
  const index_t count = x.rows * x.cols.numroc(x.col);
  if (count == 0) return;
  const unsigned blocks = gpu::grid_of(ceil_div(count, index_t{256}));
  const gpu::launch_config config{blocks, 256, 0, stream_of(ctx)};
  if (x.element == 8) gpu::launch(place_units<unsigned long long>, config, x);
  else if (x.element == 4) gpu::launch(place_units<unsigned>, config, x);
  else gpu::launch(place_units<unsigned char>, config, x);
}

void follow_chains(const context& ctx, const chain_arguments& x) {
  if (x.count == 0) return;
  const index_t blocks = std::min<index_t>(x.count, 2 * ctx.device()->multiprocessors);
  const auto next = ctx.temporary(static_cast<std::size_t>(blocks * x.p.cols()) * sizeof(std::int32_t));
  gpu::launch(follow_rows, {static_cast<unsigned>(blocks), 1024, 0, stream_of(ctx)}, x,
              static_cast<std::int32_t*>(next.get()));
}

}  // namespace kleene::detail
