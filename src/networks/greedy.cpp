// A heap with one entry a tensor: its best neighbour. Where that has gone by the time the entry comes up, the tensor
// looks for another. Of an index that very many tensors have, a tensor looks at some of the holders only.
#include "networks/greedy.hpp"

#include "kleene/data/splitmix64.hpp"

#include <algorithm>
#include <queue>

namespace kleene::detail {

namespace {

constexpr int most_looks = 24;  // at holders of one index

class greedy_search {
 public:
  greedy_search(const order_problem& p, const greedy_options& options)
      : problem_(p),
        options_(options),
        random_{options.seed},
        sets_(p.tensors),
        holders_(p.log2_extents.size()),
        left_(p.log2_extents.size(), 0) {
    for (int t = 0; t < p.size(); ++t) hold(t);
  }

  order_pairs run(const search_end& end) {
    for (int t = 0; t < problem_.size(); ++t) {
      if (t % 64 == 0 && end.over()) return {};
      enqueue(t);
    }
    for (int step = 0; !queue_.empty(); ++step) {
      if (step % 64 == 0 && end.over()) return {};
      const candidate best = queue_.top();
      queue_.pop();
      if (!is_alive(best.tensor)) continue;
      enqueue(is_alive(best.other) ? join(best.tensor, best.other) : best.tensor);
    }
    join_parts();
    return std::move(pairs_);
  }

 private:
  struct candidate {
    double score;
    int tensor, other;
    bool operator<(const candidate& c) const {  // the top of a heap is the least
      return score != c.score ? score > c.score : tensor > c.tensor;
    }
  };

  bool is_alive(int t) const { return alive_[at(t)] != 0; }

  void hold(int t) {
    for (const int i : sets_[at(t)]) holders_[at(i)].push_back(t), ++left_[at(i)];
    elements_.push_back(problem_.log2_elements(sets_[at(t)]));
    alive_.push_back(1);
    seen_.push_back(-1);
  }

  // log2 of the elements of what a and b make.
  double log2_result(const index_set& a, const index_set& b) const {
    double sum = 0;
    auto x = a.begin();
    auto y = b.begin();
    const auto add = [&](int i, int count) {
      if (problem_.open[at(i)] != 0 || left_[at(i)] > count) sum += problem_.log2_extents[at(i)];
    };
    while (x != a.end() && y != b.end()) {
      if (*x == *y) {
        add(*x, 2);
        ++x, ++y;
      } else {
        add(*x < *y ? *x++ : *y++, 1);
      }
    }
    for (; x != a.end(); ++x) add(*x, 1);
    for (; y != b.end(); ++y) add(*y, 1);
    return sum;
  }

  // By how much the result outgrows its operands: the difference; with noise its log2, with its sign.
  double score(int a, int b) {
    const double result = log2_result(sets_[at(a)], sets_[at(b)]);
    const double weight = options_.operand_weight;
    const double top = std::max({result, elements_[at(a)], elements_[at(b)]});
    const auto scaled = [&](double log2_size) { return power_of_two(log2_size - top); };
    const double difference = scaled(result) - weight * (scaled(elements_[at(a)]) + scaled(elements_[at(b)]));
    if (options_.noise <= 0) return top < 1000 ? difference * power_of_two(top) : difference * 1e301 * (1 + top * 1e-3);
    const double size = std::max(0.0, top + std::log2(std::abs(difference) + std::exp2(-std::max(top, 0.0))));
    return std::copysign(size, difference) - options_.noise * gumbel();
  }
  double gumbel() {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return -std::log2(-std::log(u));
  }

  void enqueue(int t) {
    candidate best{std::numeric_limits<double>::infinity(), t, -1};
    ++look_;
    for (const int i : sets_[at(t)]) {
      auto& holders = holders_[at(i)];
      if (holders.size() > 2 * at(left_[at(i)])) std::erase_if(holders, [&](int h) { return !is_alive(h); });
      int looks = 0;
      for (auto h = holders.rbegin(); h != holders.rend() && looks < most_looks; ++h) {
        if (*h == t || !is_alive(*h)) continue;
        ++looks;
        if (seen_[at(*h)] == look_) continue;
        seen_[at(*h)] = look_;
        const double s = score(t, *h);
        if (s < best.score) best.score = s, best.other = *h;
      }
    }
    if (best.other >= 0) queue_.push(best);
  }

  int join(int a, int b) {
    index_set made = union_of(sets_[at(a)], sets_[at(b)]);
    for (const int old : {a, b}) {
      for (const int i : sets_[at(old)]) --left_[at(i)];
      alive_[at(old)] = 0;
      index_set().swap(sets_[at(old)]);
    }
    std::erase_if(made, [&](int i) { return problem_.open[at(i)] == 0 && left_[at(i)] == 0; });
    sets_.push_back(std::move(made));
    pairs_.emplace_back(a, b);
    const int t = static_cast<int>(sets_.size()) - 1;
    hold(t);
    return t;
  }

  void join_parts() {
    using entry = std::pair<double, int>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> parts;
    for (std::size_t t = 0; t < sets_.size(); ++t)
      if (alive_[t] != 0) parts.emplace(elements_[t], static_cast<int>(t));
    while (parts.size() > 1) {
      const int a = parts.top().second;
      parts.pop();
      const int b = parts.top().second;
      parts.pop();
      const int made = join(a, b);
      parts.emplace(elements_[at(made)], made);
    }
  }

  const order_problem& problem_;
  const greedy_options& options_;
  splitmix64 random_;
  std::vector<index_set> sets_;
  std::vector<double> elements_;
  std::vector<char> alive_;
  std::vector<int> seen_;  // in which look for a neighbour
  int look_ = 0;
  std::vector<std::vector<int>> holders_;  // of each index, with some that are gone
  std::vector<int> left_;                  // how many of them are not
  std::priority_queue<candidate> queue_;
  order_pairs pairs_;
};

}  // namespace

order_pairs greedy_order(const order_problem& p, const greedy_options& options, const search_end& end) {
  return greedy_search(p, options).run(end);
}

}  // namespace kleene::detail
