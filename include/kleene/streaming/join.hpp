// Relational joins of two sorted sequences: which items of a are equivalent to which of b, as rows of positions.
//
// a, b: sorted by less. A row (left, right) says that a[left] and b[right] are equivalent; -1 stands for a missing
// side. Rows are ordered by left, then right; rows with a missing left come after all others, by right. Row counts are
// 64-bit. Work: a + b + rows, evenly divided however many rows one key makes; on the CPU 24 bytes of scratch for each
// item of a and 8 for each of b that has no match. Source: Baxter, Modern GPU ("relational joins"), 2013.
// error(device): a CUDA context without cuda/join.cuh. error(memory): no scratch memory.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/join_kind.hpp"
#include "kleene/streaming/base/join_plan.hpp"
#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/cpu/join.hpp"

namespace kleene {

// Writes the first min(rows, capacity) rows; returns the number of all. left and right are not touched from there on.
// capacity >= 0, else argument_error.
template <class Grain = tuned, class A, class B, class Left, class Right, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::joins, Grain>()))>
index_t join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right, index_t capacity,
             Less less = {}) {
  return detail::dispatch<On>(
      ctx, "join", [&](auto on) { return on.join(ctx, kind, a, a_last, b, b_last, left, right, capacity, less); });
}

// *count = the number of all rows.
template <class Grain = tuned, class A, class B, class Left, class Right, class Count, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::joins, Grain>()))>
void join_to(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right, index_t capacity,
             Count count, Less less = {}) {
  return detail::dispatch<On>(ctx, "join_to", [&](auto on) {
    return on.join_to(ctx, kind, a, a_last, b, b_last, left, right, capacity, count, less);
  });
}

// A join in two steps, for callers who allocate the rows in between: plan.rows() is their number, plan.fill(left,
// right) writes them all. Move-only; the context and both inputs must outlive it and stay as they are.
template <class Grain = tuned, class A, class B, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::joins, Grain>()))>
auto plan_join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Less less = {}) {
  using plan = detail::join_plan_on<On, A, B, Less>;
  return detail::dispatch<On>(ctx, "plan_join",
                              [&](auto on) { return plan(on.plan_join(ctx, kind, a, a_last, b, b_last, less)); });
}

}  // namespace kleene
