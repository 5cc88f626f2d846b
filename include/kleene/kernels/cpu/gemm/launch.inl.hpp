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
#include "kleene/kernels/cpu/gemm/rows.inl.hpp"
#include "kleene/kernels/cpu/gemm/worker.inl.hpp"

#include <algorithm>
#include <atomic>

namespace kleene::kernels::cpu {

template <class G>
std::size_t gemm_workspace(const G& g) {
  const detail::gemm_plan plan = detail::plan_gemm(g);
  const std::size_t one = plan.panel_bytes(sizeof(accumulator_of<typename G::algebra>));
  return plan.batch_parallel ? one * std::size_t(plan.threads) : one;
}

namespace detail {

// AVX2 has all that short vectors need, and one copy of them is enough for a compiler.
template <class G>
instruction_set instruction_set_for(const G& g, const gemm_plan& plan) {
  const index_t columns = plan.swapped ? g.m : g.n;
  const bool is_short =
      columns * index_t{sizeof(accumulator_of<typename G::algebra>)} <= vector_bytes(instruction_set::avx2);
  return plan.small && is_short ? std::min(g.isa, instruction_set::avx2) : g.isa;
}

template <class G>
status run_product(const G& original, void* workspace, first_exception* thrown) noexcept {
  using A = accumulator_of<typename G::algebra>;
  const gemm_plan plan = plan_gemm(original);
  const G g = plan.swapped ? transposed(original) : original;
  const std::size_t one = plan.panel_bytes(sizeof(A));
  const instruction_set isa = instruction_set_for(original, plan);
  gemm_queues shared;
  std::atomic<bool> overflow{false};

  run_team(plan.threads, [&](const team_member& member) {
    gemm_queues own;
    const auto run = [&](char* panels, gemm_queues& queues, team_member team, index_t first, index_t last) {
      gemm_worker<G> worker{g, plan, reinterpret_cast<A*>(panels), queues, team, first, last, thrown};
      run_on(isa, worker);
      if (worker.overflow) overflow = true;
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
  const detail::gemm_plan plan = detail::plan_gemm(g);
  return product_text(name_of<S>(), (type_name<value_of<S>> + out).c_str(), g.m, g.n, g.k, g.batch) + ": " +
         detail::describe_plan(plan, detail::instruction_set_for(g, plan));
}

}  // namespace kleene::kernels::cpu
