// Contracts a graph's vertices in an order that adds few shortcuts, without looking at lengths for it (Dibbelt,
// Strasser and Wagner, "Customizable contraction hierarchies", 2014): always the vertex with the fewest neighbours
// left, ties by number. Road networks, meshes and trees stay sparse: the 4,454 edges of rome99 become 17,404. Graphs
// without small separators do not, and are given up.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/kernels/cpu/sweeps/hierarchy.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace kleene::detail {

// What a contraction may come to: edges of the hierarchy, and pairs of neighbours that were looked at.
struct hierarchy_limits {
  double edges, pairs;
};

// Seconds of a contraction on one core of a current server. Measured: rome99 takes 4.1 ms, for 222,168 pairs.
inline double hierarchy_seconds(index_t vertices, double pairs) {
  return 0.6e-6 * static_cast<double>(vertices) + 9e-9 * pairs;
}

template <class S>
class hierarchy_maker {
 public:
  using T = value_of<S>;

  explicit hierarchy_maker(const csr_view<T>& graph);
  // Contracts every vertex; false as soon as that goes beyond the limits. Once. Between two
  // vertices, after each million pairs, it calls pause(), which may throw.
  bool run(const hierarchy_limits& limits, const std::function<void()>& pause = {});
  double pairs() const { return pairs_; }
  // The hierarchy of a contracted graph. Ranks are a postorder of the elimination tree, so that sources of
  // neighbouring ranks have most of what lies above them in common.
  kernels::cpu::hierarchy<T> result() const;

 private:
  // What two neighbours have between them, as one of them sees it; zero() where there is no arc.
  struct edge {
    std::int32_t other;
    std::int32_t out_last = -1, in_last = -1;
    T out = S::zero(), in = S::zero();  // to the other, from it

    explicit edge(std::int32_t vertex) : other(vertex) {}
  };

  static void improve(T& length, std::int32_t& last, const T& first, const T& second, std::int32_t by) {
    if (first == S::zero() || second == S::zero()) return;
    const T next = S::add(length, S::mul(first, second));
    if (next == length) return;
    length = next;
    last = by;
  }
  void contract(std::int32_t v);
  std::vector<std::int32_t> ranks() const;

  std::vector<std::vector<edge>>
      edges_;                        // to the neighbours that are left; of a contracted vertex, that were left then
  std::vector<std::int32_t> order_;  // contracted vertices
  std::vector<std::int32_t> place_;  // of a neighbour in the edges that are being changed; -1
  std::set<std::pair<index_t, std::int32_t>> left_;  // (neighbours, vertex)
  double pairs_ = 0, contracted_edges_ = 0;
};

template <class S>
hierarchy_maker<S>::hierarchy_maker(const csr_view<T>& graph)
    : edges_(static_cast<std::size_t>(graph.rows)), place_(static_cast<std::size_t>(graph.rows), -1) {
  const csr<T> turned = transpose(graph);
  const csr_view<T> in = turned.view();
  for (std::int32_t v = 0; v < graph.rows; ++v) {
    std::vector<edge>& mine = edges_[v];
    index_t o = graph.offsets[v], i = in.offsets[v];
    const index_t outs = graph.offsets[v + 1], ins = in.offsets[v + 1];
    while (o < outs || i < ins) {
      const std::int32_t other = i == ins    ? graph.columns[o]
                                 : o == outs ? in.columns[i]
                                             : std::min(graph.columns[o], in.columns[i]);
      edge both(other);
      for (; o < outs && graph.columns[o] == other; ++o) improve(both.out, both.out_last, S::one(), graph.values[o], v);
      for (; i < ins && in.columns[i] == other; ++i) improve(both.in, both.in_last, S::one(), in.values[i], other);
      if (other != v) mine.push_back(both);
    }
    left_.emplace(mine.size(), v);
  }
}

template <class S>
bool hierarchy_maker<S>::run(const hierarchy_limits& limits, const std::function<void()>& pause) {
  constexpr double pairs_between_pauses = 1e6;
  order_.reserve(edges_.size());
  double next_pause = pairs_between_pauses;
  while (!left_.empty()) {
    const auto [degree, v] = *left_.begin();
    const double neighbours = static_cast<double>(degree);
    contracted_edges_ += neighbours;
    pairs_ += neighbours * (neighbours - 1);
    if (contracted_edges_ > limits.edges || pairs_ > limits.pairs) return false;
    if (pause && pairs_ >= next_pause) {
      pause();
      next_pause = pairs_ + pairs_between_pauses;
    }
    left_.erase(left_.begin());
    order_.push_back(v);
    contract(v);
  }
  return true;
}

// A shortcut between each two neighbours of v takes its place.
template <class S>
void hierarchy_maker<S>::contract(std::int32_t v) {
  for (const edge& to : edges_[v]) {  // a path of the neighbour `to` through v
    const std::int32_t own = to.other;
    std::vector<edge>& theirs = edges_[own];
    left_.erase({static_cast<index_t>(theirs.size()), own});
    for (std::size_t at = 0; at < theirs.size(); ++at) place_[theirs[at].other] = static_cast<std::int32_t>(at);
    const std::int32_t gone = std::exchange(place_[v], -1);
    if (gone + 1 < static_cast<std::int32_t>(theirs.size())) {
      theirs[gone] = theirs.back();
      place_[theirs[gone].other] = gone;
    }
    theirs.pop_back();
    for (const edge& on : edges_[v]) {
      if (on.other == own) continue;
      std::int32_t& at = place_[on.other];
      if (at < 0) {
        at = static_cast<std::int32_t>(theirs.size());
        theirs.emplace_back(on.other);
      }
      edge& between = theirs[at];
      improve(between.out, between.out_last, to.in, on.out, on.out_last);
      improve(between.in, between.in_last, on.in, to.out, to.out_last);
    }
    for (const edge& e : theirs) place_[e.other] = -1;
    left_.emplace(theirs.size(), own);
  }
}

template <class S>
std::vector<std::int32_t> hierarchy_maker<S>::ranks() const {
  const std::int32_t n = static_cast<std::int32_t>(order_.size());
  std::vector<std::int32_t> position(n), parent(n, n), size(n + 1, 1), next(n + 1, 0), rank(n);
  for (std::int32_t p = 0; p < n; ++p) position[order_[p]] = p;
  for (std::int32_t p = 0; p < n; ++p) {
    for (const edge& e : edges_[order_[p]]) parent[p] = std::min(parent[p], position[e.other]);
    size[parent[p]] += size[p];
  }
  for (std::int32_t p = n; p-- > 0;) {  // a subtree has ranks side by side, its root the last of them
    const std::int32_t first = next[parent[p]];
    next[parent[p]] += size[p];
    next[p] = first;
    rank[order_[p]] = first + size[p] - 1;
  }
  return rank;
}

template <class S>
kernels::cpu::hierarchy<value_of<S>> hierarchy_maker<S>::result() const {
  const std::size_t n = order_.size();
  kernels::cpu::hierarchy<T> made;
  made.rank = ranks();
  std::vector<std::int32_t> vertex(n);
  for (std::size_t v = 0; v < n; ++v) vertex[made.rank[v]] = static_cast<std::int32_t>(v);
  for (const std::int32_t v : vertex) {
    for (const edge& e : edges_[v]) {
      const std::int32_t other = made.rank[e.other];
      if (!(e.out == S::zero())) made.up.push_back({other, e.out_last, e.out});
      if (!(e.in == S::zero())) made.down.push_back({other, e.in_last, e.in});
    }
    const auto by_rank = [](const auto& a, const auto& b) { return a.other < b.other; };
    std::sort(made.up.begin() + made.up_offsets.back(), made.up.end(), by_rank);
    std::sort(made.down.begin() + made.down_offsets.back(), made.down.end(), by_rank);
    made.up_offsets.push_back(static_cast<index_t>(made.up.size()));
    made.down_offsets.push_back(static_cast<index_t>(made.down.size()));
  }
  return made;
}

}  // namespace kleene::detail
