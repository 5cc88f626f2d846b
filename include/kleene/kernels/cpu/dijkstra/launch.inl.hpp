// Dijkstra's algorithm (1959) over any selective algebra whose arcs never improve a path, with a 4-ary heap and lazy deletion:
// a vertex is pushed again when its distance improves, and stale entries are skipped when they surface. On road networks that
// is a few per cent of pushes, cheaper than keeping positions for a decrease-key.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/dijkstra/launch.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace kleene::kernels::cpu {

// A 4-ary heap of (key, vertex) with the best key on top; better(a, b) is the algebra's strict preference. Four entries of
// zero(), which nothing is worse than, stand behind the last: every vertex of the heap has four children to compare, and the
// best of them is chosen without a branch (which child wins cannot be predicted; with branches a search took 1.4 times as
// long on rome99).
template <class S>
class search_heap {
 public:
  using A = accumulator_of<S>;
  struct entry {
    A key;
    std::int32_t vertex;
  };

  search_heap() { clear(); }
  static bool better(const A& a, const A& b) { return !(S::add(b, a) == b); }

  bool empty() const { return size_ == 0; }
  void clear() {
    size_ = 0;
    entries_.assign(64, worst());
  }
  void push(const A& key, std::int32_t vertex) {
    if (size_ + 5 > entries_.size()) entries_.resize(2 * entries_.size(), worst());
    std::size_t at = size_++;
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!better(key, entries_[parent].key)) break;
      entries_[at] = entries_[parent];
      at = parent;
    }
    entries_[at] = {key, vertex};
  }
  entry pop() {
    entry* e = entries_.data();
    const entry top = e[0], last = e[--size_];
    e[size_] = worst();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size_; child = 4 * at + 1) {
      const std::size_t left = child + better(e[child + 1].key, e[child].key);
      const std::size_t right = child + 2 + better(e[child + 3].key, e[child + 2].key);
      const std::size_t best = better(e[right].key, e[left].key) ? right : left;
      if (!better(e[best].key, last.key)) break;
      e[at] = e[best];
      at = best;
    }
    if (size_ > 0) e[at] = last;
    return top;
  }

 private:
  static entry worst() { return {widen<S>(S::zero()), -1}; }

  std::vector<entry> entries_;
  std::size_t size_ = 0;
};

// All best paths from `source`. The rows are contiguous where they come from a matrix; strides keep them general.
// False if a vertex is too far for the element type: a length that overflows is left out, and so is all that lies behind it.
template <class S>
bool search_from(const csr_view<value_of<S>>& graph, std::int32_t source, value_of<S>* distance, index distance_stride,
                 std::int32_t* from, index from_stride, search_heap<S>& heap) {
  using A = accumulator_of<S>;
  const index n = graph.rows;
  for (index v = 0; v < n; ++v) distance[v * distance_stride] = S::zero();
  if (from)
    for (index v = 0; v < n; ++v) from[v * from_stride] = -1;
  distance[source * distance_stride] = S::one();
  heap.clear();
  heap.push(widen<S>(S::one()), source);
  const index* offsets = graph.offsets.data();
  const std::int32_t* columns = graph.columns.data();
  const value_of<S>* weights = graph.values.data();
  std::vector<std::int32_t> too_far;
  while (!heap.empty()) {
    const auto [key, u] = heap.pop();
    if (!(key == widen<S>(distance[u * distance_stride]))) continue;  // an entry that a better one overtook
    for (index e = offsets[u]; e < offsets[u + 1]; ++e) {
      const std::int32_t v = columns[e];
      const A length = S::mul(key, widen<S>(weights[e]));
      if (!search_heap<S>::better(length, widen<S>(distance[v * distance_stride]))) continue;
      if constexpr (can_overflow<S>)
        if (S::overflows(length)) {
          too_far.push_back(v);
          continue;
        }
      const value_of<S> stored = normalise<S>(length);
      distance[v * distance_stride] = stored;
      if (from) from[v * from_stride] = u;
      heap.push(widen<S>(stored), v);
    }
  }
  return std::none_of(too_far.begin(), too_far.end(),
                      [&](std::int32_t v) { return distance[v * distance_stride] == S::zero(); });
}

template <class S>
bool launch_dijkstra(const csr_view<value_of<S>>& graph, std::span<const std::int32_t> sources,
                     const matrix_view<value_of<S>>& distances, const matrix_view<std::int32_t>& predecessors, int threads,
                     const std::function<bool(index)>& report, bool& overflow) {
  const index count = static_cast<index>(sources.size());
  std::atomic<bool> stop{false}, too_large{false};
  task_queue rows;
  run_team(std::max(1, static_cast<int>(std::min<index>(threads, count))), [&](const team_member& member) {
    search_heap<S> heap;
    for (index row; (row = rows.next()) < count && !stop.load(std::memory_order_relaxed);) {
      value_of<S>* distance = distances.data() + row * distances.stride(0);
      std::int32_t* from = predecessors.is_null() ? nullptr : predecessors.data() + row * predecessors.stride(0);
      if (!search_from<S>(graph, sources[row], distance, distances.stride(1), from, predecessors.stride(1), heap))
        too_large = true;
      if (member.thread == 0 && report && row % 16 == 0 && !report(row)) stop = true;
    }
  });
  overflow = too_large;
  return !stop;
}

}  // namespace kleene::kernels::cpu
