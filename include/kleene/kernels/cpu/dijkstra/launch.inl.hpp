// Dijkstra's algorithm (1959) over any selective algebra whose arcs never improve a path, with a 4-ary heap and lazy
// deletion: a vertex is pushed again when its distance improves, and stale entries are skipped when they surface. On
// road networks that is a few per cent of pushes, cheaper than keeping positions for a decrease-key.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/dijkstra/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace kleene::kernels::cpu {

// A 4-ary heap of (key, vertex) with the best key on top; better(a, b) is the algebra's strict preference. Four entries
// of zero(), which nothing is worse than, stand behind the last: every vertex of the heap has four children to compare,
// and the best of them is chosen without a branch (which child wins cannot be predicted; with branches a search took
// 1.4 times as long on rome99).
//
// The memory is the caller's and does not grow: where a heap of two entries a vertex is full, entries that better ones
// overtook are swept out, which leaves at most one a vertex. It is touched as far as the heap gets: a few pages.
template <class S>
class search_heap {
 public:
  using A = accumulator_of<S>;
  struct entry {
    A key;
    std::int32_t vertex;
  };

  // Entries that suffice for any search of a graph.
  static index_t room_for(index_t vertices, index_t arcs) { return std::min(2 * vertices, arcs + 1) + first_touched; }

  search_heap(void* memory, index_t room) : entries_(static_cast<entry*>(memory)), room_(room) { touch(first_touched); }
  static bool better(const A& a, const A& b) { return !(S::add(b, a) == b); }

  bool empty() const { return size_ == 0; }
  void clear() {
    while (size_ > 0) entries_[--size_] = worst();
  }
  // Call before each push; live(entry): no better entry of the same vertex was pushed since.
  template <class Live>
  void make_room(const Live& live) {
    if (size_ + 5 <= touched_) return;
    if (touched_ < room_) return touch(std::min(2 * touched_, room_));
    const index_t all = std::exchange(size_, 0);
    for (index_t at = 0; at < all; ++at)
      if (const entry e = std::exchange(entries_[at], worst()); live(e)) push(e.key, e.vertex);
  }
  void push(const A& key, std::int32_t vertex) {
    index_t at = size_++;
    while (at > 0) {
      const index_t parent = (at - 1) / 4;
      if (!better(key, entries_[parent].key)) break;
      entries_[at] = entries_[parent];
      at = parent;
    }
    entries_[at] = {key, vertex};
  }
  entry pop() {
    entry* e = entries_;
    const entry top = e[0], last = e[--size_];
    e[size_] = worst();
    index_t at = 0;
    for (index_t child = 1; child < size_; child = 4 * at + 1) {
      const index_t left = child + better(e[child + 1].key, e[child].key);
      const index_t right = child + 2 + better(e[child + 3].key, e[child + 2].key);
      const index_t best = better(e[right].key, e[left].key) ? right : left;
      if (!better(e[best].key, last.key)) break;
      e[at] = e[best];
      at = best;
    }
    if (size_ > 0) e[at] = last;
    return top;
  }

 private:
  static constexpr index_t first_touched = 64;
  static entry worst() { return {widen<S>(S::zero()), -1}; }
  void touch(index_t count) {
    std::fill(entries_ + touched_, entries_ + count, worst());
    touched_ = count;
  }

  entry* entries_;
  index_t size_ = 0;
  index_t touched_ = 0;  // entries ever written; those behind the heap's end are zero()
  index_t room_;
};

// Whether a vertex that no path reaches lies behind a reached one, at a length that overflows.
template <class S>
bool leaves_out_a_vertex(const csr_view<value_of<S>>& graph, const value_of<S>* distance, index_t stride) {
  for (index_t u = 0; u < graph.rows; ++u)
    for (index_t e = graph.offsets[u]; e < graph.offsets[u + 1] && !(distance[u * stride] == S::zero()); ++e)
      if (distance[graph.columns[e] * stride] == S::zero() &&
          S::overflows(S::mul(widen<S>(distance[u * stride]), widen<S>(graph.values[e]))))
        return true;
  return false;
}

// All best paths from `source`. The rows are contiguous where they come from a matrix; strides keep them general.
// False if a vertex is too far for the element type: a length that overflows is left out, and so is all that lies
// behind it.
template <class S>
bool search_from(const csr_view<value_of<S>>& graph, std::int32_t source, value_of<S>* distance,
                 index_t distance_stride, std::int32_t* from, index_t from_stride, search_heap<S>& heap) {
  using A = accumulator_of<S>;
  const index_t n = graph.rows;
  for (index_t v = 0; v < n; ++v) distance[v * distance_stride] = S::zero();
  if (from)
    for (index_t v = 0; v < n; ++v) from[v * from_stride] = -1;
  distance[source * distance_stride] = S::one();
  heap.clear();
  heap.push(widen<S>(S::one()), source);
  const index_t* offsets = graph.offsets.data();
  const std::int32_t* columns = graph.columns.data();
  const value_of<S>* weights = graph.values.data();
  [[maybe_unused]] bool overflowed = false;
  while (!heap.empty()) {
    const auto [key, u] = heap.pop();
    if (!(key == widen<S>(distance[u * distance_stride]))) continue;  // a stale entry
    for (index_t e = offsets[u]; e < offsets[u + 1]; ++e) {
      const std::int32_t v = columns[e];
      const A length = S::mul(key, widen<S>(weights[e]));
      if (!search_heap<S>::better(length, widen<S>(distance[v * distance_stride]))) continue;
      if constexpr (can_overflow<S>)
        if (S::overflows(length)) {
          overflowed = true;
          continue;
        }
      const value_of<S> stored = normalise<S>(length);
      distance[v * distance_stride] = stored;
      if (from) from[v * from_stride] = u;
      heap.make_room([&](const auto& e) { return e.key == widen<S>(distance[e.vertex * distance_stride]); });
      heap.push(widen<S>(stored), v);
    }
  }
  if constexpr (can_overflow<S>) return !overflowed || !leaves_out_a_vertex<S>(graph, distance, distance_stride);
  else return true;
}

// Seconds of one search on one core of a current server. Measured: a relaxed arc costs 4 ns, a settled vertex 35 ns
// (rome99, 8870 arcs: 150 us a source).
inline double search_seconds(index_t vertices, index_t arcs) {
  return 4e-9 * static_cast<double>(arcs) + 35e-9 * static_cast<double>(vertices);
}

// A millisecond each: searches are long tasks, and a thread that loses its core in one keeps the call waiting for
// a time slice (3 sources on two cores, one of them busy: 8 ms, on one thread 1.2).
inline int dijkstra_threads(index_t vertices, index_t arcs, index_t sources, int threads) {
  const int useful = static_cast<int>(std::min<index_t>(threads, sources));
  return threads_for(static_cast<double>(sources) * search_seconds(vertices, arcs), 1e-3, useful);
}

template <class S>
std::size_t dijkstra_workspace(const csr_view<value_of<S>>& graph, index_t sources, int threads) {
  const int team = dijkstra_threads(graph.rows, graph.entries(), sources, threads);
  return static_cast<std::size_t>(search_heap<S>::room_for(graph.rows, graph.entries())) *
         sizeof(typename search_heap<S>::entry) * static_cast<std::size_t>(team);
}

template <class S>
bool launch_dijkstra(const csr_view<value_of<S>>& graph, std::span<const std::int32_t> sources,
                     const matrix_view<value_of<S>>& distances, const matrix_view<std::int32_t>& predecessors,
                     int threads, const std::function<bool(index_t)>& report, void* workspace,
                     bool& overflow) noexcept {
  const index_t count = static_cast<index_t>(sources.size());
  std::atomic<bool> stop{false}, too_large{false};
  task_queue rows;
  const index_t room = search_heap<S>::room_for(graph.rows, graph.entries());
  run_tasks(dijkstra_threads(graph.rows, graph.entries(), count, threads), [&](const team_member& member) {
    search_heap<S> heap(static_cast<typename search_heap<S>::entry*>(workspace) + member.thread * room, room);
    const bool reports = member.thread == 0 && report;
    // Before the first search: beside faster threads this one may not get any.
    if (reports && count > 0 && !report(0)) stop = true;
    index_t due = 16;
    for (index_t row; (row = rows.next()) < count && !stop.load(std::memory_order_relaxed);) {
      value_of<S>* distance = distances.data() + row * distances.stride(0);
      std::int32_t* from = predecessors.is_null() ? nullptr : predecessors.data() + row * predecessors.stride(0);
      if (!search_from<S>(graph, sources[row], distance, distances.stride(1), from, predecessors.stride(1), heap))
        too_large = true;
      if (!reports || row < due) continue;
      due = row + 16;
      if (!report(row)) stop = true;
    }
  });
  overflow = too_large;
  return !stop;
}

}  // namespace kleene::kernels::cpu
