// Min-fill with exact counts: what an edge that is filled in changes is its ends and their common neighbours, and what
// an index that leaves changes is its neighbours. Neighbours are kept as rising sets.
#include "networks/min_fill.hpp"

#include "kleene/data/splitmix64.hpp"

#include <algorithm>
#include <iterator>
#include <queue>

namespace kleene::detail {

namespace {

// Steps through sets of neighbours, some nanoseconds each, for counts; and as many for the rest.
constexpr std::int64_t most_work = 600'000'000;

class elimination {
 public:
  elimination(const order_problem& p, std::uint64_t seed) : problem_(p), near_(p.log2_extents.size()) {
    splitmix64 random{seed};
    const std::size_t indices = near_.size();
    missing_.assign(indices, 0);
    version_.assign(indices, 0);
    is_touched_.assign(indices, 0);
    weight_.assign(indices, 0);
    for (std::size_t i = 0; i < indices; ++i) tie_.push_back(random());
    is_left_.assign(indices, 0);
    for (const index_set& set : p.tensors)
      for (const int i : set) {
        is_left_[at(i)] = 1;
        near_[at(i)].insert(near_[at(i)].end(), set.begin(), set.end());
      }
    for (std::size_t i = 0; i < indices; ++i) {
      index_set& near = near_[i];
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
      std::erase(near, static_cast<int>(i));
      weight_[i] = p.log2_elements(near);
    }
  }

  std::vector<int> run(const search_end& end) {
    count_missing(end);
    for (int i = 0; i < problem_.indices(); ++i) enqueue(i);
    std::vector<int> order;
    for (int steps = 0; !queue_.empty(); ++steps) {
      if (steps % 16 == 0 && end.over()) return {};
      const entry best = queue_.top();
      queue_.pop();
      if (best.version != version_[at(best.index)]) continue;
      order.push_back(best.index);
      is_left_[at(best.index)] = 0;
      if (work_ < 2 * most_work) eliminate(best.index, end);  // else nobody can contract this: by the degrees so far
    }
    return order;
  }

 private:
  struct entry {
    double priority, weight;
    std::uint64_t tie;
    int index, version;
    bool operator<(const entry& e) const {  // the top of a heap is the least
      if (priority != e.priority) return priority > e.priority;
      return weight != e.weight ? weight > e.weight : tie > e.tie;
    }
  };

  bool counts() const { return work_ < most_work; }

  // Calls with each common neighbour; returns how many there are.
  template <class Common>
  std::int64_t for_common(int a, int b, const Common& common) {
    const index_set *x = &near_[at(a)], *y = &near_[at(b)];
    if (x->size() > y->size()) std::swap(x, y);
    std::int64_t found = 0;
    if (y->size() > 16 * x->size()) {
      work_ += static_cast<std::int64_t>(x->size()) * 16;
      for (const int i : *x)
        if (std::binary_search(y->begin(), y->end(), i)) common(i), ++found;
      return found;
    }
    work_ += static_cast<std::int64_t>(x->size() + y->size());
    for (auto i = x->begin(), j = y->begin(); i != x->end() && j != y->end();) {
      if (*i == *j) {
        common(*i), ++found;
        ++i, ++j;
      } else if (*i < *j) {
        ++i;
      } else {
        ++j;
      }
    }
    return found;
  }

  void count_missing(const search_end& end) {
    for (int a = 0; a < problem_.indices(); ++a) {
      if (!counts() || (a % 64 == 0 && end.over())) return;
      const auto degree = static_cast<std::int64_t>(near_[at(a)].size());
      std::int64_t twice = 0;
      for (const int b : near_[at(a)]) twice += for_common(a, b, [](int) {});
      missing_[at(a)] = degree * (degree - 1) / 2 - twice / 2;
    }
  }

  void enqueue(int i) {
    if (problem_.open[at(i)] != 0 || is_left_[at(i)] == 0) return;
    const double priority = counts() ? static_cast<double>(missing_[at(i)]) : static_cast<double>(near_[at(i)].size());
    queue_.push({priority, weight_[at(i)], tie_[at(i)], i, ++version_[at(i)]});
  }
  void touch(int i) {
    if (is_touched_[at(i)] == 0) is_touched_[at(i)] = 1, touched_.push_back(i);
  }

  // Makes the neighbours of v neighbours of each other.
  void fill_in(const index_set& near, const search_end& end) {
    for (std::size_t x = 0; x < near.size(); ++x) {
      if (x % 16 == 15 && end.over()) return;
      const int a = near[x];
      index_set& others = near_[at(a)];
      lacking_.clear();
      std::set_difference(near.begin() + static_cast<std::ptrdiff_t>(x) + 1, near.end(), others.begin(), others.end(),
                          std::back_inserter(lacking_));
      work_ += static_cast<std::int64_t>(near.size() + others.size());
      for (const int b : lacking_) add_edge(a, b);
    }
  }
  void add_edge(int a, int b) {
    index_set &of_a = near_[at(a)], &of_b = near_[at(b)];
    if (counts()) {
      const std::int64_t common = for_common(a, b, [&](int c) { --missing_[at(c)], touch(c); });
      missing_[at(a)] += static_cast<std::int64_t>(of_a.size()) - common;
      missing_[at(b)] += static_cast<std::int64_t>(of_b.size()) - common;
    }
    of_a.insert(std::lower_bound(of_a.begin(), of_a.end(), b), b);
    of_b.insert(std::lower_bound(of_b.begin(), of_b.end(), a), a);
    work_ += static_cast<std::int64_t>(of_a.size() + of_b.size()) / 16;
    weight_[at(a)] += problem_.log2_extents[at(b)];
    weight_[at(b)] += problem_.log2_extents[at(a)];
  }

  void eliminate(int v, const search_end& end) {
    const bool had_counts = counts();
    const index_set near = near_[at(v)];
    fill_in(near, end);
    for (const int a : near) {  // of a's pairs those of v lack, but for v's own neighbours; they leave
      index_set& others = near_[at(a)];
      missing_[at(a)] -= static_cast<std::int64_t>(others.size()) - static_cast<std::int64_t>(near.size());
      others.erase(std::lower_bound(others.begin(), others.end(), v));
      weight_[at(a)] -= problem_.log2_extents[at(v)];
      touch(a);
    }
    index_set().swap(near_[at(v)]);
    if (had_counts && !counts()) {  // from here on the heap goes by degrees
      queue_ = {};
      for (int i = 0; i < problem_.indices(); ++i) enqueue(i);
    } else {
      for (const int i : touched_) enqueue(i);
    }
    for (const int i : touched_) is_touched_[at(i)] = 0;
    touched_.clear();
  }

  const order_problem& problem_;
  std::vector<index_set> near_;
  std::vector<std::int64_t> missing_;  // edges between neighbours
  std::vector<double> weight_;         // log2 of the elements that the neighbours span
  std::vector<std::uint64_t> tie_;
  std::vector<char> is_left_, is_touched_;
  std::vector<int> version_, touched_;
  index_set lacking_;
  std::priority_queue<entry> queue_;
  std::int64_t work_ = 0;
};

// Tensors to be contracted, and which of them have each index.
class buckets {
 public:
  explicit buckets(const order_problem& p) : problem_(p), sets_(p.tensors), holders_(p.log2_extents.size()) {
    for (int t = 0; t < p.size(); ++t) hold(t);
  }

  // Contracts the tensors that have `index` (-1: all), smallest first; the result loses it. Gives log2 of its elements.
  double empty(int index) {
    const int before = static_cast<int>(sets_.size());
    std::vector<int> all;
    if (index < 0) {
      all.resize(sets_.size());
      for (std::size_t t = 0; t < all.size(); ++t) all[t] = static_cast<int>(t);
    } else {
      all.swap(holders_[at(index)]);
    }
    using entry = std::pair<double, int>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    for (const int t : all)
      if (is_alive_[at(t)] != 0) queue.emplace(problem_.log2_elements(sets_[at(t)]), t);
    while (queue.size() > 1) {
      const int a = queue.top().second;
      queue.pop();
      const int b = queue.top().second;
      queue.pop();
      const int made = join(a, b);
      queue.emplace(problem_.log2_elements(sets_[at(made)]), made);
    }
    if (queue.empty() || index < 0) return 0;
    const int last = queue.top().second;
    std::erase(sets_[at(last)], index);
    if (last >= before) hold(last);
    return problem_.log2_elements(sets_[at(last)]);
  }

  order_pairs take() { return std::move(pairs_); }

 private:
  void hold(int t) {
    is_alive_.resize(sets_.size(), 1);
    for (const int i : sets_[at(t)]) holders_[at(i)].push_back(t);
  }
  int join(int a, int b) {
    index_set made = union_of(sets_[at(a)], sets_[at(b)]);
    for (const int old : {a, b}) {
      is_alive_[at(old)] = 0;
      index_set().swap(sets_[at(old)]);
    }
    sets_.push_back(std::move(made));
    is_alive_.push_back(1);
    pairs_.emplace_back(a, b);
    return static_cast<int>(sets_.size()) - 1;
  }

  const order_problem& problem_;
  std::vector<index_set> sets_;
  std::vector<std::vector<int>> holders_;
  std::vector<char> is_alive_;
  order_pairs pairs_;
};

}  // namespace

std::vector<int> min_fill_order(const order_problem& p, std::uint64_t seed, const search_end& end) {
  return elimination(p, seed).run(end);
}

std::vector<int> numbered_indices(const order_problem& p) {
  std::vector<int> indices;
  for (int i = 0; i < p.indices(); ++i)
    if (p.open[at(i)] == 0) indices.push_back(i);
  return indices;
}

order_pairs elimination_pairs(const order_problem& p, const std::vector<int>& indices, const search_end& end,
                              double most) {
  buckets b(p);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i % 16 == 0 && end.over()) return {};
    if (b.empty(indices[i]) > most) return {};
  }
  b.empty(-1);
  return b.take();
}

}  // namespace kleene::detail
