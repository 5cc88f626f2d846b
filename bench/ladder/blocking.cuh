// The first rung: a block of 8 warps computes 128 x 128 elements of C. It loads 128 x 64 of A and 64 x 128 of B to
// shared memory, where each of them is used 128 times, and multiplies them on the tensor cores: a warp holds 64 x 32
// sums in its registers, as tiles of 16 x 8. Copying and multiplying take turns.
#pragma once

#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/mma.cuh"
#include "kleene/kernels/cuda/gemm/mma/load.cuh"
#include "ladder/naive.cuh"

namespace kleene::bench {

using namespace kernels::cuda;

struct ladder_tiles {
  static constexpr int edge = 128, depth = 64, threads = 256;  // a step of k is 128 bytes of a row of A
  static constexpr int bytes_a = edge * 128, bytes = 2 * bytes_a;

  // Rows of 128 bytes in eight chunks. ldmatrix reads a chunk of eight rows at once: they are swizzled, so that these
  // lie in different banks.
  __device__ static int place(int row, int chunk) { return row * 128 + (chunk ^ swizzle_of(row)) * 16; }
};

// Calls copy(place in shared memory, address in global memory) for the 16 bytes that this thread copies of each tile: A
// in 128 rows of 64 k; B in 64 rows of 64 columns, twice.
template <class Copy>
__device__ __forceinline__ void for_each_chunk(const ladder_product& p, int k0, const Copy& copy) {
  const int row0 = blockIdx.y * ladder_tiles::edge, col0 = blockIdx.x * ladder_tiles::edge, chunk = threadIdx.x % 8;
#pragma unroll
  for (int r = threadIdx.x / 8; r < 128; r += 32) {
    const int panel = r / 64, k = r % 64;
    copy(ladder_tiles::place(r, chunk), p.a + (row0 + r) * p.k + k0 + chunk * 8);
    copy(ladder_tiles::bytes_a + ladder_tiles::place(r, chunk), p.b + (k0 + k) * p.n + col0 + panel * 64 + chunk * 8);
  }
}

// What a thread holds of its warp's 4 x 4 tiles of 16 x 8: see mma_op.
using ladder_sums = float[4][4][4];

// Adds the product of two tiles in shared memory, 16 of k at a time.
__device__ __forceinline__ void multiply_tiles(ladder_sums& sum, std::uint32_t tiles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp % 2 * 64, col = warp / 2 * 32;
#pragma unroll
  for (int k = 0; k < ladder_tiles::depth; k += 16) {
    unsigned a[4][4], b[2][4];
#pragma unroll
    for (int m = 0; m < 4; ++m)
      gpu::ldmatrix(a[m], tiles + ladder_tiles::place(row + m * 16 + lane % 16, k / 8 + lane / 16));
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const int chunk = (col + n * 16) / 8 + lane / 16;
      gpu::ldmatrix_transposed(
          b[n], tiles + ladder_tiles::bytes_a + ladder_tiles::place(chunk / 8 * 64 + k + lane % 16, chunk % 8));
    }
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const unsigned column[2] = {b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]};
        gpu::mma_op<bf16>::add(sum[m][n], a[m], column);
      }
  }
}

__device__ __forceinline__ void store_sums(const ladder_product& p, const ladder_sums& sum) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.y * ladder_tiles::edge + warp % 2 * 64 + lane / 4;
  const int col = blockIdx.x * ladder_tiles::edge + warp / 2 * 32 + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < 4; ++m)
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<float2*>(p.c + (row + m * 16 + half * 8) * p.n + col + n * 8) =
            make_float2(sum[m][n][2 * half], sum[m][n][2 * half + 1]);
}

__global__ void __launch_bounds__(ladder_tiles::threads) blocking_product(const ladder_product p) {
  __shared__ __align__(128) unsigned char tiles[ladder_tiles::bytes];
  ladder_sums sum = {};
  for (int k0 = 0; k0 < p.k; k0 += ladder_tiles::depth) {
    __syncthreads();  // everybody is done with the tiles before
    for_each_chunk(p, k0, [&](int place, const bf16* from) {
      *reinterpret_cast<uint4*>(tiles + place) = *reinterpret_cast<const uint4*>(from);
    });
    __syncthreads();
    multiply_tiles(sum, gpu::shared_address(tiles));
  }
  store_sums(p, sum);
}

inline void launch_blocking(const ladder_product& p, cudaStream_t stream) {
  blocking_product<<<dim3(p.n / ladder_tiles::edge, p.m / ladder_tiles::edge), ladder_tiles::threads, 0, stream>>>(p);
}

}  // namespace kleene::bench
