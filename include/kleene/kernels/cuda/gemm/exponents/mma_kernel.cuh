// The same product (kernel.cuh) on the tensor cores of sm_80 and later, a warp at a time, for devices without warpgroup
// instructions: mma.sync sums 15 or 31 products, and the greatest sum of each element is kept.
//
// A block makes 256 x 128 elements, eight warps 64 x 64 of them each: the tile of a cluster on sm_90, whose panels of
// codes it reads. While it multiplies a piece of 64 codes of k, asynchronous copies load the next. A warp loads half a
// piece of its columns of B into registers, then 16 rows of A at a time, and folds each sum as it is there: sums are
// short-lived, only the greatest take registers throughout, 128 a thread.
#pragma once

#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/gpu/ptx/mma.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"
#include "kleene/kernels/cuda/gemm/exponents/store.cuh"

namespace kleene::kernels::cuda {

// A block's pieces, step after step: the panels of A, then those of B, each contiguous.
struct exponent_copies {
  using P = exponents_sm80;
  static constexpr int panel_a = exponents_sm90::block_rows * 8, panel_b = exponents_sm90::part_cols * 8;  // chunks
  static constexpr int panels_a = P::rows * 8 / panel_a, panels_b = P::cols * 8 / panel_b;
  static_assert(panel_a % P::threads == 0 && panel_b % P::threads == 0);

  const uint4 *a, *b;  // this thread's first chunk of the next step
  int steps;
  std::uint32_t place;

  template <class G>
  __device__ exponent_copies(const exponents_arguments<G>& p, raster_tile tile, int all_steps)
      : a(p.a.piece(index_t{tile.row} * panels_a, 0, all_steps) + threadIdx.x),
        b(p.b.piece(index_t{tile.col} * panels_b, 0, all_steps) + threadIdx.x),
        steps(all_steps),
        place(threadIdx.x * 16) {}

  __device__ __forceinline__ void next(std::uint32_t buffer) {
    copy<panels_a, panel_a>(buffer + place, a, steps);
    copy<panels_b, panel_b>(buffer + P::bytes_a + place, b, steps);
    a += panel_a, b += panel_b;
  }

 private:
  template <int Panels, int Chunks>
  __device__ static __forceinline__ void copy(std::uint32_t to, const uint4* from, int steps) {
#pragma unroll
    for (int panel = 0; panel < Panels; ++panel)
#pragma unroll
      for (int n = 0; n < Chunks; n += P::threads)
        gpu::cp_async(to + (panel * Chunks + n) * 16, from + index_t{panel} * steps * Chunks + n);
  }
};

// The greatest sums of a warp's 64 x 64 elements, as they are or as keys: of 16 rows at a time, as store.cuh has them.
template <int Terms, exponents_kind Kind>
struct exponent_warp_folder {
  using P = exponents_sm80;
  using op = gpu::mma_op<bf16>;
  static constexpr int strips = P::warp_rows / 16, columns = P::warp_cols / 8;

  int best[strips][32];
  // Where this lane reads the fragments of A and of B: its row of the first tiles, and its chunk of the first 16 codes.
  std::uint32_t row_a, row_b, chunk_a, chunk_b;

  __device__ exponent_warp_folder(int row, int col) {
    const int lane = gpu::lane_id(), low = lane / 8 % 2, high = lane / 16, in_tile = lane % 8;
    row_a = (row + low * 8 + in_tile) * 128, chunk_a = gpu::swizzled_chunk(in_tile, high) * 16;
    row_b = P::bytes_a + (col + high * 8 + in_tile) * 128, chunk_b = gpu::swizzled_chunk(in_tile, low) * 16;
#pragma unroll
    for (int m = 0; m < strips; ++m)
#pragma unroll
      for (int e = 0; e < 32; ++e) best[m][e] = 0;
  }

  // Half a piece, 32 codes: two sums of 15 products or one of 31. `after` sums follow.
  __device__ __forceinline__ void fold(std::uint32_t piece, int half, int after) {
    unsigned b[2][columns / 2][4];
#pragma unroll
    for (int s = 0; s < 2; ++s)
#pragma unroll
      for (int n = 0; n < columns / 2; ++n)
        gpu::ldmatrix(b[s][n], piece + row_b + n * 2048 + (chunk_b ^ (half * 2 + s) * 32));
#pragma unroll
    for (int m = 0; m < strips; ++m) {
      unsigned a[2][4];
#pragma unroll
      for (int s = 0; s < 2; ++s) gpu::ldmatrix(a[s], piece + row_a + m * 2048 + (chunk_a ^ (half * 2 + s) * 32));
#pragma unroll
      for (int n = 0; n < columns; ++n) {
        const unsigned first[2] = {b[0][n / 2][n % 2 * 2], b[0][n / 2][n % 2 * 2 + 1]};
        const unsigned second[2] = {b[1][n / 2][n % 2 * 2], b[1][n / 2][n % 2 * 2 + 1]};
        fold_sums(best[m], n * 4, a, first, second, after);
      }
    }
  }

 private:
  __device__ static __forceinline__ void fold_sums(int (&best)[32], int at, const unsigned (&a)[2][4],
                                                   const unsigned (&first)[2], const unsigned (&second)[2], int after) {
    float x[4], y[4];
    op::set(x, a[0], first);
    if constexpr (Terms == 31) op::add(x, a[1], second);
    else op::set(y, a[1], second);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      int sum = __float_as_int(x[e]);
      if constexpr (Terms == 31) {
        best[at + e] = max(best[at + e], sum);
      } else {
        int next = __float_as_int(y[e]);
        if constexpr (Kind == exponents_kind::keyed)
          sum = exponent_key::of(sum, after + 1), next = exponent_key::of(next, after);
        best[at + e] = __vimax3_s32(best[at + e], sum, next);
      }
    }
  }
};

// Stores 16 rows of a warp's elements after the other. The others wait where the pieces were: one store is compiled,
// and needs the registers.
template <int Terms, exponents_kind Kind, class G>
__device__ __forceinline__ void store_strips(const exponents_arguments<G>& p, exponent_warp_folder<Terms, Kind>& of,
                                             std::uint32_t buffers, index_t row, index_t col) {
  using P = exponents_sm80;
  static_assert((of.strips - 1) * 32 * 4 * P::threads <= P::shared_bytes);
  const std::uint32_t own = buffers + threadIdx.x * 4;
  __syncthreads();
#pragma unroll
  for (int m = 1; m < of.strips; ++m)
#pragma unroll
    for (int e = 0; e < 32; ++e) gpu::store_shared(own + ((m - 1) * 32 + e) * P::threads * 4, of.best[m][e]);
#pragma unroll 1
  for (int m = 0; m < of.strips; ++m) {
    if (m > 0)
#pragma unroll
      for (int e = 0; e < 32; ++e) gpu::load_shared(of.best[0][e], own + ((m - 1) * 32 + e) * P::threads * 4);
    store_greatest<Terms, Kind>(p, of.best[0], row + m * 16, col);
  }
}

template <int Terms, exponents_kind Kind, class G>
__device__ __forceinline__ void compute_tile(const exponents_arguments<G>& p, std::uint32_t buffers) {
  using P = exponents_sm80;
  const raster_tile tile = p.place(blockIdx.x);
  const int steps = static_cast<int>(P::steps(p.g.k, Terms)), warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % P::warps_m * P::warp_rows, col = warp / P::warps_m * P::warp_cols;
  exponent_copies copies(p, tile, steps);
  exponent_warp_folder<Terms, Kind> of(row, col);
  copies.next(buffers);
  gpu::cp_async_commit();
  constexpr int sums = 32 / (Terms + 1);  // of half a piece
  int after = 2 * sums * steps;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    gpu::cp_async_wait<0>();
    __syncthreads();  // the piece is there, and all have read the one before
    if (step + 1 < steps) copies.next(buffers + (step + 1) % P::stages * P::stage_bytes);
    gpu::cp_async_commit();
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      after -= sums;
      of.fold(buffers + step % P::stages * P::stage_bytes, half, after);
    }
  }
  store_strips<Terms, Kind>(p, of, buffers, index_t{tile.row} * P::rows + row, index_t{tile.col} * P::cols + col);
}

// No body where there are warpgroup instructions, unless the caller (a test) insists.
template <class G, exponents_kind Kind, bool Insist>
__global__ void __launch_bounds__(exponents_sm80::threads, 1)
    gemm_exponents_mma(const __grid_constant__ exponents_arguments<G> p) {
  if constexpr (!Insist)
    if (gpu::compiled_for_wgmma()) return;
  extern __shared__ __align__(128) unsigned char pieces_of_codes[];
  gpu::grid_dependency_wait();
  const int terms = p.found->terms;  // the same for all blocks
  if (terms == 0) return;
  const std::uint32_t buffers = gpu::shared_address(pieces_of_codes);
  using enum exponents_kind;
  if constexpr (Kind == keyed) compute_tile<15, keyed>(p, buffers);
  else if constexpr (Kind == clamped) compute_tile<31, clamped>(p, buffers);
  else if (terms == 31) compute_tile<31, plain>(p, buffers);
  else compute_tile<15, plain>(p, buffers);
}

}  // namespace kleene::kernels::cuda
