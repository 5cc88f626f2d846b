// Repairs predecessors, so that following them always reaches the root of the row.
//
// The blocked elimination gives P(i, j) = the last vertex before j on some best path from i. Where cycles cost nothing
// (zero-weight arcs, widest and minimax paths, sums that round), two best paths of one row may each be built on the
// other: the chain of predecessors then has a cycle. Such rows are found here, in O(n^2), and searched again.
//
// The search needs nothing but the two matrices: an arc u -> v lies on some best path exactly if it is itself a best
// path from u to v, and then P(u, v) == u (set at the start, never improved since) and its weight is A(u, v). A search
// sets the arcs out of its root first, so that it leaves their weights as they are.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/view.hpp"
#include "kleene/kernels/cpu/closure/row_search.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>

namespace kleene::detail {

// The memory in which a team repairs n rows: a layout of the context's workspace.
template <class T>
class repair_memory {
 public:
  using row = kernels::cpu::searched_row<T>;

  repair_memory(void* memory, index_t n) : memory_(static_cast<char*>(memory)), n_(n) {}
  repair_memory(const repair_memory&) = delete;
  static std::size_t bytes(index_t n, int threads) { return shared_bytes(n) + std::size_t(threads) * row_bytes(n); }

  // The arcs u -> v on best paths, and their weights: as a list where that takes no more memory than a bit for each
  // pair of vertices. The list is 1.4 times as fast (1000 vertices, 6 arcs each). The team counts arcs first, then
  // keeps them.
  void count_arcs(const matrix_view<std::int32_t>& p, index_t u) const {
    index_t count = 0;
    for (index_t v = 0; v < n_; ++v) count += p(u, v) == u;
    ends()[u] = count;
  }
  void choose() {
    index_t all = 0;
    for (index_t u = 0; u < n_; ++u) all = ends()[u] += all;
    listed_ = line(all * 4) + line(all * index_t(sizeof(T))) <= arc_bytes(n_);
  }
  void keep_arcs(const matrix_view<T>& a, const matrix_view<std::int32_t>& p, index_t u) const {
    if (!listed_) std::fill_n(bits(u), words(n_), 0);
    index_t at = u == 0 ? 0 : ends()[u - 1];
    for (index_t v = 0; v < n_; ++v) {
      if (p(u, v) != u) continue;
      if (listed_) heads()[at] = static_cast<std::int32_t>(v), weights()[at++] = a(u, v);
      else bits(u)[v / 64] |= std::uint64_t{1} << v % 64;
    }
  }
  template <class Visit>
  void for_each_arc(const matrix_view<T>& a, index_t u, const Visit& visit) const {
    if (listed_) {
      for (index_t e = u == 0 ? 0 : ends()[u - 1]; e < ends()[u]; ++e) visit(index_t{heads()[e]}, weights()[e]);
      return;
    }
    for (index_t w = 0; w < words(n_); ++w)
      for (std::uint64_t left = bits(u)[w]; left != 0; left &= left - 1) {
        const index_t v = 64 * w + std::countr_zero(left);
        visit(v, a(u, v));
      }
  }

  // Rows whose predecessors have a cycle: a mark for each row, then their numbers.
  std::uint8_t* broken() const { return reinterpret_cast<std::uint8_t*>(memory_ + arc_bytes(n_) + line(n_ * 8)); }
  std::int32_t* list() const { return reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(broken()) + line(n_)); }
  row of(int thread) const {
    char* at = memory_ + shared_bytes(n_) + std::size_t(thread) * row_bytes(n_);
    const auto next = [&](std::size_t each) { return std::exchange(at, at + line(n_ * index_t(each))); };
    row own{};
    own.value = reinterpret_cast<T*>(next(sizeof(T)));
    own.from = reinterpret_cast<std::int32_t*>(next(sizeof(std::int32_t)));
    own.queue = reinterpret_cast<std::int32_t*>(next(sizeof(std::int32_t)));
    own.mark = reinterpret_cast<std::uint8_t*>(next(1));
    return own;
  }

 private:
  static index_t words(index_t n) { return ceil_div(n, 64); }
  std::uint64_t* bits(index_t u) const { return reinterpret_cast<std::uint64_t*>(memory_) + u * words(n_); }
  std::int32_t* heads() const { return reinterpret_cast<std::int32_t*>(memory_); }
  T* weights() const { return reinterpret_cast<T*>(memory_ + line(ends()[n_ - 1] * 4)); }
  index_t* ends() const { return reinterpret_cast<index_t*>(memory_ + arc_bytes(n_)); }  // of the arcs of each vertex
  static std::size_t line(index_t bytes) { return round_up(std::size_t(bytes), 64); }
  static std::size_t arc_bytes(index_t n) { return line(n * words(n) * 8); }
  static std::size_t shared_bytes(index_t n) { return arc_bytes(n) + line(n * 8) + line(n) + line(n * 4); }
  static std::size_t row_bytes(index_t n) { return line(n * index_t(sizeof(T))) + 2 * line(n * 4) + line(n); }

  char* memory_;
  index_t n_;
  bool listed_ = false;
};

// Bytes of workspace that repair_predecessors takes: about n^2 / 8, and a row for each thread.
template <class T>
std::size_t repair_workspace(index_t n, int threads) {
  return repair_memory<T>::bytes(n, threads);
}

// Whether following `from` out of every vertex reaches `root`. state: scratch of n bytes.
inline bool reaches_root(std::int32_t root, const std::int32_t* from, index_t stride, index_t n, std::uint8_t* state) {
  enum : std::uint8_t { unseen, on_this_walk, reaches };
  std::fill_n(state, n, unseen);
  state[root] = reaches;
  for (index_t start = 0; start < n; ++start) {
    index_t v = start;
    while (v >= 0 && state[v] == unseen) {
      state[v] = on_this_walk;
      v = from[v * stride];
    }
    const bool ends_well = v < 0 ? from[start * stride] < 0 : state[v] == reaches;
    if (!ends_well) return false;
    for (index_t u = start; u >= 0 && state[u] == on_this_walk; u = from[u * stride]) state[u] = reaches;
  }
  return true;
}

// Whether every predecessor in a row lies strictly nearer to the root than its vertex: then no chain has a cycle. False
// where paths tie, and reaches_root has to look.
template <class S>
bool leads_nearer(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p, index_t root) {
  const value_of<S>* value = a.data() + root * a.stride(0);
  const std::int32_t* from = p.data() + root * p.stride(0);
  bool nearer = true;
  for (index_t j = 0; j < a.rows(); ++j) {
    const std::int32_t v = from[j * p.stride(1)];
    const value_of<S> here = value[j * a.stride(1)], there = value[std::max(v, 0) * a.stride(1)];
    const bool better = S::add(widen<S>(here), widen<S>(there)) == widen<S>(there);
    nearer &= (v < 0) | (v == root) | (better & !(here == there));
  }
  return nearer;
}

// Searches row `root` of A and P again, into `own`. Returns a vertex of a cycle that improves without end, if only
// since its sum rounds to less than nothing; else -1. (Such a cycle may have taken the place of the arcs that lead to
// it: then some vertex is reached no more.)
template <class S>
std::int32_t search_row(std::int32_t root, const repair_memory<value_of<S>>& memory, const matrix_view<value_of<S>>& a,
                        const matrix_view<std::int32_t>& p, const kernels::cpu::searched_row<value_of<S>>& own) {
  using T = value_of<S>;
  const index_t n = a.rows();
  const auto for_each_arc = [&](index_t u, const auto& visit) { memory.for_each_arc(a, u, visit); };
  const auto better = [](const T& old, const T& length, const T& weight) {
    return normalise<S>(S::add(widen<S>(old), S::mul(widen<S>(length), widen<S>(weight))));
  };
  const std::int32_t improves = kernels::cpu::search_from(root, own, n, S::zero(), S::one(), for_each_arc, better);
  if (improves >= 0) return improves;
  for (index_t v = 0; v < n; ++v) {
    if (v == root || own.from[v] >= 0 || p(root, v) < 0) continue;
    for (index_t u = 0; u < n; ++u) own.from[u] = p(root, u);
    return kernels::cpu::vertex_of_cycle(own, n);
  }
  return -1;
}

// Searches the rows that `memory` lists, one for each member of the team at a time: all read, then all write. Returns a
// vertex of a cycle that improves without end, of the first of this member's rows that have one, or -1.
template <class S>
std::int32_t search_rows(const team_member& member, index_t count, const repair_memory<value_of<S>>& memory,
                         const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p) {
  const auto own = memory.of(member.thread);
  std::int32_t improves = -1;
  for (index_t first = 0; first < count; first += member.threads) {
    const index_t at = first + member.thread;
    bool searched = false;
    if (at < count) {
      const std::int32_t v = search_row<S>(memory.list()[at], memory, a, p, own);
      searched = v < 0;
      if (improves < 0) improves = v;
    }
    member.barrier();
    for (index_t v = 0; searched && v < a.rows(); ++v)
      a(memory.list()[at], v) = own.value[v], p(memory.list()[at], v) = own.from[v];
    member.barrier();
  }
  return improves;
}

// Searches again every row whose predecessors have a cycle, in the context's workspace. Returns a vertex of a cycle
// that improves without end, where one does by rounding alone and no row without it can be found; else -1.
template <class S>
index_t repair_predecessors(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p) {
  using T = value_of<S>;
  const index_t n = a.rows();
  for (index_t i = 0; i < n; ++i)
    if (p(i, i) >= 0) return i;  // by now a cycle through i is better than none
  repair_memory<T> memory(ctx.workspace(repair_workspace<T>(n, ctx.threads())), n);
  const int threads = threads_for(double(n) * double(n), elements_per_thread, ctx.threads());
  task_queue rows;
  run_tasks(threads, [&](const team_member& member) {
    const auto own = memory.of(member.thread);
    for (index_t i; (i = rows.next()) < n;)
      memory.broken()[i] =
          !leads_nearer<S>(a, p, i) &&
          !reaches_root(static_cast<std::int32_t>(i), p.data() + i * p.stride(0), p.stride(1), n, own.mark);
  });
  index_t count = 0;
  for (index_t i = 0; i < n; ++i)
    if (memory.broken()[i]) memory.list()[count++] = static_cast<std::int32_t>(i);
  if (count == 0) return -1;
  task_queue counted, kept;
  std::atomic<std::int32_t> improves{-1};  // the greatest, so that the answer does not depend on the threads
  run_team(threads, [&](const team_member& member) {
    for (index_t u; (u = counted.next()) < n;) memory.count_arcs(p, u);
    member.barrier();
    if (member.thread == 0) memory.choose();
    member.barrier();
    for (index_t u; (u = kept.next()) < n;) memory.keep_arcs(a, p, u);
    member.barrier();
    const std::int32_t mine = search_rows<S>(member, count, memory, a, p);
    for (std::int32_t seen = improves; mine > seen && !improves.compare_exchange_weak(seen, mine);) {
    }
  });
  if (explain_enabled())
    explain(std::to_string(count) + " of " + std::to_string(n) + " rows of predecessors searched again (ties)");
  return improves;
}

}  // namespace kleene::detail
