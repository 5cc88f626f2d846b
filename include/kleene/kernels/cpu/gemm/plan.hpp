// How one CPU product is cut up: tile, passes over k, tasks, threads. Plain arithmetic on extents; changes no result.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cpu/gemm/tuning.hpp"
#include "kleene/kernels/cpu/tile/order.hpp"
#include "kleene/kernels/cpu/tile/vector_pipes.hpp"
#include "kleene/kernels/cpu/tile/words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kleene::kernels::cpu {

namespace detail {

// How one product is cut up.
struct gemm_plan {
  bool swapped = false;         // C^T = B^T A^T is computed instead: short or column-major C
  bool small = false;           // without panels
  bool batch_parallel = false;  // each thread computes whole matrices
  int threads = 1;
  int rows = 1, cols = 1;  // the micro-tile
  index_t depth = 0;       // k per pass; passes below k keep partial sums in C
  index_t row_panels = 0, col_panels = 0;
  index_t task_rows = 1, task_cols = 1;  // in panels
  index_t tasks() const { return ceil_div(row_panels, task_rows) * ceil_div(col_panels, task_cols); }
  bool with_witness = false;  // panels are kept lane by lane too
  bool looks_up = false;      // B's predecessors are packed beside B
  bool four_pipes = false;    // the processor has four for vectors (tile/vector_pipes.hpp)

  index_t size_a() const { return row_panels * rows * depth; }  // elements in all panels of A, of B
  index_t size_b() const { return col_panels * cols * depth; }
  // What one thread, or one team, packs into. A multiple of 64 bytes.
  std::size_t panel_bytes(std::size_t accumulator) const {
    if (small) return 0;
    const std::size_t panels = std::size_t(size_a() + size_b()) * accumulator * (with_witness ? 2 : 1);
    const std::size_t lookup = looks_up ? std::size_t(size_b()) * sizeof(std::int32_t) : 0;
    return (panels + lookup + 127) / 64 * 64;
  }
};

// "avx512, 2 threads, tile 12x32, ...".
std::string describe_plan(const gemm_plan& plan, instruction_set isa);

// Partial sums may wait in C only if nothing else needs what C holds and C can hold an accumulator.
template <class G>
bool partial_sums_fit_c(const G& g) {
  return std::is_same_v<accumulator_of<typename G::algebra>, std::remove_pointer_t<decltype(g.c)>> &&
         !has_epilogue<decltype(g.epilogue)> && !g.d && !g.mask && !g.lookup;
}

// The tile height that wastes least on m rows; few rows take a low tile.
inline int tile_rows_for(index_t m, int full, int low) {
  int best = full;
  double least = 1e300;
  for (int rows : {full, low, 1}) {
    const double overhead = rows == full ? 1.0 : rows == low ? 1.1 : 2.0;  // lower tiles reload B more often
    const double cost = static_cast<double>(ceil_div(m, rows) * rows) * overhead;
    if (cost < least) least = cost, best = rows;
  }
  return best;
}
// k per pass, where the policy's is of four bytes: narrower ones fill as much memory. A pass reads the sums of a tile
// from C and writes them back, which costs as much an element whatever its width. One core of a Zen 5, AVX-512,
// n = 2048, best of four runs in turns, 512 / 1024 / 2048 deep: u8 337 / 403 / 444 Gpairs/s, u16 230 / 233 / 229.
template <class A>
index_t depth_of_pass(const gemm_policy& policy) {
  return index_t{policy.depth} * std::max<index_t>(sizeof(float) / sizeof(A), 1);
}

// Threads, and whether each takes whole matrices.
template <class G>
void plan_threads(gemm_plan& p, const G& g) {
  const double pairs = double(g.m) * double(g.n) * double(std::max<index_t>(g.k, 1));
  p.batch_parallel = g.batch >= 2 * g.threads && pairs < 8 * pairs_per_thread * g.threads;
  p.threads = threads_for(p.batch_parallel ? pairs * double(g.batch) : pairs, pairs_per_thread, g.threads);
}

template <class G>
bool is_small(const G& g) {
  return std::is_arithmetic_v<accumulator_of<typename G::algebra>> && !g.witness &&
         std::max({g.m, g.n, g.k}) <= small_extent;
}

template <class G>
gemm_plan plan_small(const G& g) {
  gemm_plan p;
  p.small = true;
  p.swapped =
      is_commutative<typename G::algebra> && !has_epilogue<decltype(g.epilogue)> && g.sc[1] == 1 && g.sc[2] != 1;
  p.rows = small_rows;
  p.depth = g.k;
  plan_threads(p, g);
  return p;
}

template <class G>
gemm_plan plan_gemm(const G& g) {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  if (is_small(g)) return plan_small(g);
  const int bytes = vector_bytes(g.isa);
  const gemm_policy policy = gemm_policy_for<S>(bytes);
  const witness_policy with_witness = witness_policy_for<S>(bytes);
  const int width = std::is_arithmetic_v<A> ? bytes / static_cast<int>(sizeof(A)) : 1;
  gemm_plan p;
  p.cols = width * (g.witness ? with_witness.vectors : policy.vectors);
  int full = g.witness ? with_witness.rows : policy.rows;
  if constexpr (struct_of_words<A>)
    if (!g.witness) p.cols = words<A>::lanes(bytes), full = struct_rows;

  index_t m = g.m, n = g.n;
  if constexpr (is_commutative<S> && !has_epilogue<decltype(g.epilogue)>) {
    const auto waste = [&](index_t rows, index_t cols) {
      return static_cast<double>(rows + full) * static_cast<double>(ceil_div(cols, p.cols) * p.cols);
    };
    const bool by_column = g.sc[1] == 1 && g.sc[2] != 1;
    p.swapped = !g.lookup && waste(n, m) * (by_column ? 0.9 : 1.1) < waste(m, n);
    if (p.swapped) std::swap(m, n);
  }
  p.rows = g.witness || struct_of_words<A> ? full : tile_rows_for(m, full, low_rows_for(full));
  p.row_panels = ceil_div(m, p.rows);
  p.col_panels = ceil_div(n, p.cols);
  p.depth = partial_sums_fit_c(g) ? std::min(g.k, depth_of_pass<A>(policy)) : g.k;
  if (g.witness) p.depth = ceil_div(p.depth, with_witness.group) * with_witness.group;
  p.with_witness = g.witness != nullptr;
  p.looks_up = g.lookup != nullptr;
  if constexpr (adds_by_multiplying<S> || only_compares<S>) p.four_pipes = has_four_vector_pipes();

  plan_threads(p, g);
  p.task_rows = std::clamp<index_t>(policy.task_rows / p.rows, 1, p.row_panels);
  p.task_cols = std::clamp<index_t>(policy.task_cols / p.cols, 1, std::max<index_t>(p.col_panels, 1));  // n may be 0
  while (p.threads > 1 && p.tasks() < 4 * p.threads &&
         p.task_rows * p.task_cols > 4)  // enough tasks to share out evenly
    (p.task_rows * p.rows > p.task_cols * p.cols || p.task_cols == 1 ? p.task_rows : p.task_cols) /= 2;
  return p;
}

// A, B and everything m x n exchange rows and columns.
template <class G>
G transposed(const G& g) {
  G t = g;
  std::swap(t.m, t.n);
  t.a = g.b, t.b = g.a;
  const auto flip = [](typename G::strides s) { return typename G::strides{s[0], s[2], s[1]}; };
  t.sa = flip(g.sb), t.sb = flip(g.sa);
  t.sc = flip(g.sc), t.sd = flip(g.sd), t.smask = flip(g.smask), t.switness = flip(g.switness);
  return t;
}

}  // namespace detail
}  // namespace kleene::kernels::cpu
