// The rows of a rotated node follow from its neighbours': an index stays in the result of a and c if a or c has it, and
// the other grandchild or what the parent makes does, however many tensors have it.
#include "networks/anneal.hpp"

#include "kleene/kernels/cpu/tile/targets.hpp"

#include <bit>
#include <map>

namespace kleene::detail {

bit_tree::bit_tree(const std::vector<double>& log2_extents, std::span<const index_set> leaves,
                   std::span<const char> open, const order_pairs& pairs, double traffic_weight)
    : traffic_weight_(traffic_weight), leaves_(static_cast<int>(leaves.size())) {
  for (const auto& [a, b] : pairs) children_.push_back({a, b});
  number_bits(log2_extents, leaves);
  fill_rows(leaves, open);
  std::vector<double> products;
  for (const auto& [a, b] : children_) {
    std::vector<std::uint64_t> both(at(words_));
    for (int w = 0; w < words_; ++w) both[at(w)] = rows_[at(a * words_ + w)] | rows_[at(b * words_ + w)];
    products.push_back(log2_elements(both.data()));
    unit_ = std::max(unit_, products.back());
  }
  for (std::size_t node = 0; node < rows_.size() / at(words_); ++node) {
    sizes_.push_back(power_of_two(log2_elements(&rows_[node * at(words_)]) - unit_));
  }
  for (std::size_t k = 0; k < children_.size(); ++k) {
    const auto [a, b] = children_[k];
    const double traffic = sizes_[at(a)] + sizes_[at(b)] + sizes_[at(leaves_) + k];
    values_.push_back(power_of_two(products[k] - unit_) + traffic_weight_ * traffic);
  }
}

// Indices of one extent get bits of the same words.
void bit_tree::number_bits(const std::vector<double>& log2_extents, std::span<const index_set> leaves) {
  bit_of_.assign(log2_extents.size(), -1);
  std::map<double, std::vector<int>> classes;
  for (const index_set& leaf : leaves)
    for (const int i : leaf)
      if (bit_of_[at(i)] < 0) bit_of_[at(i)] = 0, classes[log2_extents[at(i)]].push_back(i);
  for (const auto& [log2_extent, indices] : classes) {
    for (std::size_t k = 0; k < indices.size(); ++k) bit_of_[at(indices[k])] = words_ * 64 + static_cast<int>(k);
    const int words = (static_cast<int>(indices.size()) + 63) / 64;
    classes_.push_back({words_, words_ + words, log2_extent});
    words_ += words;
  }
  words_ = std::max(words_, 1);
}

void bit_tree::fill_rows(std::span<const index_set> leaves, std::span<const char> open) {
  const auto set = [&](std::uint64_t* row, int bit) { row[bit / 64] |= std::uint64_t{1} << (bit % 64); };
  rows_.assign((leaves.size() + children_.size()) * at(words_), 0);
  for (std::size_t l = 0; l < leaves.size(); ++l)
    for (const int i : leaves[l]) set(&rows_[l * at(words_)], bit_of_[at(i)]);
  if (children_.empty()) return;
  // Top down: what else has an index of a child is its sibling, or what the parent makes. First all, bottom up.
  for (std::size_t k = 0; k < children_.size(); ++k)
    for (int w = 0; w < words_; ++w)
      rows_[(at(leaves_) + k) * at(words_) + at(w)] =
          rows_[at(children_[k][0] * words_ + w)] | rows_[at(children_[k][1] * words_ + w)];
  std::uint64_t* root = &rows_[rows_.size() - at(words_)];
  std::vector<std::uint64_t> kept(at(words_), 0);
  for (std::size_t i = 0; i < open.size(); ++i)
    if (open[i] != 0 && bit_of_[i] >= 0) set(kept.data(), bit_of_[i]);
  for (int w = 0; w < words_; ++w) root[w] &= kept[at(w)];
  for (std::size_t k = children_.size(); k-- > 0;) {
    const auto [a, b] = children_[k];
    for (int w = 0; w < words_; ++w) {
      std::uint64_t &of_a = rows_[at(a * words_ + w)], &of_b = rows_[at(b * words_ + w)];
      const std::uint64_t made = rows_[(at(leaves_) + k) * at(words_) + at(w)], old_a = of_a;
      if (a >= leaves_) of_a &= of_b | made;
      if (b >= leaves_) of_b &= old_a | made;
    }
  }
}

double bit_tree::log2_elements(const std::uint64_t* row) const {
  double sum = 0;
  for (const word_class& c : classes_)
    for (int w = c.begin; w < c.end; ++w) sum += c.log2_extent * std::popcount(row[w]);
  return sum;
}

double bit_tree::score() const {
  double sum = 0;
  for (const double value : values_) sum += value;
  return std::log2(sum) + unit_;
}

// top = (child = (kept, leaving), other) becomes (child = (kept, other), leaving).
struct bit_tree::move {
  int top, child, kept, leaving, other;
  double size, child_value, top_value;  // after it: of the child, in 2^unit_
};

template <int Words>
void bit_tree::evaluate(move& m) const {
  const int words = Words > 0 ? Words : words_;
  const auto row = [&](int node) { return &rows_[static_cast<std::size_t>(node) * static_cast<std::size_t>(words)]; };
  const std::uint64_t *kept = row(m.kept), *leaving = row(m.leaving), *other = row(m.other), *top = row(m.top);
  double log2_size = 0, log2_child = 0, log2_top = 0;
  for (const word_class& c : classes_) {
    int of_size = 0, of_child = 0, of_top = 0;
    for (int w = c.begin; w < c.end; ++w) {
      const std::uint64_t both = kept[w] | other[w], made = both & (leaving[w] | top[w]);
      of_size += std::popcount(made);
      of_child += std::popcount(both);
      of_top += std::popcount(made | leaving[w]);
    }
    log2_size += c.log2_extent * of_size;
    log2_child += c.log2_extent * of_child;
    log2_top += c.log2_extent * of_top;
  }
  const auto size = [&](int node) { return sizes_[static_cast<std::size_t>(node)]; };
  m.size = power_of_two(log2_size - unit_);
  m.child_value = power_of_two(log2_child - unit_) + traffic_weight_ * (size(m.kept) + size(m.other) + m.size);
  m.top_value = power_of_two(log2_top - unit_) + traffic_weight_ * (size(m.leaving) + m.size + size(m.top));
}

template <int Words>
void bit_tree::sweep_words(double beta, splitmix64& random) {
  const int words = Words > 0 ? Words : words_;
  // A change by dE powers of two is taken with the chance e^(-beta dE); e^-40 is less than any draw.
  const double power = beta * 1.4426950408889634, hopeless = std::exp2(40 / beta);
  for (std::size_t k = 0; k < children_.size(); ++k) {
    auto& [left, right] = children_[k];
    if (left < leaves_ && right < leaves_) continue;
    const std::uint64_t draw = random();
    const bool is_left = right < leaves_ || (left >= leaves_ && (draw & 1) != 0);
    int& other = is_left ? right : left;
    const int child = is_left ? left : right;
    auto& grandchildren = children_[static_cast<std::size_t>(child - leaves_)];
    int& leaving = grandchildren[(draw >> 1) & 1];
    move m{static_cast<int>(k) + leaves_, child, grandchildren[1 - ((draw >> 1) & 1)], leaving, other, 0, 0, 0};
    evaluate<Words>(m);
    double &child_value = values_[static_cast<std::size_t>(child - leaves_)], &top_value = values_[k];
    const double before = child_value + top_value, after = m.child_value + m.top_value;
    if (after > before) {
      if (after > hopeless * before) continue;
      const double chance = (static_cast<double>(draw >> 11) + 0.5) * 0x1p-53;
      if (std::exp2(-power * std::log2(after / before)) < chance) continue;
    }
    std::uint64_t* rows = rows_.data();
    const auto row = [&](int node) { return rows + static_cast<std::size_t>(node) * static_cast<std::size_t>(words); };
    std::uint64_t* made = row(child);
    for (int w = 0; w < words; ++w) made[w] = (row(m.kept)[w] | row(m.other)[w]) & (row(m.leaving)[w] | row(m.top)[w]);
    sizes_[static_cast<std::size_t>(child)] = m.size;
    child_value = m.child_value;
    top_value = m.top_value;
    std::swap(leaving, other);
  }
}

struct sweep_work {
  bit_tree& tree;
  double beta;
  splitmix64& random;

  template <int Bytes>
  void run() {
    switch (tree.words_) {
      case 1:
        return tree.sweep_words<1>(beta, random);
      case 2:
        return tree.sweep_words<2>(beta, random);
      case 3:
        return tree.sweep_words<3>(beta, random);
      case 4:
        return tree.sweep_words<4>(beta, random);
      default:
        return tree.sweep_words<0>(beta, random);
    }
  }
};

void bit_tree::sweep(double beta, splitmix64& random) {
  sweep_work work{*this, beta, random};
  kernels::cpu::run_on(best_instruction_set(), work);
}

order_pairs bit_tree::pairs_of(const shape& s) const {
  order_pairs pairs;
  std::vector<int> number(at(leaves_) + s.size());
  for (int l = 0; l < leaves_; ++l) number[at(l)] = l;
  std::vector<std::pair<int, bool>> stack;
  if (!s.empty()) stack.emplace_back(leaves_ + static_cast<int>(s.size()) - 1, false);
  while (!stack.empty()) {
    const auto [node, is_done] = stack.back();
    stack.pop_back();
    if (node < leaves_) continue;
    const auto [a, b] = s[at(node - leaves_)];
    if (is_done) {
      number[at(node)] = leaves_ + static_cast<int>(pairs.size());
      pairs.emplace_back(number[at(a)], number[at(b)]);
    } else {
      stack.insert(stack.end(), {{node, true}, {a, false}, {b, false}});
    }
  }
  return pairs;
}

}  // namespace kleene::detail
