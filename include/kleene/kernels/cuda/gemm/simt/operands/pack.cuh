// Before the product: the operands' copy into panels, and their statistics (domain, bounds) in the same pass.
//
// A panel holds bm rows of A (or bm columns of B), k-major: element (k, i) of panel p at [p][k][i]. So every tile of
// the product is one contiguous, aligned run of bytes whatever the caller's layout, and the product needs no edge
// cases: rows beyond the extent hold the algebra's zero() and are never stored. Costs O((m + n) k) of O(m n k).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/simt/arguments.cuh"
#include "kleene/kernels/cuda/tile/bounds.cuh"

namespace kleene::kernels::cuda {

// One operand as the passes see it: `rows` runs over m of A or n of B, `depth` over k; strides count elements.
template <class T>
struct operand_source {
  const T* data;
  index_t batch, rows, depth;
  index_t stride_batch, stride_row, stride_depth;
  excluded_range excluded{};  // rows that the operand does not have

  __device__ const T& at(index_t b, index_t i, index_t k) const {
    return data[b * stride_batch + i * stride_row + k * stride_depth];
  }
};

// One element looked at: its bounds (zero() and NaN left out), and whether it is the first outside the algebra's
// domain. `position` in (batch, row, k) order.
template <class S>
__device__ void inspect_value(const value_of<S>& value, index_t position, value_bounds<value_of<S>>& bounds,
                              operand_report* report) {
  if constexpr (has_domain<S>)
    if (!S::in_domain(value)) atomicMin(&report->offender, static_cast<unsigned long long>(position));
  bounds.add(value, !(value == S::zero()));
}

inline constexpr int inspect_threads = 256;

// Operands that are not packed: those that one launch looks at, each by its share of the blocks.
template <class T>
struct inspection {
  operand_source<T> operand[3];  // A, B, D
  unsigned first_block[4];       // of each operand, and the end

  static index_t lines(const operand_source<T>& x) { return x.batch * (x.stride_depth == 1 ? x.rows : x.depth); }
};

template <class S>
__global__ void inspect_operands(const __grid_constant__ inspection<value_of<S>> p, operand_report* reports) {
  using T = value_of<S>;
  const int which = blockIdx.x < p.first_block[1] ? 0 : blockIdx.x < p.first_block[2] ? 1 : 2;
  const operand_source<T>& x = p.operand[which];
  operand_report* report = reports + which;
  const index_t first = blockIdx.x - p.first_block[which], stride = p.first_block[which + 1] - p.first_block[which];

  const bool by_depth = x.stride_depth == 1;  // threads run along whichever index is contiguous
  const index_t outer = by_depth ? x.rows : x.depth, inner = by_depth ? x.depth : x.rows;
  const index_t across = by_depth ? x.stride_row : x.stride_depth, along = by_depth ? x.stride_depth : x.stride_row;
  value_bounds<T> bounds;
  for (index_t line = first; line < x.batch * outer; line += stride) {
    const index_t b = line / outer, o = line % outer;
    const T* data = x.data + b * x.stride_batch + o * across;
#pragma unroll 4
    for (index_t n = threadIdx.x; n < inner; n += inspect_threads)
      inspect_value<S>(data[n * along], by_depth ? (b * x.rows + o) * x.depth + n : (b * x.rows + n) * x.depth + o,
                       bounds, report);
  }
  bounds.report(report);
}

inline constexpr int pack_threads = 256, pack_rows = 32;

template <class Atom, class T>
struct pack_target {
  static constexpr int deep = sizeof(T) <= 16 ? 64 : 16;  // elements along k that a block moves: 33 kB at most
  static constexpr int pack_depth = deep / Atom::lanes;   // as operands

  operand_source<T> source;
  typename Atom::operand* panels;
  index_t depth;                      // operands along k: ceil(k / lanes), rounded up to the atom's depth
  unsigned panel_rows;                // bm
  typename Atom::operand* lines;      // null, or the same operands by lines: [row][line_depth]
  index_t line_depth;                 // at most depth_blocks * pack_depth
  index_t padded_rows;                // of one matrix, whole panels
  unsigned row_blocks, depth_blocks;  // of one matrix

  pack_target(const operand_source<T>& from, const typename Atom::operand* to, int rows, index_t operands,
              const typename Atom::operand* to_lines = nullptr, index_t line_operands = 0)
      : source(from),
        panels(const_cast<typename Atom::operand*>(to)),
        depth(operands),
        panel_rows(rows),
        lines(const_cast<typename Atom::operand*>(to_lines)),
        line_depth(line_operands),
        padded_rows(ceil_div(from.rows, rows) * rows),
        row_blocks(gpu::grid_of(ceil_div(padded_rows, pack_rows))),
        depth_blocks(gpu::grid_of(ceil_div(operands, pack_depth))) {}
  // Of one matrix, and of the batch: a launcher has asked that a grid can have them.
  KLEENE_FUNCTION index_t blocks_each() const { return index_t{row_blocks} * depth_blocks; }
  KLEENE_FUNCTION unsigned blocks() const { return static_cast<unsigned>(source.batch * blocks_each()); }
};

template <class Atom, class T>
struct pack_pair {
  pack_target<Atom, T> operand[2];    // A, B
  operand_report* reports = nullptr;  // of A, of B; null: nobody asks
  const unsigned* done = nullptr;     // null, or not 0 where C is computed already

  unsigned blocks() const {
    return gpu::grid_of(operand[0].source.batch * operand[0].blocks_each() +
                        operand[1].source.batch * operand[1].blocks_each());
  }
};

// What one block of pack_operands moves: pack_rows x deep elements of one operand, from row0 and k0 on.
template <class S, class Atom>
struct pack_block {
  using T = value_of<S>;
  using target = pack_target<Atom, T>;
  static constexpr int lanes = Atom::lanes, deep = target::deep, pack_depth = target::pack_depth;
  static constexpr int steps = pack_rows * deep / pack_threads;  // elements of a thread
  static_assert(pack_threads % deep == 0 && pack_threads % pack_rows == 0 && deep % lanes == 0);
  using tile_row = T[pack_rows + 1];

  const target& x;
  unsigned row_block, depth_block;
  index_t batch, row0, k0;
  int first_k, next_k, first_i, next_i;  // (step of k, row) of a thread's first element, and from one to the next

  __device__ pack_block(const target& operand, unsigned block) : x(operand) {
    depth_block = block % x.depth_blocks;
    block /= x.depth_blocks;
    row_block = block % x.row_blocks;
    batch = block / x.row_blocks, row0 = index_t{row_block} * pack_rows, k0 = index_t(depth_block) * deep;
    const bool by_depth = x.source.stride_depth == 1;  // threads run along whichever index is contiguous
    const int thread = static_cast<int>(threadIdx.x);
    first_k = by_depth ? thread % deep : thread / pack_rows, next_k = by_depth ? 0 : pack_threads / pack_rows;
    first_i = by_depth ? thread / deep : thread % pack_rows, next_i = by_depth ? pack_threads / deep : 0;
  }

  __device__ __forceinline__ void load(T (&values)[steps]) const {
    const operand_source<T>& source = x.source;
    const index_t rows = source.rows - row0, left = source.depth - k0, from_row = source.excluded.nth_kept(row0);
    const T* from = source.data + batch * source.stride_batch + k0 * source.stride_depth;
    if (pack_rows <= rows && deep <= left &&
        source.excluded.nth_kept(row0 + pack_rows - 1) == from_row + pack_rows - 1) {
      const T* at = from + (from_row + first_i) * source.stride_row + first_k * source.stride_depth;
      const index_t next = next_i * source.stride_row + next_k * source.stride_depth;
#pragma unroll
      for (int s = 0; s < steps; ++s) values[s] = at[s * next];
    } else {
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        const int k = first_k + s * next_k, i = first_i + s * next_i;
        values[s] = S::zero();
        if (i < rows && k < left)
          values[s] = from[source.excluded.nth_kept(row0 + i) * source.stride_row + k * source.stride_depth];
      }
    }
  }

  __device__ __forceinline__ void inspect(const T (&values)[steps], operand_report* report) const {
    value_bounds<T> bounds;
    const index_t position = (batch * x.source.rows + row0 + first_i) * x.source.depth + k0 + first_k;
#pragma unroll
    for (int s = 0; s < steps; ++s)
      inspect_value<S>(values[s], position + s * (next_i * x.source.depth + next_k), bounds, report);
    bounds.report(report);
  }

  __device__ __forceinline__ void stage(const T (&values)[steps], tile_row* tile) const {
#pragma unroll
    for (int s = 0; s < steps; ++s) tile[first_k + s * next_k][first_i + s * next_i] = values[s];
  }

  __device__ __forceinline__ static typename Atom::operand operand_of(const tile_row* tile, int k, int row) {
    T together[lanes];
#pragma unroll
    for (int l = 0; l < lanes; ++l) together[l] = tile[k * lanes + l][row];
    return Atom::read(together);
  }

  // Into the panels. A thread writes along k, as its row may be of another panel than its neighbour's.
  __device__ __forceinline__ void store(const tile_row* tile) const {
    constexpr int stride = pack_threads / pack_rows;
    const unsigned lane = threadIdx.x % pack_rows;
    const unsigned in_panel = (row_block % x.panel_rows * pack_rows + lane) % x.panel_rows;  // row % panel_rows
    const index_t row = row0 + lane;
    if (row >= x.padded_rows) return;
    const int first = static_cast<int>(threadIdx.x) / pack_rows;
    const index_t done = index_t(depth_block) * pack_depth, last = x.depth - done;
    typename Atom::operand* to =
        x.panels + (batch * x.padded_rows + (row - in_panel)) * x.depth + (done + first) * x.panel_rows + in_panel;
    const index_t next = index_t(stride) * x.panel_rows;
    const auto write = [&](int s) { to[s * next] = operand_of(tile, first + s * stride, lane); };
    if (pack_depth <= last) {
#pragma unroll
      for (int s = 0; s < pack_depth / stride; ++s) write(s);
    } else {
#pragma unroll 1
      for (int s = 0; first + s * stride < last; ++s) write(s);
    }
  }

  // Into the lines, along k.
  __device__ __forceinline__ void store_lines(const tile_row* tile) const {
    const index_t done = index_t(depth_block) * pack_depth, last = x.line_depth - done, rows = x.source.rows - row0;
    typename Atom::operand* const to = x.lines + (batch * x.source.rows + row0) * x.line_depth + done;
#pragma unroll 4
    for (int n = threadIdx.x; n < pack_rows * pack_depth; n += pack_threads) {
      const int k = n % pack_depth, i = n / pack_depth;
      if (i < rows && k < last) to[i * x.line_depth + k] = operand_of(tile, k, i);
    }
  }
};

// Copies A and B into panels: a block moves its elements through shared memory, reading along whichever index is
// contiguous and writing along rows. A grid may have fewer blocks than there are to move: then each moves several.
// Waits for the launches before it only where it reports, or has to know what is done.
template <class S, class Atom>
__global__ void __launch_bounds__(pack_threads) pack_operands(const __grid_constant__ pack_pair<Atom, value_of<S>> p) {
  using T = value_of<S>;
  using moved = pack_block<S, Atom>;
  __shared__ alignas(16) unsigned char memory[sizeof(T) * moved::deep * (pack_rows + 1)];
  const auto tile = reinterpret_cast<typename moved::tile_row*>(memory);
  gpu::launch_dependents();
  if (p.done) {
    gpu::grid_dependency_wait();
    if (*p.done) return;
  }
  const unsigned blocks_a = p.operand[0].blocks(), all = blocks_a + p.operand[1].blocks();
  for (unsigned n = blockIdx.x; n < all; n += gridDim.x) {
    const int which = n < blocks_a ? 0 : 1;
    const moved block(p.operand[which], n < blocks_a ? n : n - blocks_a);
    T values[moved::steps];
    block.load(values);
    if (p.reports) {
      gpu::grid_dependency_wait();
      block.inspect(values, p.reports + which);
    }
    block.stage(values, tile);
    __syncthreads();
    block.store(tile);
    if (block.x.lines) block.store_lines(tile);
    __syncthreads();
  }
}

}  // namespace kleene::kernels::cuda
