// CUDA products of a matrix and a vector, one or a batch: one kernel that reads the matrices, and where k is cut into
// parts or values are to be checked first, one that stores y.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/gemv/columns.cuh"
#include "kleene/kernels/cuda/gemv/finish.cuh"
#include "kleene/kernels/cuda/gemv/launch.hpp"
#include "kleene/kernels/cuda/gemv/rows.cuh"

#include <algorithm>
#include <cmath>

namespace kleene::kernels::cuda {

// Elements of a load of 16 bytes. Where instructions are the limit, those once each are enough.
template <class S, class T = value_of<S>>
inline constexpr int gemv_vector = !loads_singly<S> && sizeof(T) < 16 && 16 % sizeof(T) == 0 ? int(16 / sizeof(T)) : 1;

// What the kernels are to look for, but for where they leave what they find.
template <class G>
gemv_values values_to_check(const G& g) {
  using S = typename G::algebra;
  gemv_values values;
  values.domain = has_domain<S> && g.check_domain;
  if constexpr (can_wrap<S> && std::is_integral_v<value_of<S>>) {
    constexpr bool scales = std::is_same_v<accumulator_of<S>, typename G::combined>;
    const auto factor = [](const auto* f) { return f ? std::max(1.0, std::abs(static_cast<double>(*f))) : 1.0; };
    values.product_scale = static_cast<double>(g.k) * (scales ? factor(g.alpha) : 1.0);
    values.source_scale = scales && g.d ? factor(g.beta) : 0;
    constexpr double largest = kleene::detail::type_magnitude<value_of<S>>;  // sums of bytes fit up to 131,072 of them
    const double source =
        values.source_scale > 0 ? values.source_scale * kleene::detail::type_magnitude<typename G::source> : 0;
    values.wraps = g.check_domain && !S::sums_fit(1, values.product_scale * largest * largest + source, 1);
  }
  return values;
}

template <class G>
gemv_facts facts_of(const context& ctx, const gemv_arguments<G>& p) {
  const matrix_vector<G>& v = p.v;
  constexpr index_t size = sizeof(value_of<typename G::algebra>);
  const auto aligned = [&](const void* data, index_t stride) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (p.grid.batch == 1 || stride * size % 16 == 0);
  };
  return {v.rows,
          v.depth,
          v.row_stride,
          v.depth_stride,
          v.x_stride,
          gemv_vector<typename G::algebra>,
          aligned(v.a, p.matrix_stride) && aligned(v.x, p.vector_stride),
          ctx.device()->multiprocessors,
          p.grid.batch,
          keeps_to_warps<typename G::algebra>,
          values_to_check(p.g).looks()};
}

// The problem itself, before it is cut up.
template <class G>
gemv_arguments<G> arguments_of(const G& g) {
  gemv_arguments<G> p;
  p.g = g, p.v = matrix_vector<G>(g), p.grid.batch = g.batch;
  p.matrix_stride = p.v.is_row ? g.sb[0] : g.sa[0], p.vector_stride = p.v.is_row ? g.sa[0] : g.sb[0];
  return p;
}

// And what the kernels do with it.
template <class G>
void cut_up(gemv_arguments<G>& p, const context& ctx, const gemv_plan& plan) {
  using S = typename G::algebra;
  const G& g = p.g;
  if (g.alpha) p.alpha = *g.alpha, p.has_alpha = true;
  if (g.beta) p.beta = *g.beta, p.has_beta = true;
  p.grid.tiles = plan.tiles, p.grid.together = plan.matrices();
  p.lanes_log2 = plan.lanes_log2, p.share_log2 = plan.share_log2, p.part = plan.part, p.parts = plan.parts;
  if constexpr (requires { S::name; }) p.algebra = S::name;
  else p.algebra = "the algebra";
  p.fault = ctx.faults();
  p.values = values_to_check(g);
  if (plan.parts == 1 && !p.values.looks()) return;  // the kernel stores y itself

  const index_t elements = g.batch * p.v.rows;
  gpu::workspace_layout layout;
  const auto found = layout.add<gemv_findings>(1);
  const auto sums = layout.add<typename gemv_arguments<G>::stored>(plan.parts * elements);
  const auto winners = layout.add<std::int32_t>(g.witness ? plan.parts * elements : 0);
  void* const workspace = ctx.workspace(layout.bytes());
  p.values.found = found.in(workspace), p.sums = sums.in(workspace);
  if (g.witness) p.winners = winners.in(workspace);
  while (p.finish_lanes_log2 < 5 && (index_t{1} << p.finish_lanes_log2) < plan.parts &&
         (elements << p.finish_lanes_log2) < 512 * index_t{ctx.device()->multiprocessors})
    ++p.finish_lanes_log2;
}

// The kernel that reads the matrix. Element by element a witness is carried along, wanted or not: fewer kernels.
template <class G, int Vector, bool Witness>
void launch_reading(const gemv_arguments<G>& p, const gemv_plan& plan, const gpu::launch_config& config) {
  constexpr bool is_one = keeps_to_warps<typename G::algebra>;
  if (!plan.by_rows) return gpu::launch(gemv_columns<G, Vector, Witness>, config, p);
  if constexpr (is_one || Vector > 1)
    if (plan.rows_together == 1) return gpu::launch(gemv_rows<G, Vector, Witness, 1>, config, p);
  if constexpr (!is_one) gpu::launch(gemv_rows<G, Vector, Witness, gemv_rows_together>, config, p);
}

template <class G>
void launch_gemv(const context& ctx, const G& g) {
  using S = typename G::algebra;
  constexpr int vector = gemv_vector<S>;
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  gemv_arguments<G> p = arguments_of(g);
  const gemv_plan plan = plan_gemv(facts_of(ctx, p));
  cut_up(p, ctx, plan);
  const bool looks = p.values.looks();
  const dim3 blocks(gpu::grid_of(p.grid.x(gpu::most_blocks)), static_cast<unsigned>(plan.parts),
                    static_cast<unsigned>(p.grid.z(gpu::most_blocks)));
  const gpu::launch_config config{blocks, gemv_threads, 0, stream, looks};

  if (looks) gpu::launch(clear_gemv_findings, {1, 1, 0, stream}, p.values.found);
  if (plan.vector == 1) {
    launch_reading<G, 1, is_selective<S>>(p, plan, config);
  } else if (g.witness) {
    if constexpr (vector > 1 && is_selective<S>) launch_reading<G, vector, true>(p, plan, config);
  } else {
    if constexpr (vector > 1) launch_reading<G, vector, false>(p, plan, config);
  }
  if (p.sums) {
    const unsigned finishing = gpu::grid_of(ceil_div(g.batch * p.v.rows << p.finish_lanes_log2, gemv_threads));
    gpu::launch(gemv_finish<G>, {finishing, gemv_threads, 0, stream, true}, p);
  }
  if (explain_enabled())
    explain("gemv on " + ctx.device()->name + ": by " + (plan.by_rows ? "rows" : "columns") + ", " +
            std::to_string(plan.vector) + " elements a load, " + std::to_string(plan.lanes()) + " lanes, " +
            std::to_string(plan.tiles) + " tiles, " + std::to_string(plan.parts) + " ranges of k" +
            (g.batch > 1 ? ", a batch of " + std::to_string(g.batch) : "") +
            (plan.matrices() > 1 ? ", " + std::to_string(plan.matrices()) + " of them a block" : ""));
}

}  // namespace kleene::kernels::cuda
