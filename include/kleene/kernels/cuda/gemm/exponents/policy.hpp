// How products by exponents are cut for the tensor cores of sm_90.
//
// A block has four warpgroups of 64 x 64 elements: two sums of 16 or 32 products an element, by one or two wgmmas each,
// then folded into the best so far by one three-input maximum. Evidence: one H200, the inner loop alone, sums of 16,
// Tops: four warpgroups of 64 x 64 572, two of 64 x 128 549, three of 64 x 64 less.
#pragma once

namespace kleene::kernels::cuda {

struct exponents_sm90 {
  static constexpr int depth = 64;     // codes of a line in a piece: rows of 128 bytes
  static constexpr int keyed = 60;     // numbers in them for keys: every sixteenth stays free
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
  static constexpr int readers = cluster * consumers * 4;                  // warps that free a piece
  // A block of 640 threads is given 96 registers each, and no more than these 61,440 can be had: a warpgroup that asks
  // for more waits for ever.
  static constexpr int producer_registers = 32, consumer_registers = 112;
  static_assert(128 * (producer_registers + consumers * consumer_registers) <= 96 * threads);
  static constexpr unsigned group = 8;  // rows of tiles that are worked on together: what the cache has to hold
};

}  // namespace kleene::kernels::cuda
