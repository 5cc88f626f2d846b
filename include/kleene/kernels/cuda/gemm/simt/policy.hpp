// The tile policies of the CUDA product. A policy may change speed, never a result.
#pragma once

namespace kleene::kernels::cuda {

// How tiles reach shared memory. bulk and async read packed panels, strided reads the caller's matrices as they are.
enum class copies : int { bulk, async, strided };

// A block computes bm x bn elements of C, bk of k at a time, in a ring of `stages` buffers. A thread holds tm x tn
// accumulators; lanes_m threads of a warp stand above each other (the other 32 / lanes_m beside each other). The loop
// over k is unrolled `unroll` times; `blocks` of them share a multiprocessor, which bounds the registers of a thread.
// Consecutive blocks walk down `group` tiles of rows before they go right, so that what they share stays in L2.
// Sliced-K: a block has `slices` times the threads that hold a tile, each slice sums its share of every buffer, and at
// the end their sums are added: for products with fewer tiles than the device has places.
struct simt_policy {
  copies copy;
  int bm, bn, bk;
  int tm, tn;
  int lanes_m;
  int stages, blocks, unroll, group;
  int slices = 1;

  constexpr int tile_threads() const { return (bm / tm) * (bn / tn); }
  constexpr int threads() const { return slices * tile_threads(); }
  constexpr int warps() const { return threads() / 32; }
  constexpr int lanes_n() const { return 32 / lanes_m; }
  constexpr int warps_m() const { return bm / tm / lanes_m; }
  constexpr int warps_n() const { return bn / tn / lanes_n(); }
  constexpr int stage_bytes(int element) const { return (bm + bn) * bk * element; }
  constexpr bool operator==(const simt_policy&) const = default;
};

// A row of the table: rows.def has them, with what was measured.
struct simt_row {
  const char* name;
  simt_policy policy;
  bool needs_sm_90;
};

enum class workload : int {
#define KLEENE_SIMT_ROW(name, ...) name,
#include "kleene/kernels/cuda/gemm/simt/rows.def"
#undef KLEENE_SIMT_ROW
};

inline constexpr simt_row simt_table[] = {
#define KLEENE_SIMT_ROW(name, copy, bm, bn, bk, tm, tn, lanes_m, stages, blocks, unroll, group, slices, sm_90) \
  {#name, {copies::copy, bm, bn, bk, tm, tn, lanes_m, stages, blocks, unroll, group, slices}, sm_90},
#include "kleene/kernels/cuda/gemm/simt/rows.def"
#undef KLEENE_SIMT_ROW
};

constexpr const simt_row& row_of(workload work) { return simt_table[static_cast<int>(work)]; }

// A row of the table as the kernels take it; a policy of one's own is a struct with the same member.
template <workload Row>
struct tuned {
  static constexpr simt_policy value = row_of(Row).policy;
  static constexpr workload row = Row;
  static constexpr bool needs_sm_90 = row_of(Row).needs_sm_90;
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
  if (operand == 8 || accumulator == 8) return witness ? workload::witness_eight_bytes : workload::eight_bytes;
  if (witness) return workload::witness;
  return counts ? workload::counts : sums ? workload::sums : workload::four_bytes;
}

}  // namespace kleene::kernels::cuda
