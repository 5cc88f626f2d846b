// How products by exponents are cut: into pieces of k that both kernels read, and into tiles, for the tensor cores of
// sm_90 (kernel.cuh) and of sm_80 (mma_kernel.cuh).
//
// On sm_90 a block has four warpgroups of 64 x 64 elements: two sums of products an element, added up by the tensor
// cores, then folded into the greatest so far by one three-input maximum. Evidence: one H100, min_plus f32 of 8192
// cubed, 0 .. 25, the whole call, us: sums of 31 products 2612, of 15 3264. Lost: one sum folded while the other is
// added up 3052 and 4402 (two maxima for two sums; sums of 63: 2593, and 2596 in pairs: there shared memory is what is
// waited for, each wgmma reads 4 kB of it in the 32 clocks that it computes); two warpgroups of 64 x 128.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/exponent_code.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

// Which kernel: `chosen` is wgmma where the device has it and the program code for it, else mma; tests insist on mma.
enum class exponent_engine : int { chosen, mma };

// Pieces of k.
struct exponent_pieces {
  static constexpr int depth = 64;  // codes of a line in a piece: rows of 128 bytes

  // `terms`: products of a sum, 15, 31 or 63; each sum has one code more, which stays 0. Numbers of a line in a piece,
  // and pieces of k of them: as many as make a multiple of four sums.
  KLEENE_FUNCTION static constexpr int numbers(int terms) { return depth - depth / (terms + 1); }
  KLEENE_FUNCTION static constexpr index_t steps(index_t k, int terms) {
    const index_t whole = (terms + 1) / 16;  // pieces of four sums
    return k > 0 ? round_up(ceil_div(k, index_t{numbers(terms)}), whole) : whole;
  }
  // Whatever the terms: 31 take the most where 15 just fill their pieces, as of k = 1000.
  KLEENE_FUNCTION static constexpr index_t most_steps(index_t k) {
    return std::max({steps(k, 15), steps(k, 31), steps(k, 63)});
  }
};

struct exponents_sm90 : exponent_pieces {
  static constexpr int most_terms = 63;
  static constexpr int cluster = 2;    // blocks that share columns of B
  static constexpr int consumers = 4;  // warpgroups, two by two, besides the producer
  static constexpr int stages = 6;     // pieces in the ring
  static constexpr int block_rows = 128, block_cols = 128;
  static constexpr int rows = cluster * block_rows;       // of a cluster's tile
  static constexpr int part_cols = block_cols / cluster;  // of B, that a block fetches for both
  static constexpr int bytes_a = block_rows * depth * 2, bytes_b = part_cols * depth * 2;
  static constexpr int stage_bytes = bytes_a + cluster * bytes_b;
  static constexpr int shared_bytes = stages * stage_bytes + 1024;  // pieces are 1024-byte aligned
  static constexpr int threads = (1 + consumers) * 128;
  static constexpr int readers = cluster * consumers * 4;  // warps that free a piece
  // A block of 640 threads is given 96 registers each, and no more than these 61,440 can be had: a warpgroup that asks
  // for more waits for ever.
  static constexpr int producer_registers = 32, consumer_registers = 112;
  static_assert(128 * (producer_registers + consumers * consumer_registers) <= 96 * threads);
  static constexpr unsigned group = 8;  // rows of tiles that are worked on together: what the cache has to hold
};

// On sm_80 and where there is no wgmma otherwise: a block of eight warps has the tile of a cluster of sm_90, 64 x 64
// elements a warp, so that panels of codes are the same. Shared memory holds two pieces, 96 KiB, which sm_86 and sm_89
// have, too: a piece is multiplied for longer than its copy takes. Evidence: one H200 (where a test insists on it), as
// above, us: sums of 31 products 4259, of 15 4397, with witness 7137. Lost: all greatest sums in registers while they
// are stored (spilled, in the loop as well) 4487, 4913 and 7016; then sixteen warps of 32 x 64 4680, 4858 and 7705;
// both halves of a piece unrolled 5490 and 5665.
struct exponents_sm80 : exponent_pieces {
  // Sums of 63 would take the registers of a second set of sums, and spare maxima alone, which do not bound this.
  static constexpr int most_terms = 31;
  static constexpr int rows = exponents_sm90::rows, cols = exponents_sm90::block_cols;
  static constexpr int warp_rows = 64, warp_cols = 64, warps_m = rows / warp_rows, warps_n = cols / warp_cols;
  static constexpr int threads = 32 * warps_m * warps_n;
  static constexpr int stages = 2;
  static constexpr int bytes_a = rows * depth * 2, bytes_b = cols * depth * 2, stage_bytes = bytes_a + bytes_b;
  static constexpr int shared_bytes = stages * stage_bytes;
};

}  // namespace kleene::kernels::cuda
