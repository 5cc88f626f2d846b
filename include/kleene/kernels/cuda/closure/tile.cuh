// What closures do with one tile of elements, spread over the registers of a block: the product of two tiles, and the
// closure of one. Block-level pieces: every thread of the block calls them.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/view.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// Large matrices are closed tile by tile; the CPU's leaf has the same size, as the order of additions is part of the
// result. A thread holds 4 x 4 elements.
inline constexpr int tile_size = 64, tile_each = 4;
constexpr int threads_for(int size) { return size / tile_each * (size / tile_each); }
inline constexpr int tile_threads = threads_for(tile_size);

// A matrix in global memory, any strides. Loads go to L2 (load_fresh), as other blocks of the team write to it.
template <class T>
struct tile_source {
  T* data;
  index_t row_stride, col_stride;

  __device__ T* at(index_t i, index_t j) const { return data + i * row_stride + j * col_stride; }
  __device__ tile_source from(index_t i, index_t j) const { return {at(i, j), row_stride, col_stride}; }
};

template <class T>
__device__ __forceinline__ T load_fresh(const T* from) {
  T value;
  if constexpr (sizeof(T) == 4) *reinterpret_cast<unsigned*>(&value) = __ldcg(reinterpret_cast<const unsigned*>(from));
  else if constexpr (sizeof(T) == 8)
    *reinterpret_cast<unsigned long long*>(&value) = __ldcg(reinterpret_cast<const unsigned long long*>(from));
  else
    for (std::size_t n = 0; n < sizeof(T); ++n)
      reinterpret_cast<unsigned char*>(&value)[n] = __ldcg(reinterpret_cast<const unsigned char*>(from) + n);
  return value;
}

template <class Body>
__device__ __forceinline__ void for_each_element(const Body& body) {
#pragma unroll
  for (int i = 0; i < tile_each; ++i)
#pragma unroll
    for (int j = 0; j < tile_each; ++j) body(i, j);
}

// One tile of Size x Size elements. A thread holds 4 x 4 of them, from (first_row(), first_column()) on.
template <class S, int Size = tile_size>
struct tile_values {
  using T = value_of<S>;
  T value[tile_each][tile_each];
  bool overflow = false;

  __device__ static int first_row() { return threadIdx.x / (Size / tile_each) * tile_each; }
  __device__ static int first_column() { return threadIdx.x % (Size / tile_each) * tile_each; }

  __device__ T put(const accumulator_of<S>& sum) {
    if constexpr (can_overflow<S>) overflow |= S::overflows(sum);
    return normalise<S>(sum);
  }
  // rows x cols elements; what lies beyond is zero().
  __device__ void load(const tile_source<T>& a, int rows, int cols) {
    for_each_element([&](int i, int j) {
      const int row = first_row() + i, col = first_column() + j;
      value[i][j] = row < rows && col < cols ? load_fresh(a.at(row, col)) : T(S::zero());
    });
  }
  __device__ void store(const tile_source<T>& a, int rows, int cols) const {
    for_each_element([&](int i, int j) {
      const int row = first_row() + i, col = first_column() + j;
      if (row < rows && col < cols) *a.at(row, col) = value[i][j];
    });
  }
};

// Shared memory of tile_products.
template <class T>
struct product_memory {
  static constexpr int depth = sizeof(T) <= 8 ? 32 : 8;  // steps of k that are in shared memory at once
  static constexpr int pitch = tile_size + 4;
  alignas(16) unsigned char operands[2 * depth * pitch * sizeof(T)];

  __device__ T (*a())[pitch] { return reinterpret_cast<T(*)[pitch]>(operands); }
  __device__ T (*b())[pitch] { return a() + depth; }
};

// Sums over k. For integer sums that could wrap, the sum of magnitudes is kept, too.
template <class S>
struct tile_products {
  using A = accumulator_of<S>;
  using T = value_of<S>;
  using values = tile_values<S>;
  static constexpr int deep = product_memory<T>::depth, count = deep * tile_size / tile_threads;
  static constexpr int unroll = is_long<S> ? 1 : 8;
  static constexpr bool watches = can_wrap<S> && std::is_integral_v<T>;
  A sum[tile_each][tile_each];
  double magnitude[watches ? tile_each : 1][watches ? tile_each : 1];

  // a: tile_size x depth (rows beyond `rows` are not read), b: depth x tile_size (columns beyond `cols`). The operands
  // of the next steps are in flight while these are worked on.
  __device__ void multiply(const tile_source<T>& a, int rows, const tile_source<T>& b, int cols, int depth,
                           product_memory<T>& shared) {
    for_each_element([&](int i, int j) {
      sum[i][j] = widen<S>(S::zero());
      if constexpr (watches) magnitude[i][j] = 0;
    });
    T next_a[count], next_b[count];
    fetch(next_a, next_b, a, rows, b, cols, 0, depth);
    const auto left = shared.a(), right = shared.b();
#pragma unroll 1
    for (int k0 = 0; k0 < depth; k0 += deep) {
      __syncthreads();
#pragma unroll
      for (int n = 0; n < count; ++n) {
        const int at = n * tile_threads + threadIdx.x;
        left[at % deep][at / deep] = next_a[n];
        right[at / tile_size][at % tile_size] = next_b[n];
      }
      __syncthreads();
      if (k0 + deep < depth) fetch(next_a, next_b, a, rows, b, cols, k0 + deep, depth);
#pragma unroll unroll
      for (int k = 0; k < deep; ++k) step(left[k] + values::first_row(), right[k] + values::first_column());
    }
  }

  // tile := products, or tile := tile (+) products.
  __device__ void store(values& tile, bool accumulate) const {
    for_each_element([&](int i, int j) {
      T& value = tile.value[i][j];
      value = tile.put(accumulate ? S::add(sum[i][j], widen<S>(value)) : sum[i][j]);
      if constexpr (watches) tile.overflow |= magnitude[i][j] > 9.2e18;
    });
  }

 private:
  __device__ static void fetch(T (&next_a)[count], T (&next_b)[count], const tile_source<T>& a, int rows,
                               const tile_source<T>& b, int cols, int k0, int depth) {
#pragma unroll
    for (int n = 0; n < count; ++n) {
      const int at = n * tile_threads + threadIdx.x;
      const int i = at / deep, ka = k0 + at % deep;            // along rows of A
      const int j = at % tile_size, kb = k0 + at / tile_size;  // along rows of B
      next_a[n] = i < rows && ka < depth ? load_fresh(a.at(i, ka)) : T(S::zero());
      next_b[n] = j < cols && kb < depth ? load_fresh(b.at(kb, j)) : T(S::zero());
    }
  }
  __device__ __forceinline__ void step(const T* left, const T* right) {
    A a[tile_each], b[tile_each];
#pragma unroll
    for (int n = 0; n < tile_each; ++n) a[n] = widen<S>(left[n]), b[n] = widen<S>(right[n]);
    for_each_element([&](int i, int j) {
      sum[i][j] = S::add(sum[i][j], S::mul(a[i], b[j]));
      if constexpr (watches) magnitude[i][j] += fabs(static_cast<double>(a[i]) * static_cast<double>(b[j]));
    });
  }
};

// Shared memory of close_tile: pivot rows and columns, two of each, so that one barrier a vertex is enough.
template <class T, int Size = tile_size>
struct pivot_memory {
  alignas(16) unsigned char lines[4 * Size * sizeof(T)];

  __device__ T (*rows())[Size] { return reinterpret_cast<T(*)[Size]>(lines); }
  __device__ T (*columns())[Size] { return rows() + 2; }
};

// Closes the first n x n elements of a tile, vertex by vertex (Gauss-Jordan elimination over the semiring). Returns the
// vertex whose star does not exist, or -1; the same for all threads. Where loops add nothing (has_unit_star) the
// diagonal holds one() or better.
template <class S, int Size>
__device__ int close_tile(tile_values<S, Size>& tile, int n, pivot_memory<value_of<S>, Size>& shared) {
  using A = accumulator_of<S>;
  using values = tile_values<S, Size>;
  const auto rows = shared.rows(), columns = shared.columns();
  const int row0 = values::first_row(), col0 = values::first_column();
  __syncthreads();
  // log_plus, 4000 matrices of 64: f64 10.3 ms in four copies and 6.8 in one, f32 2.2 and 2.4.
  constexpr int unroll = is_long<S> && sizeof(A) > 4 ? 1 : tile_each;
#pragma unroll 1
  for (int k0 = 0; k0 < n; k0 += tile_each) {
#pragma unroll unroll
    for (int q = 0; q < tile_each; ++q) {
      const int k = k0 + q, half = q % 2;
      if (k >= n) break;
      if (row0 == k0)
        for_each_element([&](int i, int j) {
          if (i == q) rows[half][col0 + j] = tile.value[i][j];
        });
      if (col0 == k0)
        for_each_element([&](int i, int j) {
          if (j == q) columns[half][row0 + i] = tile.value[i][j];
        });
      __syncthreads();

      const A pivot = widen<S>(rows[half][k]);
      A left[tile_each], right[tile_each];
#pragma unroll
      for (int e = 0; e < tile_each; ++e) {
        left[e] = widen<S>(columns[half][row0 + e]);
        right[e] = widen<S>(rows[half][col0 + e]);
      }
      if (!star_exists<S>(pivot)) return k;
      if constexpr (has_unit_star<S>) {
        for_each_element([&](int i, int j) {
          tile.value[i][j] = tile.put(S::add(widen<S>(tile.value[i][j]), S::mul(left[i], right[j])));
        });
      } else {
        const A loop = star<S>(pivot);
#pragma unroll
        for (int j = 0; j < tile_each; ++j)
          right[j] = widen<S>(tile.put(col0 + j == k ? loop : S::mul(loop, right[j])));
        for_each_element([&](int i, int j) {
          if (row0 + i == k) {
            tile.value[i][j] = normalise<S>(right[j]);
          } else {
            const A kept = widen<S>(col0 + j == k ? value_of<S>(S::zero()) : tile.value[i][j]);
            tile.value[i][j] = tile.put(S::add(kept, S::mul(left[i], right[j])));
          }
        });
      }
    }
  }
  return -1;
}

}  // namespace kleene::kernels::cuda
