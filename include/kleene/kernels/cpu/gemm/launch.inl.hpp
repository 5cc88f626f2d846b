// The CPU product, packed and register-blocked: every k pass packs both operands into panels, then the threads of a
// team take tasks, blocks of micro-tiles of C. Needs any product_algebra; arithmetic element types are vectorised.
//
// Structure after Goto and van de Geijn (2008), with two differences: the micro-tile goes through a small buffer in the
// first-level cache, so that strides, masks, sources and epilogues live in one writer; and all of A is packed at once,
// so that a team shares every panel (workspace (m + n) * depth instead of one block).
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/gemm/launch.hpp"
#include "kleene/kernels/cpu/gemm/log_sums/worker.inl.hpp"
#include "kleene/kernels/cpu/gemm/rows.inl.hpp"
#include "kleene/kernels/cpu/gemm/worker.inl.hpp"

#include <algorithm>
#include <atomic>

namespace kleene::kernels::cpu {

namespace detail {

template <class G>
using worker_for = std::conditional_t<sums_logarithms<typename G::algebra>, log_sum_worker<G>, gemm_worker<G>>;

template <class G>
auto plan_for(const G& g) {
  if constexpr (sums_logarithms<typename G::algebra>) return plan_log_sums(g);
  else return plan_gemm(g);
}

template <class G>
std::size_t bytes_of(const gemm_plan& plan, const G&) {
  return plan.panel_bytes(sizeof(accumulator_of<typename G::algebra>));
}
template <class G>
std::size_t bytes_of(const log_sum_plan& plan, const G&) {
  return plan.workspace_bytes();
}

// AVX2 has all that short vectors need, and one copy of them is enough for a compiler.
template <class G>
instruction_set instruction_set_for(const G& g, const gemm_plan& plan) {
  const index_t columns = plan.swapped ? g.m : g.n;
  const bool is_short =
      columns * index_t{sizeof(accumulator_of<typename G::algebra>)} <= vector_bytes(instruction_set::avx2);
  return plan.small && is_short ? std::min(g.isa, instruction_set::avx2) : g.isa;
}

template <class G>
instruction_set instruction_set_for(const G&, const log_sum_plan& plan) {
  return plan.isa;
}

template <class G>
std::string describe_plan_of(const G& g, const gemm_plan& plan) {
  return describe_plan(plan, compiled_set(instruction_set_for(g, plan)));
}
template <class G>
std::string describe_plan_of(const G&, const log_sum_plan& plan) {
  return describe_plan(plan);
}

template <class G>
status run_product(const G& original, void* workspace, first_exception* thrown) noexcept {
  using worker = worker_for<G>;
  const auto plan = plan_for(original);
  const G g = plan.swapped ? transposed(original) : original;
  const std::size_t one = bytes_of(plan, g);
  const instruction_set isa = instruction_set_for(original, plan);
  typename worker::queues_type shared;
  std::atomic<bool> overflow{false};

  run_team(plan.threads, [&](const team_member& member) {
    typename worker::queues_type own;
    const auto run = [&](char* panels, typename worker::queues_type& queues, team_member team, index_t first,
                         index_t last) {
      worker work{g, plan, panels, queues, team, first, last, thrown};
      run_on(isa, work);
      if (work.overflow) overflow = true;
    };
    char* memory = static_cast<char*>(workspace);
    if (!plan.batch_parallel) return run(memory, shared, member, 0, g.batch);
    const index_t each = ceil_div(g.batch, member.threads);
    const index_t first = std::min(g.batch, each * member.thread), last = std::min(g.batch, first + each);
    run(memory + std::size_t(member.thread) * one, own, team_member{}, first, last);
  });
  if constexpr (gives_rows<decltype(G::epilogue)>) give_rows(g, plan.threads);
  return overflow ? status::overflow : status::ok;
}

}  // namespace detail

template <class G>
std::size_t gemm_workspace(const G& g) {
  const auto plan = detail::plan_for(g);
  const std::size_t one = detail::bytes_of(plan, g);
  return plan.batch_parallel ? one * std::size_t(plan.threads) : one;
}

template <class G>
status launch_gemm(const G& g, void* workspace) noexcept {
  return detail::run_product(g, workspace, nullptr);
}

template <class G>
status launch_gemm(const G& g, void* workspace, std::exception_ptr& thrown) noexcept {
  detail::first_exception first;
  const status done = detail::run_product(g, workspace, &first);
  thrown = first.exception;
  return done;
}

template <class G>
std::string describe_gemm(const G& g) {
  using S = typename G::algebra;
  const std::string out = G::c_holds_sums ? std::string(" to ") + type_name<typename G::source> : "";
  return product_text(name_of<S>(), (type_name<value_of<S>> + out).c_str(), g.m, g.n, g.k, g.batch) + ": " +
         detail::describe_plan_of(g, detail::plan_for(g));
}

}  // namespace kleene::kernels::cpu
