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

// What a kernel makes of a policy: the sizes of its atom, and what it needs.
struct simt_needs {
  int operand, accumulator;  // bytes
  int depth;                 // steps of k that the atom does at once
  int lanes;                 // elements of k in an operand
  bool witness;
  int shared_bytes;  // of a block
};

// The most shared memory that a block can have on any device (sm_90).
inline constexpr int most_shared_bytes = 227 * 1024;

enum class policy_fault : int {
  none,
  size,
  threads,
  warps,
  tile,
  columns,
  unroll,
  slices,
  sliced,
  strided,
  stages,
  memory
};

// What is wrong with a policy, the first of them; require_legal_policy says it in a sentence.
consteval policy_fault fault_of(const simt_policy& p, const simt_needs& needs) {
  const auto divides = [](int a, int b) { return b % a == 0; };
  const int sizes[] = {p.bm, p.bn, p.bk, p.tm, p.tn, p.lanes_m, p.stages, p.blocks, p.unroll, p.group, p.slices};
  for (const int size : sizes)
    if (size < 1) return policy_fault::size;
  if (!divides(p.tm, p.bm) || !divides(p.tn, p.bn) || p.threads() > 1024) return policy_fault::threads;
  if (!divides(p.lanes_m, 32) || !divides(p.lanes_m, p.bm / p.tm) || !divides(p.lanes_n(), p.bn / p.tn))
    return policy_fault::warps;
  if (!divides(32, p.bm) || !divides(32, p.bn)) return policy_fault::tile;
  const int run = divides(needs.operand, 16) ? 16 / needs.operand : 1;
  if (p.tn > run && !divides(run, p.tn)) return policy_fault::columns;
  if (!divides(p.slices, p.bk) || !divides(p.unroll, p.bk / p.slices) || !divides(needs.depth, p.unroll))
    return policy_fault::unroll;
  if (p.slices > 1 && needs.witness) return policy_fault::slices;
  if (p.slices > 1 && (!divides(p.slices, p.tm) || needs.accumulator != needs.operand)) return policy_fault::sliced;
  if (p.copy == copies::strided && (p.stages > 1 || p.slices > 1 || needs.lanes > 1)) return policy_fault::strided;
  if (p.copy != copies::strided && p.stages < 2) return policy_fault::stages;
  if (needs.shared_bytes > most_shared_bytes) return policy_fault::memory;
  return policy_fault::none;
}

// Refuses to compile a policy that a kernel cannot follow.
template <class Policy, simt_needs Needs>
constexpr void require_legal_policy() {
  constexpr policy_fault fault = fault_of(Policy::value, Needs);
  static_assert(fault != policy_fault::size, "a tile policy's numbers are at least 1");
  static_assert(fault != policy_fault::threads,
                "a tile policy's bm and bn are multiples of tm and tn, for at most 1024 threads a block");
  static_assert(fault != policy_fault::warps,
                "a tile policy has whole warps: lanes_m divides 32 and bm / tm, and 32 / lanes_m divides bn / tn");
  static_assert(fault != policy_fault::tile, "a tile policy's bm and bn are multiples of 32");
  static_assert(fault != policy_fault::columns, "a tile policy's tn is a multiple of the elements in 16 bytes");
  static_assert(fault != policy_fault::unroll,
                "a tile policy's unroll divides bk / slices and is a multiple of the atom's depth");
  static_assert(fault != policy_fault::slices, "a tile policy for products with a witness has one slice");
  static_assert(fault != policy_fault::sliced,
                "a tile policy's slices divide tm, and accumulators are as large as operands");
  static_assert(fault != policy_fault::strided,
                "a tile policy with strided copies has one stage and one slice, and an atom without lanes");
  static_assert(fault != policy_fault::stages, "a tile policy that copies ahead has at least two stages");
  // A row of the table is chosen at run time, where smaller ones stand beside it.
  static_assert(
      fault != policy_fault::memory || requires { Policy::row; },
      "a tile policy needs more shared memory than the 227 kB that a block can have: fewer stages, or "
      "smaller tiles");
}

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
