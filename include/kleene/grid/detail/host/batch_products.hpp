// Products of a batch by all workers of a grid.
#pragma once

#include "kleene/grid/detail/host/batch_closures.hpp"
#include "kleene/operations/gemm.hpp"

#include <algorithm>
#include <array>

namespace kleene::detail {

// A part of an operand, or the one matrix that is used for all.
template <class T>
batch_view<T> operand_part(const batch_view<T>& v, const problem_range& range) {
  return v.extent(0) == 1 ? v : part_of(v, range);
}

template <class S>
void multiply_by_lanes(const worker& w, const batch_view<const value_of<S>>& a, const batch_view<const value_of<S>>& b,
                       const batch_view<value_of<S>>& c, bool accumulate, bool check_domain) {
  using T = value_of<S>;
  const index_t each = problems_a_part<T>(std::max({a.rows() * a.cols(), b.rows() * b.cols(), c.rows() * c.cols()}));
  on_lanes(w, ceil_div(c.extent(0), each), [&](device_lane& lane, index_t part) {
    const problem_range here{part * each, std::min(each, c.extent(0) - part * each)};
    const auto x = operand_part(a, here), y = operand_part(b, here);
    const auto z = part_of(c, here);
    const lane_batch<T> left(lane, x.extents()), right(lane, y.extents()), sum(lane, z.extents());
    left.send(lane, x);
    right.send(lane, y);
    if (accumulate) sum.send(lane, z);
    gemm(lane.ctx(), S{}, left.there(), right.there(), sum.there(),
         {.accumulate = accumulate, .check_domain = check_domain});
    sum.fetch(lane, z);
  });
}

// What is wrong with the operands, before any work: their shapes, and the memory that they share.
template <class S>
void check_products(const batch_view<const value_of<S>>& a, const batch_view<const value_of<S>>& b,
                    const batch_view<value_of<S>>& c) {
  require_product_shapes({}, a.extents(), b.extents(), c.extents());
  require_shape("A", a, c.extent(0), c.rows(), a.cols());
  require_shape("B", b, c.extent(0), a.cols(), c.cols());
  require_distinct_elements("C", c);
  require_disjoint("A", a, "C", c);
  require_disjoint("B", b, "C", c);
}

template <class S>
void multiply_batch(worker& w, const batch_view<const value_of<S>>& a, const batch_view<const value_of<S>>& b,
                    const batch_view<value_of<S>>& c, bool accumulate, bool check_domain) {
  using T = value_of<S>;
  struct {
    index_t count = 0;
    bool accumulate = false, check_domain = true;
  } problem{c.extent(0), accumulate, check_domain};
  w.together([&] {
    if (w.rank() == 0) check_products<S>(a, b, c);
  });
  w.comm().broadcast(scope::all, 0, &problem, sizeof problem);
  const shared_batch<const T> left(w, a, problem.count, true), right(w, b, problem.count, true);
  shared_batch<T> sum(w, c, problem.count, problem.accumulate);
  w.together([&] {
    if (sum.part().empty()) return;
    if (w.context().kind() == device_kind::cuda)
      return multiply_by_lanes<S>(w, left.part(), right.part(), sum.part(), problem.accumulate, problem.check_domain);
    gemm(w.context(), S{}, left.part(), right.part(), sum.part(),
         {.accumulate = problem.accumulate, .check_domain = problem.check_domain});
  });
  sum.give_back();
}

}  // namespace kleene::detail
