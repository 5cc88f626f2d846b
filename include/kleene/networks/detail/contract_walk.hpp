// From the result of a network back to a value for each index: of each pair the first term that gives the element that
// was chosen of its result, down to the network's tensors.
//
// Intermediate results are kept as far as memory goes, those near the end first. Below what is missing all indices of
// its result are known by then: what is under it is contracted again with these fixed, which makes it smaller.
#pragma once

#include "kleene/networks/detail/contract_checks.hpp"
#include "kleene/networks/detail/contract_run.hpp"
#include "kleene/networks/detail/contract_subtree.hpp"

#include <span>
#include <utility>
#include <vector>

namespace kleene::detail {

template <product_algebra S>
class configuration_walk {
 public:
  using T = value_of<S>;

  // fixed, values: those of the slice, for each index; they are completed.
  configuration_walk(const context& ctx, const network_operands<T>& operands,
                     std::span<const std::pair<int, int>> pairs, std::size_t memory, std::vector<std::uint8_t>& fixed,
                     std::vector<std::int32_t>& values)
      : ctx_(ctx),
        operands_(operands),
        pairs_(pairs),
        memory_(memory),
        fixed_(fixed),
        values_(values),
        open_(fixed.size(), 0),
        leaves_(static_cast<int>(operands.data.size())) {}

  // The result. Where it is zero() there are no values.
  T run() {
    missing_ = {leaves_ + static_cast<int>(pairs_.size()) - 1};
    T result = S::zero();
    for (bool is_first = true; !missing_.empty(); is_first = false) {
      const int root = missing_.back();
      missing_.pop_back();
      const T value = resolve(root);
      if (is_first) result = value;
      if (is_first && value == S::zero()) break;
    }
    return result;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  // Contracts what is below a tensor whose indices are all known, and walks down as far as results were kept.
  T resolve(int root) {
    const contraction_subtree tree(pairs_, leaves_, root, operands_.axes);
    plan_request request{tree.axes, tree.pairs, fixed_, open_};
    request.element = sizeof(T), request.threads = ctx_.threads(), request.multiplies = multiplies_by_gemm<S>,
    request.sums_are_long = is_long<S>;
    const contraction_plan plan = plan_keeping(ctx_, request, memory_);
    bytes_ = std::max(bytes_, plan.bytes);
    contraction_runner<S> run(ctx_, plan);
    for (std::size_t t = 0; t < tree.leaves.size(); ++t)
      run.set_leaf(t, operands_.begin(static_cast<std::size_t>(tree.leaves[t]), fixed_, values_));
    run.run();
    const T value = *run.result();
    if (value == S::zero()) return value;
    walk(plan, run, tree, request.keeps_from);
    return value;
  }

  void walk(const contraction_plan& plan, const contraction_runner<S>& run, const contraction_subtree& tree,
            int keeps_from) {
    const int last = static_cast<int>(plan.pairs.size()) - 1;
    std::vector<int> stack{last};
    std::vector<int> found;  // indices that got a value: fixed once the walk is over, since the plan has their axes
    while (!stack.empty()) {
      const int s = stack.back();
      stack.pop_back();
      const planned_pair& p = plan.pairs[static_cast<std::size_t>(s)];
      const auto is_there = [&](int t) { return t < plan.leaves || t - plan.leaves >= keeps_from || s == last; };
      if (!is_there(p.a) || !is_there(p.b)) {
        missing_.push_back(tree.original(plan.leaves + s));
        continue;
      }
      choose(plan, run, p, found);
      for (const int t : {p.a, p.b})
        if (t >= plan.leaves) stack.push_back(t - plan.leaves);
    }
    for (const int label : found) fixed_[static_cast<std::size_t>(label)] = 1;
  }

  // The first values of the indices that a pair sums over whose product is the element of its result.
  void choose(const contraction_plan& plan, const contraction_runner<S>& run, const planned_pair& p,
              std::vector<int>& found) {
    const auto offset = [&](int tensor) {
      index_t at = 0;
      for (const network_axis& x : plan.axes_of(tensor)) at += x.stride * values_[static_cast<std::size_t>(x.label)];
      return at;
    };
    std::vector<network_axis> summed;
    const auto kept = plan.axes_of(p.c);
    const auto has = [](auto&& axes, int label) {
      for (const network_axis& x : axes)
        if (x.label == label) return true;
      return false;
    };
    for (const int t : {p.a, p.b})
      for (const network_axis& x : plan.axes_of(t))
        if (!has(kept, x.label) && !has(summed, x.label)) summed.push_back(x);
    std::sort(summed.begin(), summed.end(),
              [](const network_axis& x, const network_axis& y) { return x.label < y.label; });
    for (const network_axis& x : summed) {
      values_[static_cast<std::size_t>(x.label)] = 0;
      found.push_back(x.label);
    }
    const T wanted = run.data(p.c)[offset(p.c)];
    for (;;) {
      const T a = run.data(p.a)[offset(p.a)], b = run.data(p.b)[offset(p.b)];
      if (normalise<S>(S::add(widen<S>(S::zero()), S::mul(widen<S>(a), widen<S>(b)))) == wanted) return;
      std::size_t r = summed.size();
      while (r > 0 && ++values_[static_cast<std::size_t>(summed[r - 1].label)] == summed[r - 1].extent)
        values_[static_cast<std::size_t>(summed[--r].label)] = 0;
      if (r == 0) throw error(fault_code::internal, "best_configuration: no term of a pair gives its result");
    }
  }

  const context& ctx_;
  const network_operands<T>& operands_;
  std::span<const std::pair<int, int>> pairs_;
  std::size_t memory_, bytes_ = 0;
  std::vector<std::uint8_t>& fixed_;
  std::vector<std::int32_t>& values_;
  std::vector<std::uint8_t> open_;
  int leaves_;
  std::vector<int> missing_;  // results whose indices are known, but nothing below
};

}  // namespace kleene::detail
