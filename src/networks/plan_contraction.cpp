// What lies where while a network is contracted.
#include "kleene/networks/detail/contract_plan.hpp"

#include "kleene/data/error.hpp"
#include "plan_memory.hpp"
#include "plan_pair.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace kleene::detail {

namespace {

// The pair that sums over each index: as soon as no tensor that is left has it. The largest int: open, or nowhere.
class index_deaths {
 public:
  index_deaths(const plan_request& request, const contraction_plan& plan)
      : holders_(request.open.size(), 0), seen_(request.open.size(), -1), death(request.open.size(), never) {
    held_.resize(static_cast<std::size_t>(plan.leaves));
    for (int t = 0; t < plan.leaves; ++t)
      for (const network_axis& x : plan.axes_of(t)) hold(held_[static_cast<std::size_t>(t)], x.label);
    for (std::size_t l = 0; l < holders_.size(); ++l) holders_[l] += request.open[l];
    int s = 0;
    for (const auto& [x, y] : request.pairs) contract(s++, x, y);
  }

  static constexpr int never = std::numeric_limits<int>::max();

 private:
  void hold(std::vector<int>& by, int label) {
    by.push_back(label);
    ++holders_[static_cast<std::size_t>(label)];
  }
  void contract(int s, int x, int y) {
    std::vector<int> all;
    for (const int t : {x, y}) {
      for (const int label : held_[static_cast<std::size_t>(t)]) {
        const auto l = static_cast<std::size_t>(label);
        --holders_[l];
        if (seen_[l] != s) seen_[l] = s, all.push_back(label);
      }
      std::vector<int>().swap(held_[static_cast<std::size_t>(t)]);
    }
    std::vector<int> kept;
    for (const int label : all) {
      if (holders_[static_cast<std::size_t>(label)] > 0) hold(kept, label);
      else death[static_cast<std::size_t>(label)] = s;
    }
    held_.push_back(std::move(kept));
  }

  std::vector<int> holders_, seen_;
  std::vector<std::vector<int>> held_;

 public:
  std::vector<int> death;
};

void add_leaves(contraction_plan& plan, const plan_request& request) {
  plan.leaves = static_cast<int>(request.leaves.size());
  plan.tensors.reserve(2 * request.leaves.size());
  plan.pairs.reserve(request.pairs.size());
  for (const std::vector<network_axis>& leaf : request.leaves) {
    const int first = static_cast<int>(plan.axes.size());
    for (const network_axis& x : leaf)
      if (x.extent != 1 && !request.fixed[static_cast<std::size_t>(x.label)]) plan.axes.push_back(x);
    plan.tensors.push_back({first, static_cast<int>(plan.axes.size()) - first});
  }
}

// Results are there from their pair until the one that takes them, copies as long as their pair runs.
void place(contraction_plan& plan, const plan_request& request) {
  memory_planner memory;
  std::vector<memory_block> blocks(plan.pairs.size());
  const auto bytes = [&](index_t elements) { return static_cast<double>(elements) * double(request.element); };
  const auto free_operand = [&](int t) {
    const int s = t - plan.leaves;
    if (s >= 0 && s < request.keeps_from) memory.free(blocks[static_cast<std::size_t>(s)]);
  };
  std::vector<std::pair<int, memory_block>> copies;
  for (std::size_t s = 0; s < plan.pairs.size(); ++s) {
    const planned_pair& p = plan.pairs[s];
    blocks[s] = memory.allocate(bytes(plan.elements_of(p.c)));
    const std::size_t begun = copies.size();
    for (const int copy : {p.copy_a, p.copy_b})
      if (copy >= 0) copies.push_back({copy, memory.allocate(bytes(plan.copies[std::size_t(copy)].elements))});
    for (std::size_t c = begun; c < copies.size(); ++c) memory.free(copies[c].second);
    free_operand(p.a), free_operand(p.b);
  }
  for (const memory_block& block : blocks) plan.offsets.push_back(memory.offset_of(block));
  for (const auto& [copy, block] : copies) plan.copies[static_cast<std::size_t>(copy)].offset = memory.offset_of(block);
  plan.bytes = memory.bytes();
}

}  // namespace

index_t contraction_plan::elements_of(int tensor) const {
  double counted = 1;
  index_t elements = 1;
  for (const network_axis& x : axes_of(tensor)) {
    counted *= static_cast<double>(std::max<index_t>(x.extent, 1));
    if (counted > most_counted) throw shape_error("a network: a tensor has more elements than can be counted");
    elements *= x.extent;
  }
  return elements;
}

pair_indices indices_of(const contraction_plan& plan, const planned_pair& pair) {
  const auto a = plan.axes_of(pair.a), b = plan.axes_of(pair.b), c = plan.axes_of(pair.c);
  const auto stride_in = [](std::span<const network_axis> axes, int label) {
    for (const network_axis& x : axes)
      if (x.label == label) return x.stride;
    return index_t{0};
  };
  const auto has = [](std::span<const network_axis> axes, int label) {
    return std::any_of(axes.begin(), axes.end(), [&](const network_axis& x) { return x.label == label; });
  };
  pair_indices all;
  const auto loop = [&](const network_axis& x) {
    return labelled_loop{x.label, x.extent, stride_in(a, x.label), stride_in(b, x.label), stride_in(c, x.label)};
  };
  for (const network_axis& x : c) all.kept.push_back(loop(x));
  for (const network_axis& x : a)
    if (!has(c, x.label)) all.summed.push_back(loop(x));
  for (const network_axis& x : b)
    if (!has(c, x.label) && !has(a, x.label)) all.summed.push_back(loop(x));
  std::sort(all.summed.begin(), all.summed.end(),
            [](const labelled_loop& x, const labelled_loop& y) { return x.label < y.label; });
  return all;
}

void require_pairs(int tensors, std::span<const std::pair<int, int>> pairs) {
  const int wanted = std::max(tensors - 1, 0);
  if (static_cast<int>(pairs.size()) != wanted)
    throw argument_error("an order of " + std::to_string(tensors) + " tensors has " + std::to_string(wanted) +
                         " pairs, not " + std::to_string(pairs.size()));
  std::vector<bool> taken(static_cast<std::size_t>(tensors) + pairs.size(), false);
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    const auto [x, y] = pairs[s];
    const int there = tensors + static_cast<int>(s);
    for (const int t : {x, y})
      if (t < 0 || t >= there || taken[static_cast<std::size_t>(t)] || x == y)
        throw argument_error("pair " + std::to_string(s) + " of the order (" + std::to_string(x) + ", " +
                             std::to_string(y) + ") takes a tensor that is not there, or was taken before");
    taken[static_cast<std::size_t>(x)] = taken[static_cast<std::size_t>(y)] = true;
  }
}

contraction_plan plan_contraction(const plan_request& request) {
  contraction_plan plan;
  add_leaves(plan, request);
  pair_planner planner(plan, request, index_deaths(request, plan).death);
  for (std::size_t s = 0; s < request.pairs.size(); ++s)
    planner.add(static_cast<int>(s), request.pairs[s].first, request.pairs[s].second);
  place(plan, request);
  return plan;
}

}  // namespace kleene::detail
