// Closes matrices of a few tiles: the diagonal blocks of a large one, or many small ones. A team of blocks closes one
// matrix, tile by tile along the diagonal, in the order of the CPU's blocked elimination:
//
//   close     the diagonal tile D                                  one block
//   panels    the tiles R of its row: R := D R; of its column: L := L D, the old L kept aside
//   update    everything else: A := A (+) L R with the old L       and on to the next diagonal tile
//
// A team of one block needs no barrier across blocks. Larger teams use one on a counter in global memory, so all of
// their blocks must be resident at once: they are few, and whatever runs beside them finishes without them.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/excluded_range.hpp"
#include "kleene/kernels/cuda/closure/tile.cuh"

namespace kleene::kernels::cuda {

template <class T>
struct team_arguments {
  T* a = nullptr;  // [count] matrices
  index_t count = 1, n = 0, batch_stride = 0, row_stride = 0, col_stride = 0;
  const std::int32_t* sizes = nullptr;  // of each matrix where they differ; at most n
  int team = 1;                         // blocks of a team

  // The update that the matrix still needs before it is closed (diagonal blocks of a large one): A := A (+) left right.
  // Row-major; depth 0: none.
  const T* left = nullptr;
  const T* right = nullptr;
  index_t left_stride = 0, right_stride = 0, depth = 0;

  T* columns = nullptr;          // [teams] n x tile_size: the old columns
  unsigned* arrivals = nullptr;  // team > 1: 0 at launch
  int* diverging = nullptr;      // [count] -1, or set to first_vertex + the vertex whose star does not exist
  int first_vertex = 0;
  unsigned* overflow = nullptr;  // [count] set to 1 by a finite result that does not fit
};

// A barrier for the blocks of a team.
struct team_barrier {
  unsigned* arrivals;
  unsigned size, target;

  __device__ void arrive_and_wait() {
    __syncthreads();
    if (size == 1) return;
    target += size;
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrivals, 1u);
      while (*reinterpret_cast<volatile unsigned*>(arrivals) < target) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

template <class T>
struct team_memory {
  product_memory<T> products;
  pivot_memory<T> pivots;
};

template <class S>
struct team_member {
  using T = value_of<S>;
  using values = tile_values<S>;

  const team_arguments<T>& x;
  team_memory<T>& shared;
  team_barrier barrier;
  int rank, matrix, n, tiles;
  tile_source<T> a, columns;

  __device__ int extent(int tile) const { return min(tile_size, n - tile * tile_size); }
  __device__ tile_source<T> at(int i, int j) const { return a.from(i * tile_size, j * tile_size); }
  __device__ bool diverges() const { return *reinterpret_cast<volatile int*>(x.diverging + matrix) >= 0; }

  // One tile: := or (+)= left right, then closed if it is the next on the diagonal.
  struct task {
    int i, j;                    // the tile
    tile_source<T> left, right;  // of `depth` columns and rows; none where depth is 0
    int depth;
    bool accumulates, keeps, closes;  // keeps: saves the old tile in `columns`
  };
  __device__ void perform(const task& now) {
    const int rows = extent(now.i), cols = extent(now.j);
    values tile;
    if (now.keeps) {
      tile.load(at(now.i, now.j), rows, cols);
      tile.store(columns.from(now.i * tile_size, 0), rows, tile_size);
    }
    if (now.depth == 0) {
      tile.load(at(now.i, now.j), rows, cols);
    } else {  // the tile itself is read late: the products need the registers
      tile_products<S> products;
      products.multiply(now.left, rows, now.right, cols, now.depth, shared.products);
      if (now.accumulates) tile.load(at(now.i, now.j), rows, cols);
      products.store(tile, now.accumulates);
    }
    if (now.closes) {
      const int bad = close_tile(tile, rows, shared.pivots);
      if (bad >= 0 && threadIdx.x == 0) x.diverging[matrix] = x.first_vertex + now.i * tile_size + bad;
    }
    tile.store(at(now.i, now.j), rows, cols);
    if (tile.overflow) x.overflow[matrix] = 1;
  }

  // The t-th task of a phase.
  __device__ task start_task(int t) const {
    const int i = t / tiles, j = t % tiles;
    const tile_source<T> left{const_cast<T*>(x.left), x.left_stride, 1};
    const tile_source<T> right{const_cast<T*>(x.right), x.right_stride, 1};
    return {i,     j,     left.from(i * tile_size, 0), right.from(0, j * tile_size), static_cast<int>(x.depth), true,
            false, t == 0};
  }
  __device__ task panel_task(int t, int k) const {
    const int others = tiles - 1, other = t % others + (t % others >= k);
    if (t < others) return {k, other, at(k, k), at(k, other), extent(k), false, false, false};  // R := D R
    return {other, k, at(other, k), at(k, k), extent(k), false, true, false};                   // L := L D
  }
  __device__ task update_task(int t, int k) const {  // the next diagonal tile comes first: rank 0 closes it at once
    const int others = tiles - 1, n = (t + (k < others ? k * others + k : 0)) % (others * others);
    const int i = n / others + (n / others >= k), j = n % others + (n % others >= k);
    return {i, j, columns.from(i * tile_size, 0), at(k, j), extent(k), true, false, i == j && i == k + 1};
  }

  // All phases are one loop, so that perform() is compiled once: phase 0 starts, odd phases are panels, even ones
  // updates.
  __device__ void run() {
    const int others = tiles - 1;
#pragma unroll 1
    for (int phase = 0; phase <= 2 * tiles; ++phase) {
      const int k = (phase - 1) / 2;
      const int tasks = phase == 0 ? (x.depth > 0 ? tiles * tiles : 1) : phase % 2 == 1 ? 2 * others : others * others;
#pragma unroll 1
      for (int t = rank; t < tasks; t += x.team)
        perform(phase == 0 ? start_task(t) : phase % 2 == 1 ? panel_task(t, k) : update_task(t, k));
      if (others == 0) return;
      barrier.arrive_and_wait();
      if (diverges()) return;
    }
  }
};

// Blocks on a multiprocessor. With three the compiler spills registers and a step takes 12 % longer (4-byte elements).
inline constexpr int resident_teams = 2;

template <class S>
__global__ void __launch_bounds__(tile_threads, resident_teams)
    close_blocks(const __grid_constant__ team_arguments<value_of<S>> x) {
  using T = value_of<S>;
  __shared__ team_memory<T> shared;
  const int team = blockIdx.x / x.team, teams = gridDim.x / x.team, rank = blockIdx.x % x.team;
  team_member<S> member{x, shared, {x.arrivals, static_cast<unsigned>(x.team), 0}, rank};
  member.columns = {x.columns + index_t(team) * x.n * tile_size, tile_size, 1};
#pragma unroll 1
  for (index_t m = team; m < x.count; m += teams) {
    member.matrix = static_cast<int>(m);
    member.n = x.sizes ? x.sizes[m] : static_cast<int>(x.n);
    member.tiles = ceil_div(member.n, tile_size);
    member.a = {x.a + m * x.batch_stride, x.row_stride, x.col_stride};
    if (member.n > 0 && !member.diverges()) member.run();
    __syncthreads();
  }
}

// C := left right, a tile a block: products so small that time is latency, where gemm's large tiles would leave most of
// the device idle. left: rows x depth, right: depth x cols, C: rows x cols without the columns in `excluded` (whole
// tiles); those columns of `right` are left out, too.
template <class T>
struct strip_arguments {
  const T* left = nullptr;
  const T* right = nullptr;
  T* c = nullptr;
  index_t rows = 0, cols = 0, depth = 0, left_stride = 0, right_stride = 0, c_stride = 0;
  excluded_range excluded{};
  const int* stop = nullptr;
  unsigned* overflow = nullptr;
};
template <class S>
__global__ void __launch_bounds__(tile_threads, resident_teams)
    multiply_strip(const __grid_constant__ strip_arguments<value_of<S>> x) {
  using T = value_of<S>;
  if (*x.stop >= 0) return;
  __shared__ product_memory<T> shared;
  const index_t i = index_t(blockIdx.y) * tile_size, j = index_t(blockIdx.x) * tile_size, at = x.excluded.nth_kept(j);
  const int rows = static_cast<int>(min(index_t(tile_size), x.rows - i)),
            cols = static_cast<int>(min(index_t(tile_size), x.cols - j));
  const tile_source<T> left{const_cast<T*>(x.left), x.left_stride, 1},
      right{const_cast<T*>(x.right), x.right_stride, 1};
  tile_products<S> products;
  products.multiply(left.from(i, 0), rows, right.from(0, at), cols, static_cast<int>(x.depth), shared);
  tile_values<S> tile;
  products.store(tile, false);
  tile.store({x.c + i * x.c_stride + at, x.c_stride, 1}, rows, cols);
  if (tile.overflow) *x.overflow = 1;
}

}  // namespace kleene::kernels::cuda
