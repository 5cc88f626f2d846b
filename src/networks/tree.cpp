// Contraction trees: the indices of every result, and what a tree costs.
#include "networks/tree.hpp"

#include <algorithm>

namespace kleene::detail {

namespace {

// An index, and how many of the tensors below a node have it.
using counted_set = std::vector<std::pair<int, int>>;

counted_set merged(const counted_set& a, const counted_set& b) {
  counted_set both;
  both.reserve(a.size() + b.size());
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->first < y->first)) {
      both.push_back(*x++);
    } else if (x == a.end() || y->first < x->first) {
      both.push_back(*y++);
    } else {
      both.emplace_back(x->first, x->second + y->second);
      ++x, ++y;
    }
  }
  return both;
}

}  // namespace

contraction_tree tree_of(const order_problem& p, const order_pairs& pairs) {
  contraction_tree tree{p.size(), pairs, p.tensors};
  tree.sets.reserve(p.tensors.size() + pairs.size());
  std::vector<int> holders(p.log2_extents.size(), 0);
  std::vector<counted_set> counted(p.tensors.size() + pairs.size());
  for (std::size_t t = 0; t < p.tensors.size(); ++t)
    for (const int i : p.tensors[t]) ++holders[at(i)], counted[t].emplace_back(i, 1);
  for (const auto& [a, b] : pairs) {
    counted_set& made = counted[tree.sets.size()];
    made = merged(counted[at(a)], counted[at(b)]);
    std::erase_if(made, [&](const auto& e) { return p.open[at(e.first)] == 0 && e.second == holders[at(e.first)]; });
    index_set set;
    set.reserve(made.size());
    for (const auto& [i, count] : made) set.push_back(i);
    tree.sets.push_back(std::move(set));
    for (const int used : {a, b}) counted_set().swap(counted[at(used)]);
  }
  return tree;
}

order_pairs depth_first(const contraction_tree& tree, const order_problem& p) {
  order_pairs ordered;
  if (tree.pairs.empty()) return ordered;
  std::vector<int> number(tree.sets.size());
  for (int t = 0; t < tree.leaves; ++t) number[at(t)] = t;
  std::vector<std::pair<int, bool>> stack{{tree.nodes() - 1, false}};
  while (!stack.empty()) {
    const auto [node, is_done] = stack.back();
    stack.pop_back();
    if (node < tree.leaves) continue;
    auto [a, b] = tree.pairs[at(node - tree.leaves)];
    if (is_done) {
      number[at(node)] = tree.leaves + static_cast<int>(ordered.size());
      ordered.emplace_back(number[at(a)], number[at(b)]);
      continue;
    }
    if (p.log2_elements(tree.sets[at(a)]) > p.log2_elements(tree.sets[at(b)])) std::swap(a, b);
    stack.insert(stack.end(), {{node, true}, {a, false}, {b, false}});
  }
  return ordered;
}

contraction_cost tree_cost(const contraction_tree& tree, const order_problem& p, const std::vector<char>& sliced) {
  const auto log2_elements = [&](const index_set& set) {
    double sum = 0;
    for (const int i : set)
      if (sliced.empty() || sliced[at(i)] == 0) sum += p.log2_extents[at(i)];
    return sum;
  };
  std::vector<double> sizes;
  sizes.reserve(tree.sets.size());
  contraction_cost cost;
  if (!tree.sets.empty()) cost.largest = -std::numeric_limits<double>::infinity();
  for (const index_set& set : tree.sets) {
    sizes.push_back(log2_elements(set));
    cost.largest = std::max(cost.largest, sizes.back());
  }
  log2_sum operations, traffic;
  for (std::size_t s = 0; s < tree.pairs.size(); ++s) {
    const auto [a, b] = tree.pairs[s];
    operations.add(log2_elements(union_of(tree.sets[at(a)], tree.sets[at(b)])));
    for (const double size : {sizes[at(a)], sizes[at(b)], sizes[at(tree.leaves) + s]}) traffic.add(size);
  }
  double slices = 0;
  for (std::size_t i = 0; i < sliced.size(); ++i) slices += sliced[i] != 0 ? p.log2_extents[i] : 0;
  cost.operations = operations.value() + slices;
  cost.traffic = traffic.value() + slices;
  return cost;
}

}  // namespace kleene::detail
