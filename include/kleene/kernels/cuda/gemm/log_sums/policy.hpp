// How log-sum-exp products are cut for the tensor cores of sm_90, and why their error is below 1e-5 + 2 ulp.
//
// A factor is 2^15 exp(x - maximum of its line) = high + low + what is lost, high and low in f16. Relative errors of a
// sum of terms high high + high low + low high, all of them positive or next to nothing:
//   exp, of an argument that keeps its rounding error       2 x 1.2e-7
//   high + low, and low low left out                        3 x 2^-22 = 7e-7
//   64 products in 12 steps of 17 terms, aligned and cut    12 x 17 x 2^-26 = 3.0e-6
//   added up: 16 such sums, then up to 32 of those          48 x 2^-24 = 2.9e-6
//   what is lost below 2^-25 a factor                       2e-6 where the sum is large enough (proves)
// together 9e-6. The logarithm, and its sum with both maxima, are formed in double.
#pragma once

#include "kleene/data/integers.hpp"

namespace kleene::kernels::cuda {

struct log_sums_sm90 {
  static constexpr int depth = 64;     // numbers of a line in a piece: rows of 128 bytes
  static constexpr int cluster = 2;    // blocks that share columns of B
  static constexpr int consumers = 4;  // warpgroups, two by two, besides the producer
  static constexpr int stages = 3;     // pieces in the ring
  static constexpr int block_rows = 128, block_cols = 128;
  static constexpr int rows = cluster * block_rows;       // of a cluster's tile
  static constexpr int part_cols = block_cols / cluster;  // of B, that a block fetches for both
  static constexpr int parts = 2;                         // of a factor: high and low
  static constexpr int bytes_a = block_rows * depth * 2, bytes_b = part_cols * depth * 2;  // of one part
  static constexpr int stage_bytes = parts * (bytes_a + cluster * bytes_b);
  static constexpr int shared_bytes = stages * stage_bytes + 1024;  // pieces are 1024-byte aligned
  static constexpr int threads = (1 + consumers) * 128;
  static constexpr int readers = cluster * consumers * 4;  // warps that free a piece
  // See exponents_sm90: a block of 640 threads has 61,440 registers.
  static constexpr int producer_registers = 32, consumer_registers = 112;
  static constexpr unsigned group = 8;  // rows of tiles that are worked on together

  static constexpr int pieces_of_group = 16;  // sums of a piece that are added up before they join the rest
  static constexpr index_t most_k = 32 * 16 * index_t{depth};  // what the sums of errors are for
  static constexpr int scale = 15;                             // log2 of the largest factor

  // Whether a sum of k products of factors of at most 2^15 is so large that what was lost below 2^-25 of each factor,
  // 2^-25 k (2^15 + 2^15) at most, is less than 2e-6 of it.
  KLEENE_FUNCTION static constexpr bool proves(float sum, index_t k) {
    return sum >= static_cast<float>(k) * (0x1p-9f / 2e-6f) && sum < 3e38f;
  }
};

}  // namespace kleene::kernels::cuda
