// The paths out of one root, searched along arcs: a label-correcting search (Bellman, Ford, Moore). A predecessor
// changes only on strict improvement, so that predecessors are a tree where no cycle improves; lengths are summed anew
// along it.
//
// A cycle whose sum is 0, but rounds to less, improves each time round. In finitely many looks at vertices the search
// then makes predecessors that go round it: they are followed after every n looks (Cherkassky and Goldberg 1999).
#pragma once

#include "kleene/data/integers.hpp"

#include <cstdint>

namespace kleene::kernels::cpu {

// A thread's own memory: a row of A and of P while it is searched, the queue of vertices, marks of each vertex.
template <class T>
struct searched_row {
  T* value;
  std::int32_t* from;
  std::int32_t* queue;
  std::uint8_t* mark;
};

// Where following `from` goes round a cycle: a vertex of it, else -1. Marks vertices by two bits; the others stay.
template <class T>
std::int32_t vertex_of_cycle(const searched_row<T>& row, index_t n) {
  constexpr std::uint8_t on_this_walk = 2, ends = 4, both = on_this_walk | ends;
  std::int32_t found = -1;
  for (index_t v = 0; v < n; ++v) row.mark[v] &= static_cast<std::uint8_t>(~both);
  for (index_t start = 0; start < n && found < 0; ++start) {
    auto v = static_cast<std::int32_t>(start);
    for (; v >= 0 && !(row.mark[v] & both); v = row.from[v]) row.mark[v] |= on_this_walk;
    if (v >= 0 && row.mark[v] & on_this_walk) found = v;
    for (auto u = static_cast<std::int32_t>(start); u >= 0 && row.mark[u] & on_this_walk; u = row.from[u])
      row.mark[u] ^= both;
  }
  return found;
}

// for_each_arc(u, visit): visit(v, weight) for the arcs out of u. better(old, length, weight): old, or length and one
// more arc, whichever is better. zero: no path; one: that of no arcs. Returns a vertex of a cycle that improves without
// end, or -1.
template <class T, class Arcs, class Better>
std::int32_t search_from(std::int32_t root, const searched_row<T>& row, index_t n, const T& zero, const T& one,
                         const Arcs& for_each_arc, const Better& better) {
  constexpr std::uint8_t waits = 1;
  for (index_t v = 0; v < n; ++v) row.value[v] = zero, row.from[v] = -1, row.mark[v] = 0;
  row.value[root] = one;
  row.queue[0] = root;
  index_t head = 0, waiting = 1;  // a circular queue: each vertex is in it at most once
  for (index_t looks = 1; waiting > 0; ++looks) {
    const std::int32_t u = row.queue[head];
    head = head + 1 == n ? 0 : head + 1;
    --waiting;
    row.mark[u] = 0;
    const T length = row.value[u];
    for_each_arc(u, [&](index_t v, const T& weight) {
      const T next = better(row.value[v], length, weight);
      if (next == row.value[v] || v == root) return;
      row.value[v] = next;
      row.from[v] = u;
      if (row.mark[v] & waits) return;
      row.mark[v] = waits;
      row.queue[head + waiting < n ? head + waiting : head + waiting - n] = static_cast<std::int32_t>(v);
      ++waiting;
    });
    if (looks % n == 0)
      if (const std::int32_t v = vertex_of_cycle(row, n); v >= 0) return v;
  }
  return -1;
}

}  // namespace kleene::kernels::cpu
