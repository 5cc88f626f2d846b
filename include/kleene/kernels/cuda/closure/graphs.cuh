// Many small matrices, a block each: up to graph_size vertices in registers and shared memory, from the caller's values
// to the result in one go. And the predecessors of matrices of up to repair_size vertices, found as in
// predecessors.cuh, with the best arcs as bits.
#pragma once

#include "kleene/kernels/cuda/closure/predecessors/predecessors.cuh"

namespace kleene::kernels::cuda {

inline constexpr int graph_size = 64, repair_size = 256;

template <class T>
struct graphs_arguments {
  matrix_rows<T> a;
  matrix_rows<std::int32_t> p;  // data null: no predecessors wanted
  int* diverging;               // [count] -1, or set to a vertex whose star does not exist
  unsigned* overflow;           // [count] set to 1 by a finite result that does not fit
  std::int32_t* ties;           // matrices whose predecessors must be followed
  unsigned* tie_count;
};

template <class S, int Size>
struct graph_memory {
  using T = value_of<S>;
  pivot_memory<T, Size> pivots;
  alignas(16) unsigned char closed[Size * (Size + 1) * sizeof(T)];
  unsigned long long tails[Size];  // tails[v]: bit u is set where u -> v is a best arc
};

// One matrix a block, of up to Size vertices.
template <class S, int Size>
__global__ void __launch_bounds__(threads_for(Size), Size < 64                        ? 8
                                                     : sizeof(accumulator_of<S>) <= 4 ? 3
                                                                                      : 2)
    close_graphs(const __grid_constant__ graphs_arguments<value_of<S>> x) {
  using T = value_of<S>;
  using values = tile_values<S, Size>;
  __shared__ graph_memory<S, Size> shared;
  T(*closed)[Size + 1] = reinterpret_cast<T(*)[Size + 1]>(shared.closed);
  const int row0 = values::first_row(), col0 = values::first_column();
#pragma unroll 1
  for (index_t m = blockIdx.x; m < x.a.count; m += gridDim.x) {
    const int n = static_cast<int>(x.a.of(m * x.a.n).size);
    const tile_source<T> a{x.a.at(m, 0, 0), x.a.row_stride, x.a.col_stride};
    values arcs, tile;
    arcs.load(a, n, n);
    for_each_element([&](int i, int j) {
      tile.value[i][j] = arcs.value[i][j];
      if constexpr (has_unit_star<S>)
        if (row0 + i == col0 + j)
          tile.value[i][j] = normalise<S>(S::add(widen<S>(S::one()), widen<S>(tile.value[i][j])));
    });
    const int bad = close_tile(tile, n, shared.pivots);
    tile.store(a, n, n);
    if (tile.overflow) x.overflow[m] = 1;
    if (bad >= 0 && threadIdx.x == 0) x.diverging[m] = bad;
    if constexpr (is_selective<S>) {
      if (!x.p.data || bad >= 0) continue;
      for (int v = threadIdx.x; v < Size; v += threads_for(Size)) shared.tails[v] = 0;
      __syncthreads();
      unsigned direct = 0;
      for_each_element([&](int i, int j) {
        const int row = row0 + i, col = col0 + j;
        closed[row][col] = tile.value[i][j];
        if (!is_best_arc<S>(arcs.value[i][j], tile.value[i][j], row, col)) return;
        direct |= 1u << (tile_each * i + j);
        atomicOr(&shared.tails[col], 1ull << row);
      });
      __syncthreads();
      bool tie = false;
#pragma unroll 1
      for (int e = 0; e < tile_each * tile_each; ++e) {
        const int row = row0 + e / tile_each, col = col0 + e % tile_each;
        if (row >= n || col >= n) continue;
        std::int32_t chosen = -1;
        const T here = closed[row][col];
        if (direct >> e & 1) {
          chosen = row;
        } else if (row != col && !(here == S::zero())) {
          best_tail<S> best;
          for (unsigned long long left = shared.tails[col]; left != 0; left &= left - 1) {
            const int u = __ffsll(static_cast<long long>(left)) - 1;
            best.offer(u, closed[row][u], closed[u][col]);
          }
          chosen = best.tail;
          tie |= best.ties(here);
        }
        *x.p.at(m, row, col) = chosen;
      }
      if (__syncthreads_or(tie) && threadIdx.x == 0) x.ties[atomicAdd(x.tie_count, 1u)] = static_cast<std::int32_t>(m);
    }
  }
}

// Whether any matrix diverged or overflowed, so that the host reads no flags of matrices where none did.
static __global__ void __launch_bounds__(row_threads)
    flag_graphs(const int* diverging, const unsigned* overflow, index_t count, unsigned* flagged) {
  for (index_t m = index_t(blockIdx.x) * row_threads + threadIdx.x; m < count; m += index_t(gridDim.x) * row_threads)
    if (diverging[m] >= 0 || overflow[m]) *flagged = 1;
}

// Prepares matrices for close_blocks: sets the diagonal and, where `keep` has memory, saves the input weights there.
template <class S>
__global__ void __launch_bounds__(row_threads) prepare_graphs(const __grid_constant__ matrix_rows<value_of<S>> a,
                                                              const __grid_constant__ matrix_rows<value_of<S>> keep) {
  const index_t step = index_t(gridDim.x) * row_warps;
  for (index_t r = index_t(blockIdx.x) * row_warps + threadIdx.x / 32; r < a.total(); r += step) {
    const auto row = a.of(r);
    for (index_t j = threadIdx.x % 32; row.row < row.size && j < row.size; j += 32) {
      value_of<S>& value = *a.at(row.matrix, row.row, j);
      if (keep.data) *keep.at(row.matrix, row.row, j) = value;
      if constexpr (has_unit_star<S>)
        if (j == row.row) value = normalise<S>(S::add(widen<S>(S::one()), widen<S>(value)));
    }
  }
}

template <class T>
struct graph_repair_memory {
  std::uint32_t tails[repair_size][repair_size / 32];  // tails[v]: bits of the tails of best arcs into v
  alignas(16) unsigned char lines[row_warps * repair_size * sizeof(T)];
  std::uint32_t broken[repair_size / 32];

  __device__ T (*rows())[repair_size] { return reinterpret_cast<T(*)[repair_size]>(lines); }
  // Calls offer(u) for each tail of v.
  template <class Offer>
  __device__ void for_each_tail(int v, int n, const Offer& offer) const {
    for (int w = 0; w * 32 < n; ++w)
      for (std::uint32_t left = tails[v][w]; left != 0; left &= left - 1)
        offer(w * 32 + __ffs(static_cast<int>(left)) - 1);
  }
};

// P of matrices that close_blocks closed. `arcs`, the input weights, may lie in P's storage.
template <class S>
__global__ void __launch_bounds__(row_threads) recover_graphs(const __grid_constant__ graphs_arguments<value_of<S>> x,
                                                              const __grid_constant__ matrix_rows<value_of<S>> arcs) {
  using T = value_of<S>;
  __shared__ graph_repair_memory<T> shared;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (index_t m = blockIdx.x; m < x.a.count; m += gridDim.x) {
    if (x.diverging[m] >= 0) continue;
    const int n = static_cast<int>(x.a.of(m * x.a.n).size);
    __syncthreads();
    for (int w = threadIdx.x; w < repair_size * (repair_size / 32); w += row_threads)
      shared.tails[w / (repair_size / 32)][w % (repair_size / 32)] = 0;
    __syncthreads();
    for (int i = warp; i < n; i += row_warps)
      for (int j = lane; j < n; j += 32)
        if (is_best_arc<S>(*arcs.at(m, i, j), *x.a.at(m, i, j), i, j)) atomicOr(&shared.tails[j][i / 32], 1u << i % 32);
    __syncthreads();
    T* const row = shared.rows()[warp];
    bool tie = false;
    for (int i = warp; i < n; i += row_warps) {
      __syncwarp();
      for (int j = lane; j < n; j += 32) row[j] = *x.a.at(m, i, j);
      __syncwarp();
      for (int j = lane; j < n; j += 32) {
        std::int32_t chosen = -1;
        if (shared.tails[j][i / 32] >> i % 32 & 1) {
          chosen = i;
        } else if (j != i && !(row[j] == S::zero())) {
          best_tail<S> best;
          shared.for_each_tail(j, n, [&](int u) { best.offer(u, row[u], *x.a.at(m, u, j)); });
          chosen = best.tail;
          tie |= best.ties(row[j]);
        }
        *x.p.at(m, i, j) = chosen;
      }
    }
    if (__syncthreads_or(tie) && threadIdx.x == 0) x.ties[atomicAdd(x.tie_count, 1u)] = static_cast<std::int32_t>(m);
  }
}

// Repairs the matrices noted in `ties`: follows the predecessors of every row by pointer doubling, and searches again
// the rows in which a chain has a cycle. A best arc u -> v is one with P(u, v) == u; its weight is A(u, v).
template <class S>
__global__ void __launch_bounds__(row_threads)
    repair_graphs(const __grid_constant__ graphs_arguments<value_of<S>> x, unsigned* broken_count) {
  using T = value_of<S>;
  __shared__ graph_repair_memory<T> shared;
  __shared__ std::int32_t chains[row_warps][repair_size];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned t = blockIdx.x; t < *x.tie_count; t += gridDim.x) {
    const index_t m = x.ties[t];
    const int n = static_cast<int>(x.a.of(m * x.a.n).size);
    __syncthreads();
    if (threadIdx.x < repair_size / 32) shared.broken[threadIdx.x] = 0;
    __syncthreads();

    volatile std::int32_t* const next = chains[warp];
    for (int i = warp; i < n; i += row_warps) {
      for (int j = lane; j < n; j += 32) next[j] = j == i ? i : *x.p.at(m, i, j);
      __syncwarp();
      for (int reach = 1; reach < n; reach *= 2) {
        for (int j = lane; j < n; j += 32)
          if (const std::int32_t u = next[j]; u >= 0)
            if (const std::int32_t further = next[u]; further >= 0) next[j] = further;
        __syncwarp();
      }
      bool bad = false;
      for (int j = lane; j < n; j += 32) bad |= next[j] >= 0 && next[j] != i;
      if (__any_sync(~0u, bad) && lane == 0) atomicOr(&shared.broken[i / 32], 1u << i % 32);
      __syncwarp();
    }
    __syncthreads();
    bool any = false;
    for (int w = 0; w < repair_size / 32; ++w) any |= shared.broken[w] != 0;
    if (!any) continue;

    for (int v = warp; v < n; v += row_warps)
      for (int u0 = 0; u0 < n; u0 += 32) {
        const int u = u0 + lane;
        const std::uint32_t tails = __ballot_sync(~0u, u < n && *x.p.at(m, u, v) == u);
        if (lane == 0) shared.tails[v][u0 / 32] = tails;
      }
    T* const weights = shared.rows()[0];  // of the arcs out of the root, whose row is written
    for (int root = 0; root < n; ++root) {
      if (!(shared.broken[root / 32] >> root % 32 & 1)) continue;
      if (threadIdx.x == 0) atomicAdd(broken_count, 1u);
      __syncthreads();
      for (int j = threadIdx.x; j < n; j += row_threads) {
        weights[j] = load_fresh(x.a.at(m, root, j));
        *x.a.at(m, root, j) = j == root ? S::one() : S::zero();
        *x.p.at(m, root, j) = -1;
      }
      bool changed = true;
      for (int round = 0; round < n && changed; ++round) {
        __syncthreads();
        bool mine = false;
        for (int j = threadIdx.x; j < n; j += row_threads) {
          if (j == root) continue;
          T best = load_fresh(x.a.at(m, root, j));
          std::int32_t tail = -1;
          shared.for_each_tail(j, n, [&](int u) {
            const T weight = u == root ? weights[j] : load_fresh(x.a.at(m, u, j));
            const T path = normalise<S>(
                S::add(widen<S>(best), S::mul(widen<S>(load_fresh(x.a.at(m, root, u))), widen<S>(weight))));
            if (!(path == best)) best = path, tail = u;
          });
          if (tail < 0) continue;
          *x.p.at(m, root, j) = tail;
          *x.a.at(m, root, j) = best;
          mine = true;
        }
        changed = __syncthreads_or(mine);
      }
    }
  }
}

}  // namespace kleene::kernels::cuda
