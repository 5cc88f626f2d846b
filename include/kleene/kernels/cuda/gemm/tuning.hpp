// The tile policies of the CUDA product. A policy may change speed, never a result.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"

namespace kleene::kernels::cuda {

// How tiles reach shared memory. bulk and async read packed panels, strided reads the caller's matrices as they are.
enum class copies : int { bulk, async, strided };

// A block computes bm x bn elements of C, bk of k at a time, in a ring of `stages` buffers. A thread holds tm x tn
// accumulators; lanes_m threads of a warp stand above each other (the other 32 / lanes_m beside each other). The loop
// over k is unrolled `unroll` times; `blocks` of them share a multiprocessor, which bounds the registers of a thread.
// Consecutive blocks walk down `group` tiles of rows before they go right, so that what they share stays in L2. A block
// has `parts` times the threads that hold a tile, each part sums its share of every buffer, and at the end they are put
// together: for products with fewer tiles than the device has room for.
struct simt_policy {
  copies copy;
  int bm, bn, bk;
  int tm, tn;
  int lanes_m;
  int stages, blocks, unroll, group;
  int parts = 1;

  constexpr int tile_threads() const { return (bm / tm) * (bn / tn); }
  constexpr int threads() const { return parts * tile_threads(); }
  constexpr int warps() const { return threads() / 32; }
  constexpr int lanes_n() const { return 32 / lanes_m; }
  constexpr int warps_m() const { return bm / tm / lanes_m; }
  constexpr int warps_n() const { return bn / tn / lanes_n(); }
  constexpr int stage_bytes(int element) const { return (bm + bn) * bk * element; }
  constexpr bool operator==(const simt_policy&) const = default;
};

// One row per kind of work. Evidence: one H200, 8192 x 8192 x 8192, Tops (2 operations a pair), the product alone,
// median of five; min-plus f32 of any sign / of one sign for the rows of 4 bytes. Bulk copies are sm_90's: elsewhere
// the same row copies with cp.async (the ring asks the target).
//
// Lost (any sign / one sign): 128 x 64 unroll 8 26.4 / 31.7, with 16 of bk 26.5 / 30.9, all 32 of bk unrolled 20.0
// / 26.4 (the loop leaves the instruction cache); 128 x 128 8 x 8 2 blocks 26.3 / 31.1, 16 x 8 26.3 / 31.5; 128 x 256 8
// x 16 25.8 / 31.1; 64 x 64 25.8 / 30.6; cp.async instead of bulk 25.1 / 30.9; serpentine order of the outer
// product 26.3 / 32.4.
// clang-format off
enum class workload : int {
  words, few_words, tiny_words, lone_words, sums, counts, pairs, wide, witness, witness_pairs, small, long_steps,
  small_long_steps
};
inline constexpr simt_policy simt_table[] = {
//    copy              bm   bn   bk  tm  tn  lanes_m  stages  blocks  unroll  group  parts
    // words: 4-byte algebras, 26.8 / 32.4; max-min 21.3, i32 31.5
    { copies::bulk,     96, 128,  32, 12,  8,       4,      2,      3,      8,     8 },
    // few_words: at 4096 x 4096 x 256, packing included, 25.0 / 29.2 (words 22.6 / 28.0; 112 x 128 in three even rounds
    //   21.8 / 27.3)
    { copies::bulk,    128, 128,  32,  8,  8,       4,      3,      2,      8,     8 },
    // tiny_words: at 1024, packing included, 19.2 / 22.2 (words 17.4 / 20.1, few 18.3 / 20.8)
    { copies::bulk,     64,  64,  32,  8,  8,       4,      3,      6,      8,     8 },
    // lone_words: at 1024, packing included, 22.2 / 26.5 (unroll 16 21.9, bk 32 21.1, 64 x 128 20.3, 2 parts 14.5)
    { copies::bulk,     64,  64,  64,  8,  8,       4,      3,      2,      8,     8,    4 },
    // sums: f32 plus_times, 49.4 (8 x 16: 48.0)
    { copies::bulk,    128, 128,  32,  8,  8,       4,      3,      2,      8,     8 },
    // counts: byte dot products, 127.8 (128 x 128 2 blocks 125.7)
    { copies::bulk,    128,  64,  32,  8,  8,       4,      3,      3,      8,     8 },
    // pairs: 8-byte algebras, min-plus f64 10.9 (8 x 8 10.5, 4 x 8 10.3, 8 x 6 10.4)
    { copies::bulk,     64,  64,  16,  8,  4,       4,      3,      4,      8,     8 },
    // wide: any other element, structs included
    { copies::async,    64,  64,   8,  4,  4,       4,      2,      2,      8,     8 },
    // witness: 21.5 / 23.9 (128 x 64 3 blocks 18.9 / 21.2)
    { copies::bulk,    128, 128,  16,  8,  8,       4,      2,      2,      4,     8 },
    // witness_pairs: 8 bytes
    { copies::bulk,     64,  64,  16,  8,  4,       8,      2,      2,      8,     8 },
    // small: batches of small products, unpacked
    { copies::strided,  32,  32,  32,  4,  4,       4,      1,      8,      8,     1 },
    // long_steps: log_plus, whose steps are a hundred instructions of code
    { copies::bulk,     64,  64,  16,  4,  4,       4,      3,      2,      1,     8 },
    // small_long_steps: the same in batches of small products
    { copies::strided,  32,  32,  32,  4,  4,       4,      1,      2,      1,     1 },
};
// clang-format on

// A row of the table as the kernels take it; a policy of one's own is a struct with the same member.
template <workload Row>
struct tuned {
  static constexpr simt_policy value = simt_table[static_cast<int>(Row)];
  // These rows win on sm_90 for few tiles. Elsewhere the default row does all sizes, and spares their compilation.
  static constexpr bool needs_sm_90 =
      Row == workload::few_words || Row == workload::tiny_words || Row == workload::lone_words;
};

// Whether a policy is for sm_90 alone: `static constexpr bool needs_sm_90 = true`.
template <class Policy>
inline constexpr bool needs_sm_90 = [] {
  if constexpr (requires { Policy::needs_sm_90; }) return bool(Policy::needs_sm_90);
  else return false;
}();

// What kind of work an atom is: by the sizes of what it moves, and whether it is the plain sum of products. Algebras
// whose steps are long have rows of their own.
constexpr workload workload_of(int operand, int accumulator, bool counts, bool sums, bool long_steps, bool witness) {
  if (operand > 8 || accumulator > 8 || (operand != 8 && operand != 4) || accumulator < 4) return workload::wide;
  if (long_steps && !witness) return workload::long_steps;
  if (operand == 8 || accumulator == 8) return witness ? workload::witness_pairs : workload::pairs;
  if (witness) return workload::witness;
  return counts ? workload::counts : sums ? workload::sums : workload::words;
}

}  // namespace kleene::kernels::cuda
