// Products on the tensor cores of sm_80 and later: C = epilogue((alpha A B) + (beta D)) over plus_times, for operands
// of 1, 2 and 8 bytes. Doubles run here on every device, the others where there are no warpgroup instructions.
//
// Everything overlaps by looking ahead. Copies of the tiles of A and B run some steps of k before their use, in a
// pipeline of `stages` buffers in shared memory. While the tensor cores multiply, the next fragments are in flight from
// shared memory into registers, through the end of one step into the next. So there is one __syncthreads a step: after
// it the copies of the next stage have arrived, and all warps have read the one that is filled next.
//
//        copies:      | 3           | 4           | 5           |          steps, into 4 stages
//        fragments:     0b 0c 0d 1a   1b 1c 1d 2a   2b 2c 2d 3a
//        tensor core:   0a 0b 0c 0d   1a 1b 1c 1d   2a 2b 2c 2d
//
// A step is four depths of bytes and 16 bits, two of doubles; a warp keeps the fragments of two depths. Two blocks of
// four warps with doubles share a multiprocessor: while one waits at it, the other multiplies.
//
// Sources: PTX ISA, "mma", "ldmatrix", "cp.async"; the pipeline is CUTLASS's of 2020 (A. Kerr, "Developing CUDA kernels
// to push Tensor Cores to the absolute limit", GTC 2020).
#pragma once

#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/mma.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/mma/load.cuh"
#include "kleene/kernels/cuda/gemm/mma/store.cuh"
#include "kleene/kernels/cuda/gemm/raster.hpp"

namespace kleene::kernels::cuda {

// The fragments of one depth.
template <class T, mma_policy P>
struct mma_fragments {
  unsigned a[P.warp_m() / 16][4], b[P.warp_n() / 8][2];
};
template <mma_policy P>
struct mma_fragments<double, P> {
  double a[P.warp_m() / 16][4], b[P.warp_n() / 8][2];
};

// Where a lane finds its part of a warp's lines in a tile in shared memory: row by row, and swizzled in the row.
struct lane_offset {
  std::uint32_t row, chunk;
  bool by_lines;  // a row for each k, and the lines next to each other
};

// Bytes and 16 bits, by ldmatrix. Rows that are 16 apart are 2 KiB apart, and two chunks on is another bit of `chunk`.
template <class T, mma_policy P>
class mma_reader {
 public:
  __device__ mma_reader(int line_a, int line_b, bool a_by_lines, bool b_by_lines)
      : a_(position_of(line_a, true, a_by_lines)), b_(position_of(line_b, false, b_by_lines)) {}

  __device__ __forceinline__ void read(mma_fragments<T, P>& to, std::uint32_t tile, int depth) const {
    unsigned b[P.warp_n() / 16][4];
    read_lines(to.a, a_, tile + a_.row, depth);
    read_lines(b, b_, tile + P.bm * 128 + b_.row, depth);
#pragma unroll
    for (int n = 0; n < P.warp_n() / 8; ++n) to.b[n][0] = b[n / 2][n % 2 * 2], to.b[n][1] = b[n / 2][n % 2 * 2 + 1];
  }

 private:
  // Of the four 8 x 8 tiles of 16 lines, the second has the next lines (A) or the next k (B), as mma wants them.
  __device__ static lane_offset position_of(int line, bool second_is_lines, bool by_lines) {
    const int lane = threadIdx.x % 32, low = lane / 8 % 2, high = lane / 16;
    const int lines = second_is_lines ? low : high, depth = second_is_lines ? high : low;
    const int row = lane % 8 + 8 * (by_lines ? depth : lines), chunk = by_lines ? line % 64 / 8 + lines : depth;
    const int first = by_lines ? line / 64 * 64 * 128 : line * 128;
    return {static_cast<std::uint32_t>(first + row * 128), static_cast<std::uint32_t>((chunk ^ swizzle_of(row)) * 16),
            by_lines};
  }
  template <int N>
  __device__ static __forceinline__ void read_lines(unsigned (&to)[N][4], const lane_offset& at, std::uint32_t from,
                                                    int depth) {
    if (sizeof(T) == 2 && at.by_lines) {
#pragma unroll
      for (int f = 0; f < N; ++f) gpu::ldmatrix_transposed(to[f], from + depth * 2048 + (at.chunk ^ f * 32));
    } else {
#pragma unroll
      for (int f = 0; f < N; ++f) gpu::ldmatrix(to[f], from + f * 2048 + (at.chunk ^ depth * 32));
    }
  }

  lane_offset a_, b_;
};

// Doubles, one by one: two at a time (k of 2 q and 2 q + 1) do not lie in registers as the tensor cores want A, and
// the moves cost more than the loads. Eight lines on are eight rows of 128 bytes, or half a row and every other time a
// panel of sixteen.
template <mma_policy P>
class mma_reader<double, P> {
 public:
  __device__ mma_reader(int line_a, int line_b, bool a_by_lines, bool b_by_lines)
      : a_(position_of(line_a, a_by_lines)), b_(position_of(P.bm + line_b, b_by_lines)) {}

  __device__ __forceinline__ void read(mma_fragments<double, P>& to, std::uint32_t tile, int depth) const {
#pragma unroll
    for (int m = 0; m < P.warp_m() / 16; ++m)
#pragma unroll
      for (int e = 0; e < 4; ++e) gpu::load_shared(to.a[m][e], tile + offset(a_, 2 * m + e % 2, 2 * depth + e / 2));
#pragma unroll
    for (int n = 0; n < P.warp_n() / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) gpu::load_shared(to.b[n][e], tile + offset(b_, n, 2 * depth + e));
  }

 private:
  __device__ static lane_offset position_of(int line, bool by_lines) {
    const int g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
    if (by_lines) return {line * 128u + q * 128u + g % 2 * 8u, (g / 2 ^ swizzle_of(q)) * 16u, true};
    return {line * 128u + g * 128u + q % 2 * 8u, (q / 2 ^ swizzle_of(g)) * 16u, false};
  }
  // Eight lines `eight` times on, four k `four` times on.
  __device__ static __forceinline__ std::uint32_t offset(const lane_offset& at, int eight, int four) {
    if (at.by_lines) return at.row + eight / 2 * 2048 + four * 512 + (at.chunk ^ (eight % 2 * 64 + four % 2 * 16));
    return at.row + eight * 1024 + (at.chunk ^ four * 32);
  }

  lane_offset a_, b_;
};

// Which tile a block computes.
struct mma_tile {
  index_t batch;
  int m, n;
};
template <mma_policy P, class G>
__device__ mma_tile mma_tile_of(const mma_arguments<G>& p, unsigned block) {
  const unsigned tiles = p.tiles_m * p.tiles_n, in = block % tiles;
  const raster_tile tile = rasterise(in, p.tiles_m, p.tiles_n, P.group);
  return {block / tiles, static_cast<int>(tile.row), static_cast<int>(tile.col)};
}

template <mma_policy P>
__device__ __forceinline__ std::uint32_t next_buffer(std::uint32_t ring, std::uint32_t buffer) {
  return buffer == ring + (P.stages - 1) * P.stage_bytes() ? ring : buffer + P.stage_bytes();
}

// The sum over k of a warp's part of a tile. load(step, buffer) starts the copies of a step, if there is one.
template <class T, mma_policy P, class Load>
__device__ __forceinline__ void sum_steps(mma_sums<T, P>& sum, const mma_reader<T, P>& reader, std::uint32_t ring,
                                          int steps, const Load& load) {
  constexpr int depths = sizeof(T) == 8 ? 2 : 4;
#pragma unroll
  for (int s = 0; s < P.stages - 1; ++s) load(s, ring + s * P.stage_bytes());
  gpu::cp_async_wait<P.stages - 2>();
  __syncthreads();
  std::uint32_t here = ring, filled = ring + (P.stages - 1) * P.stage_bytes();
  mma_fragments<T, P> fragments[2];
  reader.read(fragments[0], here, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    load(step + P.stages - 1, filled);
    filled = next_buffer<P>(ring, filled);
#pragma unroll
    for (int d = 0; d < depths; ++d) {
      if (d == depths - 1) {
        gpu::cp_async_wait<P.stages - 2>();
        __syncthreads();
        here = next_buffer<P>(ring, here);
      }
      reader.read(fragments[(d + 1) % 2], here, (d + 1) % depths);
      const mma_fragments<T, P>& now = fragments[d % 2];
#pragma unroll
      for (int m = 0; m < P.warp_m() / 16; ++m)
#pragma unroll
        for (int n = 0; n < P.warp_n() / 8; ++n) gpu::mma_op<T>::add(sum[m][n], now.a[m], now.b[n]);
    }
  }
}

// Calls body with how the operands are copied, as constants.
template <class T, class Body>
__device__ __forceinline__ void with_pieces(pieces a, pieces b, const Body& body) {
  using enum pieces;
  const auto with_a = [&](auto by_a) {
    if (b == along_depth) body(by_a, std::integral_constant<pieces, along_depth>{});
    else body(by_a, std::integral_constant<pieces, along_lines>{});
  };
  if (sizeof(T) == 8 && (a == single || b == single)) {
    if constexpr (sizeof(T) == 8)
      body(std::integral_constant<pieces, single>{}, std::integral_constant<pieces, single>{});
  } else if (a == along_depth) {
    with_a(std::integral_constant<pieces, along_depth>{});
  } else {
    with_a(std::integral_constant<pieces, along_lines>{});
  }
}

// Doubles have a body on every target, the others where there are no warpgroup instructions, or where the caller (a
// test, a bench) insists.
template <class Policy, bool Insist, class G>
__global__ void __launch_bounds__(Policy::value.threads(), Policy::value.blocks)
    gemm_mma(const __grid_constant__ mma_arguments<G> p) {
  constexpr mma_policy P = Policy::value;
  using T = value_of<typename G::algebra>;
  if (sizeof(T) < 8 && !Insist && gpu::compiled_for_wgmma()) return;
  extern __shared__ __align__(128) unsigned char tiles[];
  const mma_tile at = mma_tile_of<P>(p, blockIdx.x);
  const int warp = threadIdx.x / 32, row = warp % P.warps_m * P.warp_m(), col = warp / P.warps_m * P.warp_n();
  mma_sums<T, P> sum = {};
  with_pieces<T>(p.a.by, p.b.by, [&](auto by_a, auto by_b) {
    mma_loader<T, P.bm, P.threads(), by_a()> load_a(p.a, at.batch, index_t(at.m) * P.bm);
    mma_loader<T, P.bn, P.threads(), by_b()> load_b(p.b, at.batch, index_t(at.n) * P.bn);
    const mma_reader<T, P> reader(row, col, by_a() == pieces::along_lines, by_b() == pieces::along_lines);
    sum_steps(sum, reader, gpu::shared_address(tiles), p.steps, [&](int step, std::uint32_t buffer) {
      if (step < p.steps) load_a.next(buffer), load_b.next(buffer + P.bm * 128);
      gpu::cp_async_commit();
    });
  });
  store_tile<P>(p, {at.batch, index_t(at.m) * P.bm + row, index_t(at.n) * P.bn + col}, sum, tiles);
}

}  // namespace kleene::kernels::cuda
