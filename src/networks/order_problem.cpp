// Networks as the searches see them, and what can be contracted before any search.
#include "networks/order_problem.hpp"

#include <algorithm>
#include <iterator>
#include <queue>

namespace kleene::detail {

order_problem problem_of(const network& n) {
  order_problem p;
  for (const index_t extent : n.extents) p.log2_extents.push_back(log2_extent(extent));
  p.open.assign(n.extents.size(), 0);
  for (const int i : n.open) p.open[at(i)] = 1;
  for (index_set axes : n.tensors) {
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    p.tensors.push_back(std::move(axes));
  }
  return p;
}

index_set union_of(const index_set& a, const index_set& b) {
  index_set both;
  both.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

namespace {

class reducer {
 public:
  explicit reducer(const order_problem& p)
      : problem_(p), sets_(p.tensors), holders_(p.log2_extents.size()), left_(p.log2_extents.size(), 0) {
    alive_.assign(sets_.size(), 1);
    for (int t = 0; t < p.size(); ++t) hold(t);
  }

  reduced_problem run() {
    reduced_problem r{{problem_.log2_extents, problem_.open, {}}, {}, {}};
    for (int t = 0; t < problem_.size(); ++t) enqueue(t);
    while (!queue_.empty()) {
      const int t = queue_.top().second;
      queue_.pop();
      if (alive_[at(t)] == 0) continue;
      const int over = superset_of(t);
      if (over < 0) continue;
      r.pairs.emplace_back(t, over);
      enqueue(join(t, over));
    }
    for (std::size_t t = 0; t < sets_.size(); ++t)
      if (alive_[t] != 0) r.kept.push_back(static_cast<int>(t)), r.rest.tensors.push_back(std::move(sets_[t]));
    return r;
  }

 private:
  void hold(int t) {
    for (const int i : sets_[at(t)]) holders_[at(i)].push_back(t), ++left_[at(i)];
  }
  // Scalars wait for the end; the smallest first, so that equal ones meet before they go into something larger.
  void enqueue(int t) {
    if (!sets_[at(t)].empty()) queue_.emplace(problem_.log2_elements(sets_[at(t)]), t);
  }

  // The smallest tensor that has all indices of t; -1: none. Looks at a few dozen, of the index that fewest have.
  int superset_of(int t) {
    const index_set& set = sets_[at(t)];
    const int rarest =
        *std::min_element(set.begin(), set.end(), [&](int a, int b) { return left_[at(a)] < left_[at(b)]; });
    auto& holders = holders_[at(rarest)];
    if (holders.size() > 2 * at(left_[at(rarest)]))
      std::erase_if(holders, [&](int other) { return alive_[at(other)] == 0; });
    int best = -1, looked = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const int other : holders) {
      if (other == t || alive_[at(other)] == 0) continue;
      if (++looked > 64) break;
      const index_set& candidate = sets_[at(other)];
      if (!std::includes(candidate.begin(), candidate.end(), set.begin(), set.end())) continue;
      const double elements = problem_.log2_elements(candidate);
      if (elements < least) best = other, least = elements;
    }
    return best;
  }

  int join(int t, int over) {
    const int made = static_cast<int>(sets_.size());
    index_set kept;
    for (const int i : sets_[at(over)]) {
      const bool both = std::binary_search(sets_[at(t)].begin(), sets_[at(t)].end(), i);
      if (problem_.open[at(i)] != 0 || left_[at(i)] > (both ? 2 : 1)) kept.push_back(i);
    }
    for (const int old : {t, over}) {
      for (const int i : sets_[at(old)]) --left_[at(i)];
      alive_[at(old)] = 0;
    }
    sets_.push_back(std::move(kept));
    alive_.push_back(1);
    hold(made);
    return made;
  }

  const order_problem& problem_;
  std::vector<index_set> sets_;
  std::vector<char> alive_;
  std::vector<std::vector<int>> holders_;  // of each index, with some that are gone
  std::vector<int> left_;                  // how many holders are not
  using entry = std::pair<double, int>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
};

}  // namespace

reduced_problem reduced(const order_problem& p) { return reducer(p).run(); }

order_pairs expanded(const reduced_problem& r, int tensors, const order_pairs& pairs) {
  order_pairs all = r.pairs;
  const int rest = r.rest.size(), first = tensors + static_cast<int>(r.pairs.size());
  const auto number = [&](int t) { return t < rest ? r.kept[at(t)] : first + t - rest; };
  for (const auto& [a, b] : pairs) all.emplace_back(number(a), number(b));
  return all;
}

}  // namespace kleene::detail
