// Nodes keep their numbers when a piece is put back, but for which of its inner nodes is which; so children no longer
// come before parents.
#include "networks/order_pieces.hpp"

#include "networks/anneal.hpp"

#include <numeric>
#include <queue>

namespace kleene::detail {

namespace {

constexpr int most_leaves = 256, least_leaves = 16;
constexpr int sweeps = 60;    // of a piece
constexpr int ranked = 1024;  // dearest nodes that pieces begin at
constexpr int rank_life = 64;

}  // namespace

tree_pieces::tree_pieces(const order_problem& p, const order_pairs& pairs, double traffic_weight)
    : problem_(p),
      traffic_weight_(traffic_weight),
      leaves_(p.size()),
      tree_(tree_of(p, pairs)),
      parents_(tree_.sets.size(), -1),
      number_(p.log2_extents.size(), -1) {
  for (std::size_t s = 0; s < pairs.size(); ++s) {
    parents_[at(pairs[s].first)] = parents_[at(pairs[s].second)] = leaves_ + static_cast<int>(s);
    values_.push_back(log2_value(leaves_ + static_cast<int>(s)));
  }
}

double tree_pieces::log2_value(int node) const {
  const auto [a, b] = tree_.pairs[at(node - leaves_)];
  log2_sum value;
  value.add(problem_.log2_elements(union_of(tree_.sets[at(a)], tree_.sets[at(b)])));
  if (traffic_weight_ > 0)
    for (const int n : {a, b, node}) value.add(problem_.log2_elements(tree_.sets[at(n)]) + std::log2(traffic_weight_));
  return value.value();
}

void tree_pieces::rank() {
  dearest_.resize(tree_.pairs.size());
  std::iota(dearest_.begin(), dearest_.end(), leaves_);
  const std::size_t kept = std::min<std::size_t>(ranked, dearest_.size());
  std::partial_sort(dearest_.begin(), dearest_.begin() + static_cast<std::ptrdiff_t>(kept), dearest_.end(),
                    [&](int a, int b) {
                      const double x = values_[at(a - leaves_)], y = values_[at(b - leaves_)];
                      return x != y ? x > y : a < b;
                    });
  dearest_.resize(kept);
}

// One of the dearest nodes, the dearer the likelier, or what is some way above it.
int tree_pieces::pick_root(splitmix64& random) {
  if (until_rank_-- == 0) rank(), until_rank_ = rank_life;
  const double draw = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
  const auto place = static_cast<std::size_t>(static_cast<double>(dearest_.size()) * draw * draw * draw);
  int root = dearest_[place];
  for (std::uint64_t up = random() % 6; up > 0 && parents_[at(root)] >= 0; --up) root = parents_[at(root)];
  return root;
}

tree_pieces::piece tree_pieces::grow(int root, int leaves) const {
  piece part;
  std::priority_queue<std::pair<double, int>> open;
  const auto add = [&](int node) {
    if (node >= leaves_) {
      open.emplace(values_[at(node - leaves_)], node);
    } else {
      part.leaves.push_back(node);
    }
  };
  add(root);
  while (!open.empty() && static_cast<int>(part.inner.size()) + 1 < leaves) {
    const int node = open.top().second;
    open.pop();
    part.inner.push_back(node);
    add(tree_.pairs[at(node - leaves_)].first);
    add(tree_.pairs[at(node - leaves_)].second);
  }
  for (; !open.empty(); open.pop()) part.leaves.push_back(open.top().second);
  return part;
}

order_problem tree_pieces::problem_of_piece(const piece& part, std::vector<int>& named) {
  order_problem p;
  for (const int leaf : part.leaves)
    named.insert(named.end(), tree_.sets[at(leaf)].begin(), tree_.sets[at(leaf)].end());
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (std::size_t k = 0; k < named.size(); ++k) {
    number_[at(named[k])] = static_cast<int>(k);
    p.log2_extents.push_back(problem_.log2_extents[at(named[k])]);
  }
  p.open.assign(named.size(), 0);
  for (const int i : tree_.sets[at(part.inner[0])]) p.open[at(number_[at(i)])] = 1;
  for (const int leaf : part.leaves) {
    index_set set = tree_.sets[at(leaf)];
    for (int& i : set) i = number_[at(i)];
    p.tensors.push_back(std::move(set));
  }
  return p;
}

// inner has parents before children.
order_pairs tree_pieces::pairs_of_piece(const piece& part) const {
  std::vector<std::pair<int, int>> numbers;  // of nodes
  for (std::size_t l = 0; l < part.leaves.size(); ++l) numbers.emplace_back(part.leaves[l], static_cast<int>(l));
  const int last = static_cast<int>(part.leaves.size() + part.inner.size()) - 1;
  for (std::size_t k = 0; k < part.inner.size(); ++k) numbers.emplace_back(part.inner[k], last - static_cast<int>(k));
  std::sort(numbers.begin(), numbers.end());
  const auto number = [&](int node) {
    return std::lower_bound(numbers.begin(), numbers.end(), std::pair(node, -1))->second;
  };
  order_pairs pairs;
  for (std::size_t k = part.inner.size(); k-- > 0;) {
    const auto [a, b] = tree_.pairs[at(part.inner[k] - leaves_)];
    pairs.emplace_back(number(a), number(b));
  }
  return pairs;
}

void tree_pieces::put_back(const piece& part, const contraction_tree& tree, const std::vector<int>& named) {
  const int last = tree.nodes() - 1;
  const auto node = [&](int n) { return n < tree.leaves ? part.leaves[at(n)] : part.inner[at(last - n)]; };
  for (int n = tree.leaves; n <= last; ++n) {
    const auto [a, b] = tree.pairs[at(n - tree.leaves)];
    tree_.pairs[at(node(n) - leaves_)] = {node(a), node(b)};
    parents_[at(node(a))] = parents_[at(node(b))] = node(n);
    index_set set = tree.sets[at(n)];
    for (int& i : set) i = named[at(i)];
    tree_.sets[at(node(n))] = std::move(set);
    values_[at(node(n) - leaves_)] = log2_value(node(n));
  }
}

double tree_pieces::repair_one(double warm, double cold, splitmix64& random) {
  const int wanted = least_leaves + static_cast<int>(random() % (most_leaves - least_leaves));
  const piece part = grow(pick_root(random), wanted);
  const auto moves = static_cast<double>(sweeps * part.inner.size());
  if (part.inner.size() < 2) return moves;
  std::vector<int> named;
  const order_problem p = problem_of_piece(part, named);
  bit_tree tree(p.log2_extents, p.tensors, p.open, pairs_of_piece(part), traffic_weight_);
  const double before = tree.score();
  double least = before;
  bit_tree::shape best = tree.current();
  for (int s = 0; s < sweeps; ++s) {
    tree.sweep(warm + (cold - warm) * s / (sweeps - 1), random);
    if (2 * s > sweeps && tree.score() < least) best = tree.current(), least = tree.score();
  }
  if (least < before) put_back(part, tree_of(p, tree.pairs_of(best)), named);
  return moves;
}

order_pairs tree_pieces::pairs() const {
  order_pairs ordered;
  std::vector<int> number(tree_.sets.size());
  std::iota(number.begin(), number.begin() + leaves_, 0);
  std::vector<std::pair<int, bool>> stack{{tree_.nodes() - 1, false}};
  while (!stack.empty()) {
    const auto [node, is_done] = stack.back();
    stack.pop_back();
    if (node < leaves_) continue;
    const auto [a, b] = tree_.pairs[at(node - leaves_)];
    if (is_done) {
      number[at(node)] = leaves_ + static_cast<int>(ordered.size());
      ordered.emplace_back(number[at(a)], number[at(b)]);
    } else {
      stack.insert(stack.end(), {{node, true}, {a, false}, {b, false}});
    }
  }
  return ordered;
}

}  // namespace kleene::detail
