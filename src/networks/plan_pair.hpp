// One pair of a contraction: how it is run, in which order its result lies, and its loops.
#pragma once

#include "kleene/networks/detail/contract_plan.hpp"

#include <vector>

namespace kleene::detail {

// Plans pairs one after the other into one plan. death: the pair that sums over an index, for each index; the largest
// int where none does.
class pair_planner {
 public:
  pair_planner(contraction_plan& plan, const plan_request& request, std::vector<int> death);

  // Pair s contracts tensors x and y, whose axes the plan has; the result's axes are added to it.
  void add(int s, int x, int y);

 private:
  enum class role : std::uint8_t { batch, row, column, summed };
  struct index {
    int label;
    index_t extent, a, b;  // strides, 0 where a tensor lacks it
    bool in_a, in_b;
    role kind;
  };
  using indices = std::vector<index>;

  void collect(int s, std::span<const network_axis> a, std::span<const network_axis> b);
  void order_result();
  void plan_large(planned_pair& p);
  void plan_product(planned_pair& p);
  void plan_short(planned_pair& p);
  bool avoids_batch(const planned_pair& p) const;
  void find_run(planned_pair& p);
  void add_loops(planned_pair& p);
  void add_terms(planned_pair& p);
  void copy_a(planned_pair& p);
  void repeat_b(planned_pair& p, index_t run_axes, index_t run);
  int add_copy(const std::vector<loop_axis>& axes);
  void sort_by_death(indices& list) const;
  bool dies_before(const index& x, const index& y) const;
  index_t size(role kind) const;

  contraction_plan& plan_;
  const plan_request& request_;
  std::vector<int> death_;
  std::vector<int> place_;  // of a label in all_, -1: not there
  indices all_;             // of the pair at hand, those of a as they lie in it, then what b has besides
  indices result_;          // of its result, the last innermost
  std::size_t run_axes_ = 0;
};

}  // namespace kleene::detail
