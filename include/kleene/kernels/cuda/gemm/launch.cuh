// The CUDA product of one algebra: engine, row of the table, launches. Compiled with nvcc, for the catalog by the
// library.
#pragma once

#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/gemm/exponents/launch.cuh"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemm/mma/launch.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/gemm/simt/choice.cuh"
#include "kleene/kernels/cuda/gemm/simt/launch.cuh"

#include <iterator>
#include <utility>

namespace kleene::kernels::cuda {

// The usual row, or one that select_simt_row may choose in its place: those are compiled for the algebra. With a policy
// of its own an algebra has that, and the rows for batches of small products.
template <class G>
void launch_simt_row(const context& ctx, const G& g, workload row, const simt_attempt<G>& attempt) {
  using S = typename G::algebra;
  constexpr workload usual = usual_row<S, false>;
  const auto launched_as = [&]<workload Row>() {
    constexpr bool is_for_small = Row == workload::small || Row == workload::small_long_steps;
    if constexpr (may_replace(Row, usual, is_long<S>) && (is_for_small || !has_own_policy<S>)) {
      if (row == Row) return launch_after_attempt<tuned<Row>, false>(ctx, g, attempt), true;
    }
    return false;
  };
  const bool launched = [&]<int... Row>(std::integer_sequence<int, Row...>) {
    return (launched_as.template operator()<static_cast<workload>(Row)>() || ...);
  }(std::make_integer_sequence<int, std::size(simt_table)>{});
  if constexpr (!sums_doubles<S>)
    if (!launched) launch_after_attempt<policy_of<S, false>, false>(ctx, g, attempt);
}

// Whether a product, or one of a batch, may be minima of small whole numbers.
template <class G>
bool may_have_exponents(const G& g) {
  if constexpr (level_sign<typename G::algebra> != 0 && std::is_same_v<G, gemm_arguments<typename G::algebra>>) {
    const bool fits = !g.alpha && !g.beta && !(g.witness && (g.mask || g.lookup));
    return fits && is_worth_trying_exponents(g.m, g.n, g.k, 1);
  }
  return false;
}

// Them, where the batch is one product.
template <bool Witness, class G>
simt_attempt<G> attempt_of(const G& g) {
  if constexpr (level_sign<typename G::algebra> != 0 && std::is_same_v<G, gemm_arguments<typename G::algebra>>)
    if (g.batch == 1 && may_have_exponents(g))
      return {plan_exponents(g.m, g.n, g.k).bytes, &enqueue_exponents < G,
              Witness ? exponents_kind::keyed : exponents_kind::plain >,
              "exponents on the tensor cores if A and B are whole numbers in narrow ranges"};
  return {};
}

// Log-sum-exp products, with k of 1 or more (log_plus_launch.cuh). Compiled for log_plus<f32> and log_plus<f64>.
template <class G>
void launch_log_plus(const context& ctx, const G& g);
template <class G>
inline constexpr bool has_log_plus_launch =
    std::is_same_v<G, gemm_arguments<log_plus<float>>> || std::is_same_v<G, gemm_arguments<log_plus<double>>>;

template <class G>
void launch_gemm(const context& ctx, const G& g) {
  using S = typename G::algebra;
  constexpr gemm_operands operands = operands_of<G>;
  const gpu::on_device here(ctx.device()->ordinal);
  const bool small = g.batch > 1 && is_small(g.m, g.n, g.k, g.batch),
             may_have_wgmma = ctx.device()->capability == 90 && g.k > 0;
  const gemm_engine engine = select_engine(operands, g.precision, small, may_have_wgmma);
  if constexpr (operands == gemm_operands::f32)
    if (engine == gemm_engine::wgmma && launch_wgmma_if_possible(ctx, g)) return;
  if constexpr (operands == gemm_operands::f64)
    if (engine == gemm_engine::mma) return launch_mma(ctx, g);
  if constexpr (has_log_plus_launch<G>)
    if (g.k > 0) return launch_log_plus(ctx, g);
  if (g.batch > 1 && may_have_exponents(g))  // one after the other: each has its own ranges
    return launch_in_parts(g, 1, [&](const G& part) { launch_gemm(ctx, part); });
  if (g.witness) {
    if constexpr (is_selective<S>) launch_after_attempt<policy_of<S, true>, true>(ctx, g, attempt_of<true>(g));
    return;
  }
  // Rows for sm_90 have no body where the program holds code for older devices alone, whatever this one is.
  constexpr workload usual = usual_row<S, false>;
  bool sm_90 = false;
  if constexpr (has_rows_for_few_tiles(usual) && !has_own_policy<S>)
    sm_90 = gpu::target_of(gpu::address_of(first_kernel<tuned<usual>, false, G>)) >= 90;
  launch_simt_row(ctx, g,
                  select_simt_row(usual, is_long<S>, g.m, g.n, g.k, g.batch, sm_90, ctx.device()->multiprocessors),
                  attempt_of<false>(g));
}

}  // namespace kleene::kernels::cuda
