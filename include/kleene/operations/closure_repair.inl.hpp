// Predecessors that always lead home.
//
// The blocked elimination gives P(i, j) = the last vertex before j on some best path from i. Where cycles cost nothing
// (zero-weight arcs, widest and minimax paths, sums that round), two best paths of one row may each lean on the other:
// following P then goes round for ever. Such rows are found here, in O(n^2), and searched again.
//
// What the search needs is already in the matrices: an arc u -> v lies on some best path exactly if it is itself a best path
// from u to v, and then P(u, v) == u (set at the start, never improved since) and its weight is A(u, v).
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace kleene::detail {

// Whether following `from` out of every vertex ends at `root`. state: scratch of n bytes.
inline bool leads_home(std::int32_t root, const std::int32_t* from, index stride, index n, std::vector<std::uint8_t>& state) {
  enum : std::uint8_t { unseen, on_this_walk, home };
  state.assign(n, unseen);
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

// The arcs that lie on best paths, by tail.
template <class T>
struct best_arcs {
  std::vector<index> offsets;
  std::vector<std::int32_t> heads;
  std::vector<T> weights;

  best_arcs(const matrix_view<T>& a, const matrix_view<std::int32_t>& p) : offsets{0} {
    for (index u = 0; u < a.rows(); ++u) {
      for (index v = 0; v < a.rows(); ++v)
        if (p(u, v) == u) {
          heads.push_back(static_cast<std::int32_t>(v));
          weights.push_back(a(u, v));
        }
      offsets.push_back(static_cast<index>(heads.size()));
    }
  }
};

// Row `root` of A and P again: a label-correcting search (Bellman, Ford, Moore). A predecessor changes only on strict
// improvement, so they form a tree; distances are summed anew along it.
template <class S>
void search_row(std::int32_t root, const best_arcs<value_of<S>>& arcs, const matrix_view<value_of<S>>& a,
                const matrix_view<std::int32_t>& p) {
  const index n = a.rows();
  for (index v = 0; v < n; ++v) a(root, v) = S::zero(), p(root, v) = -1;
  a(root, root) = S::one();
  std::vector<std::int32_t> queue{root};
  std::vector<std::uint8_t> queued(n, 0);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::int32_t u = queue[head];
    const auto length = widen<S>(a(root, u));
    queued[u] = 0;
    for (index e = arcs.offsets[u]; e < arcs.offsets[u + 1]; ++e) {
      const std::int32_t v = arcs.heads[e];
      const auto next = normalise<S>(S::add(widen<S>(a(root, v)), S::mul(length, widen<S>(arcs.weights[e]))));
      if (next == a(root, v) || v == root) continue;
      a(root, v) = next;
      p(root, v) = u;
      if (!queued[v]) queued[v] = 1, queue.push_back(v);
    }
  }
}

// Searches every row whose predecessors go round. Returns how many there were.
template <class S>
index repair_predecessors(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p) {
  const index n = a.rows();
  std::vector<std::uint8_t> broken(n, 0);
  task_queue rows;
  run_team(ctx.threads(), [&](const team_member&) {
    std::vector<std::uint8_t> state;
    for (index i; (i = rows.next()) < n;)
      broken[i] = !leads_home(static_cast<std::int32_t>(i), p.data() + i * p.stride(0), p.stride(1), n, state);
  });
  const index count = std::count(broken.begin(), broken.end(), 1);
  if (count == 0) return 0;
  const best_arcs<value_of<S>> arcs(a, p);
  rows.reset();
  run_team(ctx.threads(), [&](const team_member&) {
    for (index i; (i = rows.next()) < n;)
      if (broken[i]) search_row<S>(static_cast<std::int32_t>(i), arcs, a, p);
  });
  explain(std::to_string(count) + " of " + std::to_string(n) + " rows of predecessors searched again (ties)");
  return count;
}

}  // namespace kleene::detail
