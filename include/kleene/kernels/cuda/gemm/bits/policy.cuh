// How products of packed bits are cut for the binary tensor cores of sm_90a, and the arguments of their launch.
#pragma once

#include "kleene/kernels/cuda/gemm/bits/arguments.cuh"
#include "kleene/kernels/cuda/gemm/bits/pack.cuh"
#include "kleene/kernels/cuda/gemm/raster.hpp"

namespace kleene::kernels::cuda {

struct bits_sm90 {
  static constexpr int cluster = 2, consumers = 2;  // blocks; warpgroups, besides the producer
  static constexpr int stages = 4;                  // pieces in the ring
  using panels_a = bit_panels<consumers * 64>;
  using panels_b = bit_panels<256 / cluster>;
  static constexpr int threads = (1 + consumers) * 128;
  static constexpr int rows = cluster * panels_a::rows, cols = cluster * panels_b::rows;  // of a cluster's tile
  static constexpr int stage_bytes = panels_a::bytes + cluster * panels_b::bytes;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;         // pieces are 1024-byte aligned
  static constexpr int readers = cluster * consumers * 4;                  // warps that free a piece
  static constexpr int producer_registers = 40, consumer_registers = 232;  // together the 65,536 of a multiprocessor
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

}  // namespace kleene::kernels::cuda
