// One witness of an improving (negative) cycle, from the arcs of the graph.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/kernels/contract/closure_overflow.hpp"
#include "kleene/kernels/reference/closure.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kleene::detail {

// The same algebra on a wider integer, so that sums along a long walk cannot wrap.
template <class S>
struct widened {
  using type = S;
};
template <template <class> class Algebra>
struct widened<Algebra<std::int32_t>> {
  using type = Algebra<std::int64_t>;
};
template <template <class> class Algebra, std::signed_integral T>
requires(is_narrow<Algebra<T>> && adds_integers<Algebra<T>>)
struct widened<Algebra<T>> {
  using type = Algebra<std::int64_t>;
};

// Whether improving_cycle is exact: where it finds none, there is none.
template <class S>
inline constexpr bool sums_cycles_exactly = adds_integers<S> && sizeof(value_of<S>) < sizeof(std::int64_t);

// A cycle in the forest of predecessors, in order of travel, or nothing.
inline std::vector<std::int32_t> cycle_among(const std::vector<std::int32_t>& from) {
  const std::int32_t n = static_cast<std::int32_t>(from.size());
  std::vector<std::int32_t> walk(n, -1);  // which walk saw the vertex first
  for (std::int32_t start = 0; start < n; ++start) {
    std::int32_t v = start;
    while (v >= 0 && walk[v] < 0) walk[v] = start, v = from[v];
    if (v < 0 || walk[v] != start) continue;
    std::vector<std::int32_t> cycle{v};
    for (std::int32_t u = from[v]; u != v; u = from[u]) cycle.push_back(u);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }
  return {};
}

// Bellman, Ford, Moore from all vertices at once; after each pass over the arcs the predecessors are searched for a
// cycle (Cherkassky and Goldberg 1999). Empty if n passes bring none: rounding alone made the closure diverge.
template <class S>
std::vector<std::int32_t> improving_cycle(const csr_view<value_of<S>>& graph) {
  using W = typename widened<S>::type;
  using A = accumulator_of<W>;
  const index_t n = graph.rows;
  std::vector<A> length(n, widen<W>(W::one()));
  std::vector<std::int32_t> from(n, -1);
  for (index_t pass = 0; pass < n; ++pass) {
    bool changed = false;
    for (index_t u = 0; u < n; ++u)
      for (index_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
        const std::int32_t v = graph.columns[e];
        const value_of<S> weight = graph.values[e];
        if (weight == S::zero()) continue;  // of infinite length, which a wider type writes otherwise
        const A next = W::add(length[v], W::mul(length[u], widen<W>(static_cast<value_of<W>>(weight))));
        if (next == length[v]) continue;
        length[v] = next;
        from[v] = static_cast<std::int32_t>(u);
        changed = true;
      }
    if (auto cycle = cycle_among(from); !cycle.empty()) return cycle;
    if (!changed) break;
  }
  return {};
}

// The cycle as the elimination itself met it, when only rounding makes it improve: O(n^3), one thread.
template <class S>
std::vector<std::int32_t> cycle_of_elimination(matrix<value_of<S>> a) {
  const index_t n = a.rows();
  matrix<std::int32_t> p(n, n, -1);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j)
      if (!(a(i, j) == S::zero())) p(i, j) = static_cast<std::int32_t>(i);
    const auto loop = a(i, i);
    a(i, i) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(loop)));
    if (a(i, i) == S::one()) p(i, i) = -1;
  }
  const auto done = kernels::reference::closure<S>(a.view(), p.view());
  if (done.diverging < 0) return {};
  const std::int32_t root = static_cast<std::int32_t>(done.diverging);
  std::vector<std::int32_t> cycle{root};
  for (std::int32_t v = p(root, root); v != root && v >= 0 && cycle.size() <= static_cast<std::size_t>(n);
       v = p(root, v))
    cycle.push_back(v);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

// A cycle through a vertex in a row of predecessors that no tree could be made of; empty: there is none.
inline std::vector<std::int32_t> cycle_through(index_t vertex, const matrix_view<std::int32_t>& p) {
  for (index_t i = 0; vertex >= 0 && i < p.rows(); ++i) {
    std::vector<std::int32_t> cycle{static_cast<std::int32_t>(vertex)};
    std::int32_t v = p(i, vertex);
    for (; v >= 0 && v != vertex && static_cast<index_t>(cycle.size()) < p.rows(); v = p(i, v)) cycle.push_back(v);
    if (v != vertex) continue;
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }
  return {};
}

}  // namespace kleene::detail
