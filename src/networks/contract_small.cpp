#include "kleene/networks/detail/contract_small.hpp"

#include <algorithm>

namespace kleene::detail {

namespace {

// The indices of the tensors that are left, pair after pair.
class shrinking_network {
 public:
  shrinking_network(std::span<const std::vector<network_axis>> leaves, std::span<const std::uint8_t> kept)
      : holders_(kept.begin(), kept.end()), extents_(kept.size(), 1), seen_(kept.size(), -1) {
    for (const std::vector<network_axis>& leaf : leaves) {
      held_.emplace_back();
      for (const network_axis& x : leaf) {
        held_.back().push_back(x.label);
        ++holders_[static_cast<std::size_t>(x.label)];
        extents_[static_cast<std::size_t>(x.label)] = x.extent;
      }
    }
  }

  // Contracts two tensors to one that comes last; gives how many products that takes.
  double contract(int x, int y) {
    const int now = static_cast<int>(held_.size());
    std::vector<int> all;
    double products = 1;
    for (const int t : {x, y}) {
      std::vector<int>& labels = held_[static_cast<std::size_t>(t)];
      for (const int label : labels) {
        const auto l = static_cast<std::size_t>(label);
        --holders_[l];
        if (seen_[l] == now) continue;
        seen_[l] = now, all.push_back(label), products *= static_cast<double>(extents_[l]);
      }
      std::vector<int>().swap(labels);
    }
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](int label) { return holders_[static_cast<std::size_t>(label)] == 0; }),
              all.end());
    for (const int label : all) ++holders_[static_cast<std::size_t>(label)];
    held_.push_back(std::move(all));
    return products;
  }

 private:
  std::vector<int> holders_;
  std::vector<index_t> extents_;
  std::vector<int> seen_;  // for each index the last pair that had it
  std::vector<std::vector<int>> held_;
};

}  // namespace

small_pairs find_small_pairs(std::span<const std::vector<network_axis>> leaves,
                             std::span<const std::pair<int, int>> pairs, std::span<const std::uint8_t> kept,
                             double most) {
  const std::size_t count = leaves.size();
  shrinking_network left(leaves, kept);
  std::vector<int> in_forest(count + pairs.size(), -1);  // numbers there; -1: not there
  for (std::size_t t = 0; t < count; ++t) in_forest[t] = static_cast<int>(t);
  small_pairs found;
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    const auto [x, y] = pairs[s];
    const int a = in_forest[static_cast<std::size_t>(x)], b = in_forest[static_cast<std::size_t>(y)];
    if (left.contract(x, y) > most || a < 0 || b < 0) continue;
    in_forest[count + s] = static_cast<int>(count + found.forest.size());
    found.forest.push_back({a, b});
  }
  // A tensor of what is left is one of the forest that a pair takes that is not there itself.
  std::vector<int> number(count + pairs.size(), -1);
  std::vector<std::size_t> rest;
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    if (in_forest[count + s] >= 0) continue;
    for (const int t : {pairs[s].first, pairs[s].second})
      if (const int there = in_forest[static_cast<std::size_t>(t)]; there >= 0) {
        number[static_cast<std::size_t>(t)] = static_cast<int>(found.tensors.size());
        found.tensors.push_back(there);
      }
    rest.push_back(s);
  }
  for (const std::size_t s : rest) {
    found.rest.push_back(
        {number[static_cast<std::size_t>(pairs[s].first)], number[static_cast<std::size_t>(pairs[s].second)]});
    number[count + s] = static_cast<int>(found.tensors.size() + found.rest.size()) - 1;
  }
  return found;
}

}  // namespace kleene::detail
