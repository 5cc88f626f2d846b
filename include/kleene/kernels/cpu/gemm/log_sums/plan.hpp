// How one log-sum-exp product is cut up, and where everything lies in its workspace. Changes no result.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/cpu/gemm/plan.hpp"
#include "kleene/kernels/cpu/tile/logarithms.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

namespace kleene::kernels::cpu {

namespace detail {

// A block of rows of C at a time: for each, all k are passed over, and sums of its tiles wait in the workspace.
struct log_sum_plan {
  bool swapped = false;         // C^T = B^T A^T is computed instead
  bool batch_parallel = false;  // each thread computes whole matrices
  int threads = 1;
  instruction_set isa = instruction_set::baseline;
  int rows = 1, cols = 1;                          // the micro-tile
  index_t depth = 1;                               // k per pass, a multiple of depth_unit
  index_t row_panels = 0, col_panels = 0;          // of the whole product
  index_t block_panels = 1;                        // of rows in a block
  index_t task_rows = 1, task_cols = 1;            // in panels
  std::size_t element = sizeof(float), state = 0;  // bytes of an element, and of what waits for each element of a block

  // Panels end with whole vectors, whatever their width.
  static constexpr index_t depth_unit = 16;

  index_t panel_a() const { return rows * depth; }
  index_t panel_b() const { return cols * depth; }
  index_t block_tiles() const { return block_panels * col_panels; }
  index_t block_elements() const { return block_tiles() * rows * cols; }
  index_t shifts() const { return row_panels * rows + col_panels * cols; }
  std::size_t workspace_bytes() const {
    const std::size_t elements = std::size_t(block_panels * panel_a() + col_panels * panel_b() + shifts());
    const std::size_t bytes = elements * element + std::size_t(block_elements()) * state + std::size_t(block_tiles());
    return (bytes + 8 * 64 + 63) / 64 * 64;  // each array begins a line of the cache
  }
};

// "log-sum-exp, avx512, 2 threads, tile 12x32, ...".
std::string describe_plan(const log_sum_plan& plan);

// Sums of passes: in double, and in two of them where elements are doubles.
template <class T>
inline constexpr int words_of_sums = std::is_same_v<T, double> ? 2 : 1;

inline constexpr double log_sum_state = 64 << 20;  // bytes that wait for a block, if it has more than one task's rows

template <class G>
log_sum_plan plan_log_sums(const G& g) {
  using T = value_of<typename G::algebra>;
  constexpr index_t bytes_of_element = sizeof(T);
  log_sum_plan p;
  index_t m = g.m, n = g.n;
  if constexpr (!has_epilogue<decltype(G::epilogue)>) {
    const gemm_policy wanted = gemm_policy_for<plus_times<T>>(vector_bytes(g.isa));
    const index_t cols = wanted.vectors * vector_bytes(g.isa) / bytes_of_element;
    const auto waste = [&](index_t r, index_t c) { return double(r + wanted.rows) * double(round_up(c, cols)); };
    const bool by_column = g.sc[1] == 1 && g.sc[2] != 1;
    p.swapped = waste(n, m) * (by_column ? 0.9 : 1.1) < waste(m, n);
    if (p.swapped) std::swap(m, n);
  }
  // Rows that a vector of AVX2 holds are no faster in longer ones.
  const bool is_short = n * bytes_of_element <= vector_bytes(instruction_set::avx2);
  p.isa = is_short ? std::min(g.isa, instruction_set::avx2) : g.isa;
  const int bytes = vector_bytes(p.isa);
  const gemm_policy policy = gemm_policy_for<plus_times<T>>(bytes);
  p.cols = policy.vectors * bytes / static_cast<int>(bytes_of_element);
  p.rows = tile_rows_for(m, policy.rows, low_rows_for(policy.rows));
  if (p.rows == 1) p.rows = low_rows_for(policy.rows);
  p.row_panels = ceil_div(m, p.rows);
  p.col_panels = ceil_div(n, p.cols);
  p.depth = round_up(std::clamp<index_t>(g.k, 1, policy.depth), log_sum_plan::depth_unit);
  p.element = sizeof(T);
  p.state = words_of_sums<T> * sizeof(double) + 2 * sizeof(T);

  const double pairs = double(m) * double(n) * double(std::max<index_t>(g.k, 1));
  p.batch_parallel = g.batch >= 2 * g.threads && pairs < 8 * pairs_per_thread * g.threads;
  p.threads = threads_for(p.batch_parallel ? pairs * double(g.batch) : pairs, pairs_per_thread, g.threads);
  p.task_rows = std::clamp<index_t>(policy.task_rows / p.rows, 1, p.row_panels);
  p.task_cols = std::clamp<index_t>(policy.task_cols / p.cols, 1, std::max<index_t>(p.col_panels, 1));
  const double panel_state = double(std::max<index_t>(p.col_panels, 1) * p.cols * p.rows) * double(p.state);
  p.block_panels = std::clamp<index_t>(index_t(log_sum_state / panel_state), p.task_rows, p.row_panels);
  return p;
}

}  // namespace detail
}  // namespace kleene::kernels::cpu
