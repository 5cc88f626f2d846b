// The tile policies of the CPU product. A policy may change speed, never a result.
#pragma once

#include "kleene/kernels/cpu/tile/sums.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

namespace kleene::kernels::cpu {

// A micro-tile is `rows` x (`vectors` vectors) of accumulators in registers. Panels of A hold `rows` rows, panels of B
// `vectors` vectors of columns, both `depth` deep. A task is a block of micro-tiles that one thread computes.
struct gemm_policy {
  int rows;
  int vectors;
  int depth;      // k per pass
  int task_rows;  // rows and
  int task_cols;  // columns of a task, rounded to whole micro-tiles
};

// One row per instruction set. Evidence: min-plus f32, one core of an Emerald Rapids Xeon, share of the register-only
// add + min roof of the same run, n = 2048 (kleene bench --suite cpu).
// For AVX2 one core of a Zen 4, first-level cache, pairs a clock, 4 x 3 / 6 x 2 / 5 x 2: i32 12.8 / 15.6 / 13.9,
// u8 52 / 62 / 58, max_times 12.7 / 15.6 / 14.4, plus_times 15.7 / 15.9 / 15.3, min_plus 8.0 / 8.0 / 8.0, and where a
// sum is a multiply-add (tile/sums.hpp) 8.8 / 8.0 / 13.1: that takes two registers more.
// clang-format off
inline constexpr gemm_policy gemm_table[] = {
//   rows  vectors  depth  task_rows  task_cols
    // baseline: 16 registers; 8 accumulators, 6 x 2 spills
    {   4,       2,   512,       128,       256 },
    // avx2: 4 x 3 = 6 x 2 (28.5 Gpairs/s each of 28.6)
    {   6,       2,   512,       126,       384 },
    // avx512: 12 x 2 38.9, 14 x 2 37.8, 6 x 4 38.2, 8 x 3 34.6, 8 x 2 36.2 of 39
    {  12,       2,   512,       192,       512 },
    // avx2, sums of floats
    {   5,       2,   512,       125,       384 },
};
// With a witness: as many registers again hold indices, and `group` steps of k share one comparison; the smallest k
// within the winning group is found once, at the end, by one vector of `group` lanes. Evidence for avx512: closure with
// predecessors, f32, n = 4096, two Zen 5 cores, Gpairs/s (gemm 114 to 120): 4 x 2 55, 8 x 2 54, 6 x 1 52, 6 x 2 52
// (groups of 16: 51), 8 x 1 52 (one quiet run each, on a shared machine). In registers alone every one of them runs at
// the roof, with groups of 2 too; a machine whose minimum and comparison share ports wants long groups. A semiring of
// one's own, min of numbers, f32, n = 1024, one Zen 4 core, groups of 4 / 8: avx512 14.3 / 16.3, avx2 13.6 / 13.4,
// baseline 7.6 / 7.2; and the longer ones take a compiler longer.
// Sums of floats by AVX2, one Zen 4 core, first-level cache, pairs a clock as sums / as multiply-adds, 3 x 2 and 4 x 1:
// 6.8 / 6.8 and 7.2 / 9.7 (5 x 1, 6 x 1: 9.2); looked up beside them 4.6 / 5.0 and 4.3 / 5.6.
struct witness_policy { int rows, vectors, group; };
inline constexpr witness_policy witness_table[] = {
//   rows  vectors  group
    {   2,       2,     4 },  // baseline
    {   3,       2,     4 },  // avx2
    {   4,       2,     8 },  // avx512
    {   4,       1,     4 },  // avx2, sums of floats
};
// clang-format on

template <class S>
constexpr int policy_row(int bytes) {
  return bytes == 64 ? 2 : bytes == 16 ? 0 : adds_by_multiplying<S> ? 3 : 1;
}
template <class S>
constexpr gemm_policy gemm_policy_for(int bytes) {
  return gemm_table[policy_row<S>(bytes)];
}
template <class S>
constexpr witness_policy witness_policy_for(int bytes) {
  return witness_table[policy_row<S>(bytes)];
}
// A lower tile for few rows, which is not worth its code below full ones of AVX-512.
constexpr int low_rows_for(int full) { return full > 6 ? 4 : full; }

// Products of no larger extents are computed from the operands as they lie: packing them would take longer.
inline constexpr index_t small_extent = 32;
inline constexpr int small_rows = 4;  // of C at a time, one vector each

// Products over structs of a few words: rows of a micro-tile, whose columns are the words that a vector holds. One core
// of an Emerald Rapids Xeon, AVX-512, {float, int} in lexicographic order, Gpairs/s: 2 rows 7.4, 4 10.2, 8 10.7.
inline constexpr int struct_rows = 4;

// Below this many pairs a thread costs more than it brings (a team starts in a few microseconds).
inline constexpr double pairs_per_thread = 1 << 18;

}  // namespace kleene::kernels::cpu
