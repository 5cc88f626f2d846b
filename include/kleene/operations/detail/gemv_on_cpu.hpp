// One checked product of a matrix and a vector on the CPU. The vectors are looked at here, the matrix by the kernels,
// in the pass that reads it anyway.
#pragma once

#include "kleene/kernels/contract/matrix_vector.hpp"
#include "kleene/kernels/cpu/gemv/launch.hpp"
#include "kleene/operations/detail/gemm_checked.hpp"

namespace kleene::detail {

// What the kernels are to look for in the matrix. Throws for what is wrong with the vectors.
template <class G>
kernels::cpu::gemv_checks gemv_checks_for(const G& g) {
  using S = typename G::algebra;
  using T = value_of<S>;
  kernels::cpu::gemv_checks checks;
  if (!g.check_domain) return checks;
  const bool is_row = kernels::matrix_vector<G>(g).is_row;
  const batch_view<const T> a(g.a, {1, g.m, g.k}, g.sa), b(g.b, {1, g.k, g.n}, g.sb);
  const batch_view<const T>& x = is_row ? a : b;
  const batch_view<const typename G::source> d(g.d, {1, g.d ? g.m : 0, g.n}, g.sd);
  require_domain<S>("x", x);
  if constexpr (!G::c_holds_sums) require_domain<S>("the source", d);
  checks.domain = has_domain<S>;
  if constexpr (can_wrap<S> && std::is_integral_v<T>) {
    constexpr bool scales = std::is_same_v<accumulator_of<S>, typename G::combined>;
    const auto factor = [](const auto* f) { return f ? std::max(1.0, std::abs(static_cast<double>(*f))) : 1.0; };
    checks.product_scale = double(g.k) * largest_magnitude(x) * (scales ? factor(g.alpha) : 1.0);
    checks.source = scales && g.d ? largest_magnitude(d) * factor(g.beta) : 0;
    checks.wraps = !S::sums_fit(1, checks.product_scale * type_magnitude<T> + checks.source, 1);
  }
  return checks;
}

template <class G>
void run_gemv_on_cpu(const context& ctx, const G& g) {
  using S = typename G::algebra;
  using T = value_of<S>;
  const kernels::cpu::gemv_checks checks = gemv_checks_for(g);
  void* workspace = ctx.workspace(kernels::cpu::gemv_workspace(g, checks));
  if (explain_enabled()) explain(kernels::cpu::describe_gemv(g, checks));
  switch (kernels::cpu::launch_gemv(g, checks, workspace)) {
    case kernels::cpu::gemv_status::ok:
      return;
    case kernels::cpu::gemv_status::overflow:
      throw value_error(name_of<S>() +
                        ": a finite result is too large for the element type; use a wider one. y is not to be used");
    case kernels::cpu::gemv_status::outside:
    case kernels::cpu::gemv_status::wraps:
      break;
  }
  // y is as it was. The same pass again, to say where.
  const bool is_row = kernels::matrix_vector<G>(g).is_row;
  const batch_view<const T> a(g.a, {1, g.m, g.k}, g.sa), b(g.b, {1, g.k, g.n}, g.sb);
  require_domain<S>("A", is_row ? b : a);
  if constexpr (can_wrap<S> && std::is_integral_v<T>) {
    constexpr bool scales = std::is_same_v<accumulator_of<S>, typename G::combined>;
    refuse_wrapping_sums(name_of<S>(), {double(g.k), largest_magnitude(a), largest_magnitude(b),
                                        8 * sizeof(accumulator_of<S>), scales && g.alpha, scales && g.d});
  }
}

}  // namespace kleene::detail
