// The CUDA product of one algebra: which launches a call becomes. Compiled with nvcc, for the catalog by the library.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/describe.cuh"
#include "kleene/kernels/cuda/gemm/enqueue.cuh"
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemm/mma_launch.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"

namespace kleene::kernels::cuda {

static __global__ void clear_findings(gemm_findings* found) {
  gpu::launch_dependents();
  for (operand_report& r : found->reports)
    r = {operand_report::key(operand_report::highest), operand_report::key(-operand_report::highest),
         operand_report::no_offender};
  found->overflow = 0;
}

// Turns what was found into the context's fault, unless it has one already. One thread.
template <class G>
__global__ void record_fault(const __grid_constant__ G g, const gemm_checks checks, const char* algebra, const char* a,
                             const char* b, const char* source, device_fault* fault) {
  using S = typename G::algebra;
  if (fault->kind != device_fault::none) return;
  const auto offender = [&](int operand, const char* name, const value_of<S>* data, index rows, index cols,
                            const std::array<index, 3>& s, bool by_column) {
    const unsigned long long at = checks.found->reports[operand].offender;
    if (at == operand_report::no_offender || fault->kind != device_fault::none) return;
    const index n = static_cast<index>(at);  // look_at's order: batch, then the index that is not k, then k
    const index inner = by_column ? rows : cols, outer = by_column ? cols : rows;
    const index x = n % inner, y = n / inner % outer, batch = n / inner / outer;
    const index i = by_column ? x : y, j = by_column ? y : x;
    *fault = {device_fault::domain, algebra, name, i, j, 0};
    if constexpr (std::is_arithmetic_v<value_of<S>>) fault->value = double(data[batch * s[0] + i * s[1] + j * s[2]]);
  };
  if (checks.check_domain) {
    offender(gemm_findings::a, a, g.a, g.m, g.k, g.sa, false);
    offender(gemm_findings::b, b, g.b, g.k, g.n, g.sb, true);
    offender(gemm_findings::source, source, g.d, g.m, g.n, g.sd, false);
  }
  if (fault->kind != device_fault::none) return;
  if (may_wrap<S>(checks)) *fault = {device_fault::wraps, algebra, "", 0, 0, 0};
  else if (checks.found->overflow) *fault = {device_fault::overflow, algebra, "", 0, 0, 0};
}

template <class S>
constexpr const char* algebra_name() {
  if constexpr (requires { S::name; }) return S::name;
  else return "the algebra";
}

// A pass over A and B, over D, or over both.
template <class S, class G>
void enqueue_inspect(const context& ctx, const G& g, bool operands, bool source, gemm_findings* found) {
  inspection<value_of<S>> p{
      {source_a<S>(g), source_b<S>(g), {g.d, g.sd[0] ? g.batch : 1, g.m, g.n, g.sd[0], g.sd[1], g.sd[2]}}, {}};
  const index most = 4 * ctx.device()->multiprocessors;
  for (int i = 0; i < 3; ++i) {
    const operand_source<value_of<S>>& x = p.operand[i];
    const bool looks = x.rows > 0 && x.depth > 0 && (i < 2 ? operands : source);
    p.first_block[i + 1] = p.first_block[i] + (looks ? static_cast<unsigned>(std::min<index>(p.lines(x), most)) : 0);
  }
  if (p.first_block[3] > 0)
    gpu::launch(inspect_operands<S>, {p.first_block[3], inspect_threads, 0, static_cast<cudaStream_t>(ctx.stream())}, p,
                found->reports);
}

template <class T>
double scale_of(const T* factor) {
  if constexpr (std::is_arithmetic_v<T>) return factor ? std::max(1.0, std::abs(static_cast<double>(*factor))) : 1.0;
  else return 1.0;
}

// What the kernels of this call look at before they write.
template <class G>
gemm_checks checks_for(const G& g, const gemm_findings* found, bool classes) {
  using S = typename G::algebra;
  gemm_checks c;
  c.found = found;
  c.check_domain = has_domain<S> && g.check_domain;
  c.check_wrap = can_wrap<S> && std::is_integral_v<value_of<S>> && g.check_domain;
  c.find_class = classes && !g.signs && (c.check_domain || is_worth_a_pass_for_signs(g.m, g.n, g.k, g.batch));
  const bool useful = classes && g.signs &&
                      (*g.signs == sign_class::non_negative ? has_atom<S, sign_class::non_negative>
                                                            : has_atom<S, sign_class::non_positive>);
  c.promised = useful ? *g.signs : sign_class::any;  // a promise without an atom for it is as good as none
  c.terms = static_cast<double>(g.k);
  c.product_scale = scale_of(g.alpha), c.source_scale = g.d ? scale_of(g.beta) : 0;
  return c;
}

// The launch of launch_simt that is always there.
template <class Policy, bool Witness, class G, class S = typename G::algebra>
inline constexpr auto first_kernel = gemm_simt<
    std::conditional_t<Policy::value.copy != copies::strided, atom_of<S, sign_class::any, Witness>, plain_atom<S>>,
    sign_class::any, Policy, Witness, G>;

// One product with a policy: packing, which looks at the operands on the way, and the product for each class that has
// an atom and may be found. The launches whose class it is not return at once.
template <class Policy, bool Witness, class G>
void launch_simt(const context& ctx, const G& g) {
  using S = typename G::algebra;
  constexpr simt_policy P = Policy::value;
  constexpr bool packed = P.copy != copies::strided;
  constexpr bool classes = packed && has_classes<S>;
  using Packer = std::conditional_t<packed, pack_atom_of<S, Witness>, plain_atom<S>>;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const gpu::on_device here(ctx.device()->ordinal);
  if constexpr (needs_sm_90<Policy>)
    if (gpu::target_of(first_kernel<Policy, Witness, G>) < 90)
      throw error(fault_code::device, "this tile policy needs a device of compute capability 9.0, and code for it");

  const index at_once = simt_batch<Packer, P>(g);
  if (at_once == 0) refuse_extents(g.m, g.n, g.k);
  if (g.batch > at_once)
    return launch_in_parts(g, at_once, [&](const G& part) { launch_simt<Policy, Witness>(ctx, part); });

  const auto plan = plan_simt<Packer, P, Witness>(g, P.blocks * ctx.device()->multiprocessors);
  void* workspace = ctx.workspace(plan.bytes);
  gemm_findings* const found = plan.findings.in(workspace);
  const gemm_checks checks = checks_for(g, found, classes);
  const bool inspects = checks.find_class || checks.check_domain || checks.check_wrap;
  const bool may_fail = checks.check_domain || checks.check_wrap || can_overflow<S> || can_wrap<S>;
  const bool early = packed;

  if (inspects || may_fail) gpu::launch(clear_findings, {1, 1, 0, stream}, found);
  const bool inspects_source = g.d && (checks.check_domain || checks.check_wrap);
  if (packed ? inspects_source : inspects) enqueue_inspect<S>(ctx, g, !packed, inspects_source, found);
  const auto arguments = [&]<class Atom>() {
    simt_arguments<Atom, G> p = arguments_simt<Atom, P>(g, plan, workspace);
    p.checks = checks, p.overflow = &found->overflow;
    return p;
  };
  if constexpr (packed)
    enqueue_pack<Packer, P>(g, arguments.template operator()<Packer>(), inspects ? found->reports : nullptr, stream,
                            early && inspects);

  const auto product = [&]<sign_class Class>() {
    using Atom = std::conditional_t<packed, atom_of<S, Class, Witness>, plain_atom<S>>;
    if (!checks.find_class && classes && checks.promised != Class) return;
    enqueue_simt<Atom, Class, Policy, Witness>(arguments.template operator()<Atom>(), stream, early);
  };
  product.template operator()<sign_class::any>();
  if constexpr (classes && has_atom<S, sign_class::non_negative>)
    product.template operator()<sign_class::non_negative>();
  if constexpr (classes && has_atom<S, sign_class::non_positive>)
    product.template operator()<sign_class::non_positive>();
  enqueue_combine<Packer, Policy, Witness>(arguments.template operator()<Packer>(), stream, early);

  if (may_fail)
    gpu::launch(record_fault<G>, {1, 1, 0, stream}, g, checks, algebra_name<S>(), "A", "B", "the source", ctx.faults());
  if (explain_enabled()) explain(describe_simt<Policy, Witness>(g, checks, plan.splits, plan.bytes));
}

// The SIMT engine's usual row for an algebra.
template <class S, bool Witness, class Atom = pack_atom_of<S, Witness>>
inline constexpr workload usual_row =
    workload_of(sizeof(typename Atom::operand), sizeof(typename Atom::accumulator), !Witness && (Atom::lanes > 1),
                !Witness && !is_selective<S>, !Witness && is_long<S>, Witness);

// Rows for few tiles are compiled where they can be chosen.
template <class G>
void launch_simt_row(const context& ctx, const G& g, workload row) {
  using S = typename G::algebra;
  constexpr workload usual = usual_row<S, false>;
  constexpr workload small = is_long<S> ? workload::small_long_steps : workload::small;
  if (row == small) return launch_simt<tuned<small>, false>(ctx, g);
  if constexpr (usual == workload::words) {
    if (row == workload::lone_words) return launch_simt<tuned<workload::lone_words>, false>(ctx, g);
    if (row == workload::tiny_words) return launch_simt<tuned<workload::tiny_words>, false>(ctx, g);
    if (row == workload::few_words) return launch_simt<tuned<workload::few_words>, false>(ctx, g);
  }
  if constexpr (!sums_doubles<S>) launch_simt<tuned<usual>, false>(ctx, g);
}

template <class G>
inline constexpr gemm_operands operands_of_gemm =
    sums_doubles<typename G::algebra>                      ? gemm_operands::f64
    : std::is_same_v<G, gemm_arguments<plus_times<float>>> ? gemm_operands::f32
                                                           : gemm_operands::any;

template <class G>
void launch_gemm(const context& ctx, const G& g) {
  using S = typename G::algebra;
  constexpr gemm_operands operands = operands_of_gemm<G>;
  const gpu::on_device here(ctx.device()->ordinal);
  const bool small = is_small(g.m, g.n, g.k, g.batch), may_have_wgmma = ctx.device()->capability == 90 && g.k > 0;
  const gemm_engine engine = select_engine(operands, g.precision, small, may_have_wgmma);
  if constexpr (operands == gemm_operands::f32)
    if (engine == gemm_engine::wgmma && launch_wgmma_if_possible(ctx, g)) return;
  if constexpr (operands == gemm_operands::f64)
    if (engine == gemm_engine::mma) return launch_mma(ctx, g);
  if (g.witness) {
    if constexpr (is_selective<S>) launch_simt<tuned<usual_row<S, true>>, true>(ctx, g);
    return;
  }
  // Rows for sm_90 have no body where the program holds code for older devices alone, whatever this one is.
  constexpr workload usual = usual_row<S, false>;
  bool sm_90 = false;
  if constexpr (usual == workload::words) sm_90 = gpu::target_of(first_kernel<tuned<usual>, false, G>) >= 90;
  launch_simt_row(ctx, g,
                  select_simt_row(usual, is_long<S>, g.m, g.n, g.k, g.batch, sm_90, ctx.device()->multiprocessors));
}

}  // namespace kleene::kernels::cuda
