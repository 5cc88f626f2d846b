// The CPU product of a matrix and a vector: the matrix is read once, in tasks that the threads of a team take, along
// whichever index has the neighbours. Needs any product_algebra; arithmetic element types are vectorised.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cpu/gemv/launch.hpp"
#include "kleene/kernels/cpu/gemv/worker.inl.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <atomic>

namespace kleene::kernels::cpu {

template <class G>
std::size_t gemv_workspace(const G& g, const gemv_checks& checks) {
  const matrix_vector<G> v(g);
  return gemv_memory<G>(g, v, detail::plan_gemv(g, v, checks), nullptr).bytes;
}

template <class G>
gemv_status launch_gemv(const G& g, const gemv_checks& checks, void* workspace) noexcept {
  const matrix_vector<G> v(g);
  const detail::gemv_plan plan = detail::plan_gemv(g, v, checks);
  const gemv_memory<G> memory(g, v, plan, workspace);
  task_queue tasks;
  std::atomic<gemv_status> found{gemv_status::ok};
  std::atomic<bool> overflow{false};
  run_team(plan.threads, [&](const team_member& member) {
    gemv_worker<G> worker{g, v, plan, memory, checks, tasks, found, member};
    run_on(g.isa, worker);
    if (worker.overflow) overflow = true;
  });
  if (found != gemv_status::ok) return found;
  return overflow ? gemv_status::overflow : gemv_status::ok;
}

template <class G>
std::string describe_gemv(const G& g, const gemv_checks& checks) {
  using S = typename G::algebra;
  const matrix_vector<G> v(g);
  return detail::describe_plan(name_of<S>(), type_name<value_of<S>>,
                               G::c_holds_sums ? type_name<typename G::source> : nullptr, v.rows, v.depth,
                               detail::plan_gemv(g, v, checks), compiled_set(g.isa));
}

}  // namespace kleene::kernels::cpu
