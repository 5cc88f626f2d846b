// C = A B of packed bits on sm_90a: binary matrix instructions count, for every element, the k with A_ik and B_kj,
// exactly; the count's sign or parity is the bit. A and B come as panels (bits_panels.cuh).
//
// Two blocks, a cluster, make 256 x 256 elements: each its own 128 rows of A, both the same 256 columns of B, of which
// each brings half and sends it to both. In a block one thread asks for copies, a ring of pieces of 1024 bits of k
// ahead; two warpgroups multiply, 64 x 256 counts each in registers, then gather their bits by shuffles. Blocks stay
// and take tile after tile.
#pragma once

#include "kleene/gpu/block/pipeline.cuh"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/gemm/bits_arguments.cuh"
#include "kleene/kernels/cuda/gemm/bits_panels.cuh"
#include "kleene/kernels/cuda/gemm/raster.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

struct bits_sm90 {
  static constexpr int cluster = 2, multipliers = 2;  // blocks; warpgroups, besides the one that copies
  static constexpr int stages = 4;                    // pieces in the ring
  using panels_a = bit_panels<multipliers * 64>;
  using panels_b = bit_panels<256 / cluster>;
  static constexpr int threads = (1 + multipliers) * 128;
  static constexpr int rows = cluster * panels_a::rows, cols = cluster * panels_b::rows;  // of a cluster's tile
  static constexpr int stage_bytes = panels_a::bytes + cluster * panels_b::bytes;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;         // pieces are 1024-byte aligned
  static constexpr int readers = cluster * multipliers * 4;                // warps that free a piece
  static constexpr int copier_registers = 40, multiplier_registers = 232;  // together the 65,536 of a multiprocessor
  static constexpr unsigned group = 16;  // rows of tiles that are worked on together: what the cache has to hold
};

struct bits_sm90_arguments {
  bits_sm90::panels_a a;
  bits_sm90::panels_b b;
  bit_result c;
  unsigned tiles_m, tiles_n;

  __device__ unsigned tiles() const { return tiles_m * tiles_n; }
  __device__ raster_tile place(unsigned tile) const { return rasterise(tile, tiles_m, tiles_n, bits_sm90::group); }
};

// From four lanes, each with two bits of every byte of a row of 256, to 64 bits each.
__device__ __forceinline__ bit_word gather_row(const std::uint32_t (&part)[8]) {
  const bool upper = threadIdx.x & 2, odd = threadIdx.x & 1;
  std::uint32_t half[4], word[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t given = upper ? part[i] : part[i + 4], kept = upper ? part[i + 4] : part[i];
    half[i] = kept | __shfl_xor_sync(~0u, given, 2);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t given = odd ? half[i] : half[i + 2], kept = odd ? half[i + 2] : half[i];
    word[i] = kept | __shfl_xor_sync(~0u, given, 1);
  }
  return word[0] | static_cast<bit_word>(word[1]) << 32;
}

// The bits of counts of four groups of columns: bit 0 of each byte. Permutations collect the byte that holds the bit;
// that a count is not zero is the sign of its sum with 2^31 - 1.
template <bit_output Output>
__device__ __forceinline__ std::uint32_t pick_bits(int a, int b, int c, int d) {
  if constexpr (Output == bit_output::any) {
    constexpr int bias = 0x7fffffff;
    const auto sum = [](int x) { return static_cast<std::uint32_t>(x) + bias; };
    return __byte_perm(__byte_perm(sum(a), sum(b), 0x0073), __byte_perm(sum(c), sum(d), 0x0073), 0x5410) >> 7 &
           0x01010101;
  } else {
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410) & 0x01010101;
  }
}

template <bit_output Output>
__device__ __forceinline__ void store_counts(const bits_sm90_arguments& p, const int (&count)[128], index row,
                                             index col) {
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const index i = row + warp * 16 + lane / 4 + 8 * h;
    if constexpr (Output == bit_output::counts) {
      if (i >= p.c.m) continue;
#pragma unroll
      for (int g = 0; g < 32; ++g)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const index j = col + 8 * g + lane % 4 * 2 + e;
          if (j < p.c.n) p.c.counts(i, j) = count[4 * g + 2 * h + e];
        }
    } else {
      std::uint32_t part[8];
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        const int* at = count + 16 * q + 2 * h;
        const std::uint32_t even = pick_bits<Output>(at[0], at[4], at[8], at[12]);
        const std::uint32_t odd = pick_bits<Output>(at[1], at[5], at[9], at[13]);
        part[q] = (even | odd << 1) << (lane % 4 * 2);
      }
      const bit_word word = gather_row(part);
      const index w = col / bits_per_word + lane % 4;
      if (i < p.c.m && w < p.c.bits.words()) p.c.put<Output>(i, w, word);
    }
  }
}

template <bit_output Output>
__device__ __forceinline__ void multiply_bits_sm90(const bits_sm90_arguments& p) {
  using P = bits_sm90;
  extern __shared__ unsigned char unaligned[];
  __shared__ gpu::mbarrier full[P::stages], empty[P::stages];
  unsigned char* const ring = unaligned + (-gpu::shared_address(unaligned) & 1023);
  const unsigned rank = gpu::cluster_rank(), cluster = blockIdx.x / P::cluster, clusters = gridDim.x / P::cluster;
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0), steps = static_cast<int>(p.a.steps);
  if (threadIdx.x == 0) {
    for (int s = 0; s < P::stages; ++s) gpu::mbarrier_init(full + s, 1), gpu::mbarrier_init(empty + s, P::readers);
    gpu::mbarrier_init_fence();
  }
  gpu::cluster_sync();
  gpu::grid_dependency_wait();
  gpu::pipeline_cursor<P::stages> at_stage;

  if (warpgroup == 0) {
    gpu::setmaxnreg_dec<P::copier_registers>();
    if (threadIdx.x == 0) {
      constexpr int bytes_a = P::panels_a::bytes, bytes_b = P::panels_b::bytes;
      for (unsigned tile = cluster; tile < p.tiles(); tile += clusters) {
        const auto [row, col] = p.place(tile);
        const uint4* a = &p.a.at((row * P::cluster + rank) * index{P::panels_a::rows}, 0);
        const uint4* b = &p.b.at((col * P::cluster + rank) * index{P::panels_b::rows}, 0);
        for (int step = 0; step < steps; ++step, at_stage.next(), a += P::panels_a::chunks, b += P::panels_b::chunks) {
          unsigned char* const at = ring + at_stage.stage * P::stage_bytes;
          gpu::mbarrier_wait(empty + at_stage.stage, at_stage.phase ^ 1);
          gpu::mbarrier_arrive_expect_tx(full + at_stage.stage, P::stage_bytes);
          gpu::tma_load(at, a, bytes_a, full + at_stage.stage);
          gpu::tma_load_multicast(at + bytes_a + rank * bytes_b, b, bytes_b, full + at_stage.stage,
                                  (1 << P::cluster) - 1);
        }
      }
    }
    __syncwarp();
  } else {
    gpu::setmaxnreg_inc<P::multiplier_registers>();
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto free = [&](int stage) {
      if (lane < P::cluster) gpu::mbarrier_arrive_remote(empty + stage, static_cast<unsigned>(lane));
    };
    int count[128];
    for (unsigned tile = cluster; tile < p.tiles(); tile += clusters) {
      int before = 0;
      for (int step = 0; step < steps; ++step, at_stage.next()) {
        unsigned char* const at = ring + at_stage.stage * P::stage_bytes;
        const std::uint64_t a =
            gpu::matrix_descriptor(at + (warpgroup - 1) * (P::panels_a::bytes / P::multipliers), 16);
        const std::uint64_t b = gpu::matrix_descriptor(at + P::panels_a::bytes, 16);
        gpu::mbarrier_wait(full + at_stage.stage, at_stage.phase);
        gpu::wgmma_fence();
#pragma unroll
        for (int part = 0; part < P::panels_a::depth / 256; ++part)
          gpu::wgmma_bits(count, a + 2 * part, b + 2 * part, step > 0 || part > 0);
        gpu::wgmma_commit();
        if (step > 0) {  // the step before is done: its piece may be written over
          gpu::wgmma_wait<1>();
          free(before);
        }
        before = at_stage.stage;
      }
      gpu::wgmma_wait<0>();
      free(before);
      const auto [row, col] = p.place(tile);
      store_counts<Output>(p, count, (row * P::cluster + rank) * index{P::panels_a::rows} + (warpgroup - 1) * 64,
                           col * index{P::cols});
    }
  }
  gpu::cluster_sync();  // nobody leaves while the other may still write here
}

// On other targets the body is empty, and the launch below asks before.
template <bit_output Output>
__global__ void __launch_bounds__(bits_sm90::threads, 1) gemm_bits_sm90(const __grid_constant__ bits_sm90_arguments p) {
  NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, (multiply_bits_sm90<Output>(p);))
}

// Whether this device runs this build's kernel with its body: the body has barriers in static shared memory.
inline bool has_gemm_bits_sm90(int capability) {
  cudaFuncAttributes is{};
  if (capability != 90 || cudaFuncGetAttributes(&is, gemm_bits_sm90<bit_output::any>) != cudaSuccess) return false;
  return is.sharedSizeBytes > 0;
}

template <bit_output Output>
void launch_gemm_bits_sm90(const bits_sm90_arguments& p, cudaStream_t stream) {
  using P = bits_sm90;
  const auto kernel = gemm_bits_sm90<Output>;
  const index tiles = index{p.tiles_m} * p.tiles_n;
  gpu::launch_config config{gpu::grid_of(tiles * P::cluster), P::threads, P::shared_bytes, stream, true, P::cluster};
  const int resident = gpu::resident_clusters(kernel, config);  // a group of multiprocessors may have one to spare
  config.blocks.x = static_cast<unsigned>(std::min<index>(tiles, resident)) * P::cluster;
  gpu::launch(kernel, config, p);
}

}  // namespace kleene::kernels::cuda
