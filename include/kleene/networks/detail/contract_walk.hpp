// From the result of a network back to a value for each index: of each pair the first term that gives the element that
// was chosen of its result, down to the network's tensors.
//
// Intermediate results are kept as far as memory goes, those near the end first. Below what is missing all indices of
// its result are known by then: what is under it is contracted again with these fixed, which makes it smaller.
#pragma once

#include "kleene/networks/detail/contract_checks.hpp"
#include "kleene/networks/detail/contract_on_cuda.hpp"
#include "kleene/networks/detail/contract_run.hpp"
#include "kleene/networks/detail/contract_subtree.hpp"

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene::detail {

// Of each pair in turn the first values of the indices that it sums over whose product is the element of its result.
template <product_algebra S>
void choose_terms(const contraction_plan& plan, const contraction_runner<S>& run, std::span<const int> pairs,
                  std::span<std::int32_t> values) {
  using T = value_of<S>;
  for (const int s : pairs) {
    const planned_pair& p = plan.pairs[static_cast<std::size_t>(s)];
    const pair_indices indices = indices_of(plan, p);
    index_t a = 0, b = 0, c = 0;
    for (const labelled_loop& x : indices.kept) {
      const index_t value = values[static_cast<std::size_t>(x.label)];
      a += value * x.a, b += value * x.b, c += value * x.c;
    }
    for (const labelled_loop& x : indices.summed) values[static_cast<std::size_t>(x.label)] = 0;
    const T wanted = run.data(p.c)[c];
    for (;;) {
      const T left = run.data(p.a)[a], right = run.data(p.b)[b];
      if (normalise<S>(S::add(widen<S>(S::zero()), S::mul(widen<S>(left), widen<S>(right)))) == wanted) break;
      std::size_t r = indices.summed.size();
      for (; r > 0; --r) {
        const labelled_loop& x = indices.summed[r - 1];
        a += x.a, b += x.b;
        if (++values[static_cast<std::size_t>(x.label)] < x.extent) break;
        a -= x.extent * x.a, b -= x.extent * x.b;
        values[static_cast<std::size_t>(x.label)] = 0;
      }
      if (r == 0) refuse_lost_term();
    }
  }
}

template <product_algebra S>
class configuration_walk {
 public:
  using T = value_of<S>;

  // fixed, values: those of the slice, for each index; they are completed. packed: all elements, for a device.
  configuration_walk(const context& ctx, const network_operands<T>& operands, std::span<const T> packed,
                     std::span<const std::pair<int, int>> pairs, std::size_t memory, std::vector<std::uint8_t>& fixed,
                     std::vector<std::int32_t>& values)
      : ctx_(ctx),
        operands_(operands),
        packed_(packed),
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
    const bool on_device = ctx_.kind() == device_kind::cuda;
    const contraction_subtree tree(pairs_, leaves_, root, operands_.axes);
    plan_request request{tree.axes, tree.pairs, fixed_, open_};
    request.element = sizeof(T), request.threads = ctx_.threads();
    request.multiplies = multiplies_by_gemm<S> && !on_device, request.sums_are_long = is_long<S> && !on_device;
    const std::size_t others = on_device ? device_contraction_bytes<S>(packed_.size()) : 0;
    const contraction_plan plan = plan_keeping(ctx_, request, memory_, others);
    bytes_ = std::max(bytes_, plan.bytes + others);
    if (on_device) {
      const auto run = find_device_contraction<S>()(ctx_, plan, packed_);
      return follow(plan, *run, tree, request.keeps_from);
    }
    contraction_runner<S> run(ctx_, plan);
    return follow(plan, run, tree, request.keeps_from);
  }

  template <class Run>
  T follow(const contraction_plan& plan, Run& run, const contraction_subtree& tree, int keeps_from) {
    for (std::size_t t = 0; t < tree.leaves.size(); ++t)
      run.set_leaf(t, operands_.begin(static_cast<std::size_t>(tree.leaves[t]), fixed_, values_));
    run.run();
    const T value = *run.result();
    if (value == S::zero()) return value;
    const std::vector<int> there = pairs_down(plan, tree, keeps_from);
    if constexpr (std::is_base_of_v<device_contraction<T>, Run>) run.choose(there, values_);
    else choose_terms<S>(plan, run, there, values_);
    // Fixed once the walk is over, since the plan has their axes.
    for (const int s : there)
      for (const labelled_loop& x : indices_of(plan, plan.pairs[static_cast<std::size_t>(s)]).summed)
        fixed_[static_cast<std::size_t>(x.label)] = 1;
    return value;
  }

  // The pairs whose operands are there, each after the one that takes its result; those of whose some is not go into
  // missing_.
  std::vector<int> pairs_down(const contraction_plan& plan, const contraction_subtree& tree, int keeps_from) {
    const int last = static_cast<int>(plan.pairs.size()) - 1;
    std::vector<int> stack{last}, there;
    while (!stack.empty()) {
      const int s = stack.back();
      stack.pop_back();
      const planned_pair& p = plan.pairs[static_cast<std::size_t>(s)];
      const auto is_there = [&](int t) { return t < plan.leaves || t - plan.leaves >= keeps_from || s == last; };
      if (!is_there(p.a) || !is_there(p.b)) {
        missing_.push_back(tree.original(plan.leaves + s));
        continue;
      }
      there.push_back(s);
      for (const int t : {p.a, p.b})
        if (t >= plan.leaves) stack.push_back(t - plan.leaves);
    }
    return there;
  }

  const context& ctx_;
  const network_operands<T>& operands_;
  std::span<const T> packed_;
  std::span<const std::pair<int, int>> pairs_;
  std::size_t memory_, bytes_ = 0;
  std::vector<std::uint8_t>& fixed_;
  std::vector<std::int32_t>& values_;
  std::vector<std::uint8_t> open_;
  int leaves_;
  std::vector<int> missing_;  // results whose indices are known, but nothing below
};

}  // namespace kleene::detail
