// Log-sum-exp products, with k of 1 or more: on the tensor cores, elements without proof streamed; or all streamed.
// Doubles are multiplied by plus_times' engine.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/gemm/log_sums/doubles.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/launch.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/maxima.cuh"
#include "kleene/kernels/cuda/gemm/log_sums/stream_launch.cuh"
#include "kleene/kernels/cuda/gemm/mma/launch.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"

#include <algorithm>

namespace kleene::kernels::cuda {

// Sums of products of factors, added to those of earlier k.
inline void enqueue_double_product(const context& ctx, const log_lines<double>& a, const log_lines<double>& b,
                                   const double_factors& of_a, const double_factors& of_b, double* sums,
                                   bool is_first) {
  gemm_arguments<plus_times<double>> g;
  g.m = a.lines, g.n = b.lines, g.k = a.depth;
  g.a = of_a.memory, g.sa = {0, of_a.line_stride, of_a.stride};
  g.b = of_b.memory, g.sb = {0, of_b.stride, of_b.line_stride};
  g.c = sums, g.sc = {0, g.n, 1};
  if (!is_first) g.d = sums, g.sd = g.sc;
  launch_mma(ctx, g);
}

struct double_sums_plan {
  gpu::workspace_array<long long> most_a, most_b;
  gpu::workspace_array<unsigned> failed_tiles;
  gpu::workspace_array<unsigned char> failed;
  gpu::workspace_array<double> factors_a, factors_b, sums;
  std::size_t bytes;
};
inline double_sums_plan plan_double_sums(index_t m, index_t n, index_t k) {
  const index_t range = round_up(std::min(k, log_sums_f64::range), index_t{2});
  gpu::workspace_layout layout;
  double_sums_plan plan{};
  plan.most_a = layout.add<long long>(m), plan.most_b = layout.add<long long>(n);
  plan.failed_tiles = layout.add<unsigned>(ceil_div(m, index_t{stream_tile}) * ceil_div(n, index_t{stream_tile}));
  plan.failed = layout.add<unsigned char>(m * n);
  plan.factors_a = layout.add<double>(round_up(m, index_t{2}) * range);
  plan.factors_b = layout.add<double>(round_up(n, index_t{2}) * range);
  plan.sums = layout.add<double>(m * n);
  plan.bytes = layout.bytes();
  return plan;
}

// C of one matrix that is not empty, with k of 1 or more, all of its rows at once.
template <class G>
void launch_double_rows(const context& ctx, const G& g) {
  using P = log_sums_f64;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const double_sums_plan plan = plan_double_sums(g.m, g.n, g.k);
  void* const workspace = ctx.workspace(plan.bytes);
  log_problem<G> p(g);
  p.lines_a.most = plan.most_a.in(workspace), p.lines_b.most = plan.most_b.in(workspace);
  p.failed = plan.failed.in(workspace), p.failed_tiles = plan.failed_tiles.in(workspace);
  double* const sums = plan.sums.in(workspace);
  const index_t range = std::min(g.k, P::range);
  const double_factors of_a(plan.factors_a.in(workspace), p.lines_a, range),
      of_b(plan.factors_b.in(workspace), p.lines_b, range);

  enqueue_log_maxima(p.lines_a, p.lines_b, stream);
  for (index_t first = 0; first < g.k; first += P::range) {
    const index_t count = std::min(g.k - first, P::range);
    const auto a = p.lines_a.part(first, count), b = p.lines_b.part(first, count);
    const index_t blocks_a = blocks_of_factors(a);
    gpu::launch(pack_double_factors<double>,
                {gpu::grid_of(blocks_a + blocks_of_factors(b)), double_factors_threads, 0, stream, true}, a, b, of_a,
                of_b, gpu::grid_of(blocks_a));
    enqueue_double_product(ctx, a, b, of_a, of_b, sums, first == 0);
  }
  const unsigned tiles = gpu::grid_of(ceil_div(g.m, index_t{stream_tile}) * p.stream_tiles_n());
  gpu::launch(store_double_sums<G>, {tiles, stream_threads, 0, stream, true}, p, sums);
  enqueue_log_stream<G>(p, stream);
}

// C of one matrix, at most so many elements at a time (but 64 rows).
template <class G>
void launch_double_sums(const context& ctx, const G& g, index_t most_elements = log_sums_f64::most_elements) {
  const gpu::on_device here(ctx.device()->ordinal);
  const index_t rows = std::max(most_elements / g.n / stream_tile, index_t{1}) * stream_tile;
  for (index_t first = 0; first < g.m; first += rows) {
    G part = g;
    part.m = std::min(rows, g.m - first);
    part.a += first * g.sa[1], part.c += first * g.sc[1];
    if (g.d) part.d += first * g.sd[1];
    if (g.mask) part.mask += first * g.smask[1];
    launch_double_rows(ctx, part);
  }
}

// Whether the tensor cores have multiplied: false, and nothing is done, where they are not for it.
template <class G>
bool launch_log_factors_if_possible(const context& ctx, const G& g) {
  if (!is_worth_log_sums(g.m, g.n, g.k)) return false;
  if constexpr (std::is_same_v<value_of<typename G::algebra>, double>) {
    if (ctx.device()->capability < 80) return false;
    launch_in_parts(g, 1, [&](const G& part) { launch_double_sums(ctx, part); });
  } else {
    if (ctx.device()->capability != 90 || !has_log_sums<G>()) return false;
    launch_in_parts(g, 1, [&](const G& part) { launch_log_sums(ctx, part); });
  }
  return true;
}

template <class G>
void launch_log_plus(const context& ctx, const G& g) {
  const gpu::on_device here(ctx.device()->ordinal);
  const bool multiplied = launch_log_factors_if_possible(ctx, g);
  if (!multiplied) launch_log_stream(ctx, g);
  if (explain_enabled())
    explain(
        product_text(name_of<typename G::algebra>(), type_name<value_of<typename G::algebra>>, g.m, g.n, g.k, g.batch) +
        ": cuda, " +
        (multiplied ? "exponentials on the tensor cores, elements without proof streamed"
                    : "the largest term, then exponentials below it"));
}

}  // namespace kleene::kernels::cuda
