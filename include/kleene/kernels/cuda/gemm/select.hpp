// The one choice of what computes a product on a CUDA device: which engine, and which row of the SIMT engine's table.
// From plain facts, constexpr: tests/kernels/gemm_select_test.cpp asks it without a device. (The rows of the tensor
// cores' engines are chosen by what they cost: wgmma/policy.hpp, mma/policy.hpp.)
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

#include <iterator>

namespace kleene::kernels::cuda {

enum class gemm_engine : int {
  simt,         // any algebra, on the ordinary units
  mma,          // tensor cores a warp at a time: sm_80 and later
  wgmma,        // tensor cores a warpgroup at a time: sm_90a
  elementwise,  // one thread an element
};

// What the operands are to the choice.
enum class gemm_operands : int {
  any,   // of every other algebra and type
  f64,   // of plus_times, as all that follow
  f32,   // exact unless the caller's precision allows less
  half,  // 16 bits, and integers of 8
  f8,
};

template <class S>
inline constexpr bool sums_doubles = std::is_same_v<S, plus_times<double>>;
template <class G>
inline constexpr gemm_operands operands_of =
    sums_doubles<typename G::algebra>                      ? gemm_operands::f64
    : std::is_same_v<G, gemm_arguments<plus_times<float>>> ? gemm_operands::f32
                                                           : gemm_operands::any;

// has_wgmma: the device has wgmma, and the program code for it; for f32 also that its k fits (most_coordinate).
constexpr gemm_engine select_engine(gemm_operands operands, float_precision precision, bool small_batch,
                                    bool has_wgmma) {
  const bool reduced = precision == float_precision::split || precision == float_precision::tf32;
  switch (operands) {
    case gemm_operands::f64:
      return small_batch ? gemm_engine::simt : gemm_engine::mma;
    case gemm_operands::f32:
      return reduced && has_wgmma ? gemm_engine::wgmma : gemm_engine::simt;
    case gemm_operands::half:
      return has_wgmma ? gemm_engine::wgmma : gemm_engine::mma;
    case gemm_operands::f8:
      return has_wgmma ? gemm_engine::wgmma : gemm_engine::elementwise;
    default:
      return gemm_engine::simt;
  }
}

// Packed bits: the binary tensor cores of sm_90a, where the program has code for them, or logic on words.
enum class bits_engine : int { tensor_cores, words };
constexpr bits_engine select_bits_engine(int capability, bool compiled_for_sm_90a) {
  return capability == 90 && compiled_for_sm_90a ? bits_engine::tensor_cores : bits_engine::words;
}

// Products of a batch this small are read as they are: packing would move more than it saves. For a single one
// it is a launch more, as long for the host as the product itself.
constexpr bool is_small(index_t m, index_t n, index_t k, index_t batch) {
  return m <= 32 && n <= 32 && k <= (batch > 1 ? 256 : 64);
}

// So few tiles that others fill the device better: under four rounds of `four_bytes` blocks (three a multiprocessor),
// or under three quarters of one.
constexpr bool is_few(index_t m, index_t n, index_t batch, int multiprocessors) {
  return double(m) * double(n) * double(batch) < 4.0 * 3 * 96 * 128 * multiprocessors;
}
constexpr bool is_tiny(index_t m, index_t n, index_t batch, int multiprocessors) {
  return double(m) * double(n) * double(batch) < 0.75 * 3 * 96 * 128 * multiprocessors;
}

// So few tiles that one round of `four_bytes_one_round` blocks computes them all, and fills at least 7/8 of its places.
constexpr bool is_one_round(index_t m, index_t n, index_t batch, int multiprocessors) {
  constexpr simt_policy P = row_of(workload::four_bytes_one_round).policy;
  const index_t places = P.blocks * multiprocessors;
  const index_t tiles = ceil_div(m, P.bm) * ceil_div(n, P.bn) * batch;
  return tiles <= places && 8 * tiles * (places / tiles) >= 7 * places;
}

// Whether finding the signs of A and B out (a pass over both, two launches) costs less than the faster atom brings.
constexpr bool is_worth_a_pass_for_signs(index_t m, index_t n, index_t k, index_t batch) {
  return double(m) * double(n) * double(k) * double(batch) >= 0x1p31;
}

// Whether finding out that A and B are small whole numbers (a pass over both, then gemm/exponents, which is ten times
// as fast) is worth the launches where they are not: 14 of 680 us at 2048 cubed, 0.3 % at 4096. Beyond 2^20 nobody has
// looked.
constexpr bool is_worth_trying_exponents(index_t m, index_t n, index_t k, index_t batch) {
  constexpr index_t most = index_t{1} << 20;
  return batch == 1 && m >= 512 && n >= 512 && k >= 256 && m <= most && n <= most && k <= most &&
         double(m) * double(n) * double(k) >= 3 * 0x1p33;
}

// Log-sum-exp products on the tensor cores (gemm/log_sums), whose error is bounded up to k of 2^24: some 45 us at 512
// cubed. Below 2^24 terms streaming is as fast; and where C is small, since that cuts k into parts.
constexpr bool is_worth_log_sums(index_t m, index_t n, index_t k) {
  constexpr index_t most = index_t{1} << 20;
  return m <= most && n <= most && k <= index_t{1} << 24 && double(m) * double(n) >= 0x1p16 &&
         double(m) * double(n) * double(k) >= 0x1p24;
}

// Whether select_simt_row may choose `row` where the algebra's row is `usual`: then the library compiles it for the
// algebra. A row for few tiles is named here and chosen below.
constexpr bool may_replace(workload row, workload usual, bool long_steps) {
  if (row == workload::small) return !long_steps;
  if (row == workload::small_long_steps) return long_steps;
  return usual == workload::four_bytes &&
         (row == workload::four_bytes_few_tiles || row == workload::four_bytes_fewer_tiles ||
          row == workload::four_bytes_one_round);
}
constexpr bool has_rows_for_few_tiles(workload usual) {
  for (int row = 0; row < static_cast<int>(std::size(simt_table)); ++row)
    if (simt_table[row].needs_sm_90 && may_replace(static_cast<workload>(row), usual, false)) return true;
  return false;
}

// The row for a product without a witness. `usual`: the row of its atom (workload_of). sm_90: the program has code for
// it.
constexpr workload select_simt_row(workload usual, bool long_steps, index_t m, index_t n, index_t k, index_t batch,
                                   bool sm_90, int multiprocessors) {
  if (is_small(m, n, k, batch)) return long_steps ? workload::small_long_steps : workload::small;
  if (!has_rows_for_few_tiles(usual) || !sm_90 || !is_few(m, n, batch, multiprocessors)) return usual;
  if (is_one_round(m, n, batch, multiprocessors)) return workload::four_bytes_one_round;
  return is_tiny(m, n, batch, multiprocessors) ? workload::four_bytes_fewer_tiles : workload::four_bytes_few_tiles;
}

}  // namespace kleene::kernels::cuda
