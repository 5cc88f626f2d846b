// What the kernels of a SIMT product look at before they write: domains, whether sums may wrap, the signs of A and B.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/gemm/simt/enqueue.cuh"

#include <algorithm>
#include <cmath>

namespace kleene::kernels::cuda {

static __global__ void clear_findings(gemm_findings* found) {
  gpu::launch_dependents();
  for (operand_report& r : found->reports)
    r = {operand_report::key(operand_report::highest), operand_report::key(-operand_report::highest),
         operand_report::no_offender};
  found->overflow = 0;
}

// D where it holds the algebra's values: sums (C's type, where C holds them) have no domain.
template <class G>
KLEENE_FUNCTION const typename G::T* values_of_source(const G& g) {
  if constexpr (std::is_same_v<typename G::source, typename G::T>) return g.d;
  else return nullptr;
}

// Turns what was found into the context's fault, unless it has one already. One thread.
template <class G>
__global__ void record_fault(const __grid_constant__ G g, const gemm_checks checks, const char* algebra, const char* a,
                             const char* b, const char* source, device_fault* fault) {
  using S = typename G::algebra;
  if (fault->kind != device_fault::none) return;
  const auto offender = [&](int operand, const char* name, const value_of<S>* data, index_t rows, index_t cols,
                            const std::array<index_t, 3>& s, bool by_column) {
    const unsigned long long at = checks.found->reports[operand].offender;
    if (at == operand_report::no_offender || fault->kind != device_fault::none) return;
    const index_t n = static_cast<index_t>(at);  // inspect_value's order: batch, then the index that is not k, then k
    const index_t inner = by_column ? rows : cols, outer = by_column ? cols : rows;
    const index_t x = n % inner, y = n / inner % outer, batch = n / inner / outer;
    const index_t i = by_column ? x : y, j = by_column ? y : x;
    *fault = {device_fault::domain, algebra, name, i, j, 0};
    if constexpr (std::is_arithmetic_v<value_of<S>>) fault->value = double(data[batch * s[0] + i * s[1] + j * s[2]]);
  };
  if (checks.check_domain) {
    offender(gemm_findings::a, a, g.a, g.m, g.k, g.sa, false);
    offender(gemm_findings::b, b, g.b, g.k, g.n, g.sb, true);
    offender(gemm_findings::source, source, values_of_source(g), g.m, g.n, g.sd, false);
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
  const value_of<S>* const d = values_of_source(g);
  inspection<value_of<S>> p{
      {source_a<S>(g), source_b<S>(g), {d, g.sd[0] ? g.batch : 1, g.m, g.n, g.sd[0], g.sd[1], g.sd[2]}}, {}};
  const index_t most = 4 * ctx.device()->multiprocessors;
  for (int i = 0; i < 3; ++i) {
    const operand_source<value_of<S>>& x = p.operand[i];
    const bool looks = x.rows > 0 && x.depth > 0 && (i < 2 ? operands : source && d);
    p.first_block[i + 1] = p.first_block[i] + (looks ? static_cast<unsigned>(std::min<index_t>(p.lines(x), most)) : 0);
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

}  // namespace kleene::kernels::cuda
