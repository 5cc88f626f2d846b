// How log-sum-exp products are cut for a GPU, and why their error is below 1e-5 + 2 ulp (f64: 1e-12 + 2 ulp).
#pragma once

#include "kleene/data/integers.hpp"

#include <algorithm>
#include <cmath>

namespace kleene::kernels::cuda {

// f32 on the tensor cores of sm_90. A factor is 2^15 exp(x - maximum of its line) = high + low + what is lost, high and
// low in f16. Relative errors of a sum of terms high high + high low + low high, all of them positive or next to
// nothing:
//   exp, of an argument that keeps its rounding error       2 x 1.2e-7
//   high + low, and low low left out                        3 x 2^-22 = 7e-7
//   64 products in 12 steps of 17 terms, aligned and cut    12 x 17 x 2^-26 = 3.0e-6
//   added up: 16 such sums, then up to 32 of those          48 x 2^-24 = 2.9e-6
//   what is lost below 2^-25 a factor                       2e-6 where the sum is large enough (proves)
// together 9e-6. Ranges of 32,768 of k are added up, and the logarithm and its sum with both maxima formed, in double.
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
  static constexpr index_t range = 32 * 16 * index_t{depth};  // of k: what the sums of errors are for
  static constexpr int scale = 15;                            // log2 of the largest factor

  // Whether a sum of k products of factors of at most 2^15 is so large that what was lost below 2^-25 of each factor,
  // 2^-25 k (2^15 + 2^15) at most, is less than 2e-6 of it.
  template <class T>
  KLEENE_FUNCTION static constexpr bool proves(T sum, index_t k) {
    return sum >= static_cast<T>(k) * static_cast<T>(0x1p-9 / 2e-6) && sum < static_cast<T>(3e38);
  }
};

// f64, by plus_times' kernel on the tensor cores. A factor is exp(x - maximum of its line), at most 1. Relative errors:
//   exp, of an argument that keeps its rounding error       2 x 3 x 2^-52 = 1.3e-15
//   a chain of `range` products, then k / range of those    (4096 + k / 4096) 2^-53 = 4.9e-13 for a million, and
//                                                           9.1e-13 for k of 2^24
//   what is lost below 2^-1022 in two factors and products  1e-14 where the sum is large enough (proves)
//   the logarithm, of up to 700, and its sum with what the maxima's rounds off   1.7e-13 absolute; less where the sum
//                                                           of a million is not below e^-100
struct log_sums_f64 {
  static constexpr index_t range = 4096;
  static constexpr index_t most_elements = index_t{1} << 28;  // of C at a time: 2.25 GB of workspace

  KLEENE_FUNCTION static constexpr bool proves(double sum, index_t k) {
    return sum >= static_cast<double>(k) * (0x1p-1018 / 1e-14) && sum < 1e308;
  }
};

// Streaming: 16 x 16 threads a block, `each` x `each` elements a thread.
inline constexpr int stream_threads = 256;

// Terms that are farther below the largest of k are left out: together 4e-8 of the sum (f64: 5e-15).
template <class T>
T stream_cut(index_t k) {
  return static_cast<T>((sizeof(T) == 4 ? 17 : 33) + std::log(static_cast<double>(k)));
}

struct stream_plan {
  int each;
  index_t tiles, part, parts;
};
// Where all elements are streamed: the largest tiles of which there are enough to keep a device busy, with k in parts
// of 128 or more, and whose half the product does not fit.
constexpr stream_plan plan_stream(index_t m, index_t n, index_t k, index_t batch, int multiprocessors) {
  constexpr index_t least_part = 128;
  stream_plan p{4, 0, k, 1};
  const auto blocks = [&] { return ceil_div(m, index_t{16 * p.each}) * ceil_div(n, index_t{16 * p.each}) * batch; };
  const auto wanted = [&] { return 8 / p.each * index_t{multiprocessors}; };  // what is resident at a time
  const index_t most_parts = std::max(k / least_part, index_t{1});
  while (p.each > 1 && (blocks() * most_parts < wanted() || (m <= 8 * p.each && n <= 8 * p.each))) p.each /= 2;
  p.tiles = blocks() / batch;
  if (blocks() < multiprocessors)
    p.part = std::max(round_up(ceil_div(k, ceil_div(wanted(), blocks())), index_t{32}), least_part);
  p.parts = ceil_div(k, p.part);
  return p;
}

}  // namespace kleene::kernels::cuda
