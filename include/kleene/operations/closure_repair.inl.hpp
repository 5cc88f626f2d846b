// Predecessors that always lead home.
//
// The blocked elimination gives P(i, j) = the last vertex before j on some best path from i. Where cycles cost nothing
// (zero-weight arcs, widest and minimax paths, sums that round), two best paths of one row may each lean on the other:
// following P then goes round for ever. Such rows are found here, in O(n^2), and searched again.
//
// What the search needs is already in the matrices: an arc u -> v lies on some best path exactly if it is itself a best path
// from u to v, and then P(u, v) == u (set at the start, never improved since) and its weight is A(u, v). A search sets
// the arcs out of its own row first, so that it leaves their weights as they are.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/view.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace kleene::detail {

// What the repair of n rows by a team works in: the context's workspace, cut up.
template <class T>
class repair_memory {
 public:
  // One thread's: a row of A and of P while it is searched, vertices that are to be followed, a mark for each.
  struct row {
    T* value;
    std::int32_t* from;
    std::int32_t* queue;
    std::uint8_t* mark;
  };

  repair_memory(void* memory, index n) : memory_(static_cast<char*>(memory)), n_(n) {}
  static std::size_t bytes(index n, int threads) { return shared_bytes(n) + std::size_t(threads) * row_bytes(n); }

  // Bit v of row u: the arc u -> v lies on best paths.
  std::uint64_t* arcs(index u) const { return reinterpret_cast<std::uint64_t*>(memory_) + u * words(n_); }
  // Rows whose predecessors go round: a mark for each, then their numbers.
  std::uint8_t* broken() const { return reinterpret_cast<std::uint8_t*>(memory_ + line(n_ * words(n_) * 8)); }
  std::int32_t* list() const { return reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(broken()) + line(n_)); }
  row of(int thread) const {
    char* at = memory_ + shared_bytes(n_) + std::size_t(thread) * row_bytes(n_);
    const auto next = [&](std::size_t each) { return std::exchange(at, at + line(n_ * index(each))); };
    row own{};
    own.value = reinterpret_cast<T*>(next(sizeof(T)));
    own.from = reinterpret_cast<std::int32_t*>(next(sizeof(std::int32_t)));
    own.queue = reinterpret_cast<std::int32_t*>(next(sizeof(std::int32_t)));
    own.mark = reinterpret_cast<std::uint8_t*>(next(1));
    return own;
  }
  static index words(index n) { return (n + 63) / 64; }

 private:
  static std::size_t line(index bytes) { return (std::size_t(bytes) + 63) / 64 * 64; }
  static std::size_t shared_bytes(index n) { return line(n * words(n) * 8) + line(n) + line(n * 4); }
  static std::size_t row_bytes(index n) { return line(n * index(sizeof(T))) + 2 * line(n * 4) + line(n); }

  char* memory_;
  index n_;
};

// Bytes of workspace that repair_predecessors takes: about n^2 / 8, and a row for each thread.
template <class T>
std::size_t repair_workspace(index n, int threads) {
  return repair_memory<T>::bytes(n, threads);
}

// Whether following `from` out of every vertex ends at `root`. state: scratch of n bytes.
inline bool leads_home(std::int32_t root, const std::int32_t* from, index stride, index n, std::uint8_t* state) {
  enum : std::uint8_t { unseen, on_this_walk, home };
  std::fill_n(state, n, unseen);
  state[root] = home;
  for (index start = 0; start < n; ++start) {
    index v = start;
    while (v >= 0 && state[v] == unseen) {
      state[v] = on_this_walk;
      v = from[v * stride];
    }
    const bool ends_well = v < 0 ? from[start * stride] < 0 : state[v] == home;
    if (!ends_well) return false;
    for (index u = start; u >= 0 && state[u] == on_this_walk; u = from[u * stride]) state[u] = home;
  }
  return true;
}

// Row `root` of A and P again, into `own`: a label-correcting search (Bellman, Ford, Moore). A predecessor changes only
// on strict improvement, so they form a tree; distances are summed anew along it.
template <class S>
void search_row(std::int32_t root, const repair_memory<value_of<S>>& memory, const matrix_view<value_of<S>>& a,
                const typename repair_memory<value_of<S>>::row& own) {
  const index n = a.rows();
  for (index v = 0; v < n; ++v) own.value[v] = S::zero(), own.from[v] = -1, own.mark[v] = 0;
  own.value[root] = S::one();
  own.queue[0] = root;
  index head = 0, waiting = 1;  // a ring: each vertex waits at most once
  while (waiting > 0) {
    const std::int32_t u = own.queue[head];
    head = head + 1 == n ? 0 : head + 1;
    --waiting;
    own.mark[u] = 0;
    const auto length = widen<S>(own.value[u]);
    const std::uint64_t* arcs = memory.arcs(u);
    for (index w = 0; w < memory.words(n); ++w)
      for (std::uint64_t left = arcs[w]; left != 0; left &= left - 1) {
        const index v = 64 * w + std::countr_zero(left);
        const auto next = normalise<S>(S::add(widen<S>(own.value[v]), S::mul(length, widen<S>(a(u, v)))));
        if (next == own.value[v] || v == root) continue;
        own.value[v] = next;
        own.from[v] = u;
        if (own.mark[v]) continue;
        own.mark[v] = 1;
        own.queue[head + waiting < n ? head + waiting : head + waiting - n] = static_cast<std::int32_t>(v);
        ++waiting;
      }
  }
}

// Searches the rows that `memory` lists, one for each member of the team at a time: all read, then all write.
template <class S>
void search_rows(const team_member& member, index count, const repair_memory<value_of<S>>& memory,
                 const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p) {
  const auto own = memory.of(member.thread);
  for (index first = 0; first < count; first += member.threads) {
    const index at = first + member.thread;
    if (at < count) search_row<S>(memory.list()[at], memory, a, own);
    member.barrier();
    for (index v = 0; at < count && v < a.rows(); ++v)
      a(memory.list()[at], v) = own.value[v], p(memory.list()[at], v) = own.from[v];
    member.barrier();
  }
}

// Searches every row whose predecessors go round. Returns how many there were. Works in the context's workspace.
template <class S>
index repair_predecessors(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p) {
  using T = value_of<S>;
  const index n = a.rows();
  const repair_memory<T> memory(ctx.workspace(repair_workspace<T>(n, ctx.threads())), n);
  task_queue rows;
  run_team(ctx.threads(), [&](const team_member& member) {
    const auto own = memory.of(member.thread);
    for (index i; (i = rows.next()) < n;)
      memory.broken()[i] = !leads_home(static_cast<std::int32_t>(i), p.data() + i * p.stride(0), p.stride(1), n, own.mark);
  });
  index count = 0;
  for (index i = 0; i < n; ++i)
    if (memory.broken()[i]) memory.list()[count++] = static_cast<std::int32_t>(i);
  if (count == 0) return 0;
  rows.reset();
  run_team(ctx.threads(), [&](const team_member& member) {
    for (index u; (u = rows.next()) < n;) {
      std::fill_n(memory.arcs(u), memory.words(n), 0);
      for (index v = 0; v < n; ++v) memory.arcs(u)[v / 64] |= std::uint64_t(p(u, v) == u) << v % 64;
    }
    member.barrier();
    search_rows<S>(member, count, memory, a, p);
  });
  if (explain_enabled())
    explain(std::to_string(count) + " of " + std::to_string(n) + " rows of predecessors searched again (ties)");
  return count;
}

}  // namespace kleene::detail
