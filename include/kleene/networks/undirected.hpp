// Undirected graphs of problems: each edge once.
//
//   undirected(list)   of a coo<T>: entry (u, v) is the edge {u, v}, and its value the edge's weight
//   undirected(a)      of a csr<T> or csr_view<T>
//
// Contract
//   both directions   (u, v) and (v, u) are one edge: given once or twice, with the same weight. value_error names an
//                     edge whose two directions differ, with both weights.
//   duplicates        entries of one direction are added (or: of bool), in their order; value_error where the sum does
//                     not fit an integer T. Constraints ignore weights, so that duplicates make no difference there.
//   self loops        argument_error names the vertex: no problem here has a use for them.
//   isolated          vertices without edges, and graphs without vertices, are graphs.
//   shapes            a square matrix, or shape_error; what make_csr and require_rows refuse.
#pragma once

#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/error.hpp"
#include "kleene/data/sparse.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene {

// Edges (u, v) with u < v, rising, each once.
struct simple_graph {
  index_t vertices = 0;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
};

template <class T>
struct undirected_graph : simple_graph {
  using value_type = T;
  sparse_values<T> weights;  // of each edge
};

// argument_error: an edge whose vertices are none of the graph's, or not u < v; edges that do not rise. shape_error: a
// negative number of vertices, or more than 2^31 - 1. For graphs written out by hand.
void require_simple(const simple_graph& g);

namespace detail {

// a + b, as duplicates are added.
template <class T>
T add_weights(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    T sum;
    if (__builtin_add_overflow(a, b, &sum))
      throw value_error("an edge is there several times, and the sum of its weights, " + to_text(a) + " + " +
                        to_text(b) + ", does not fit; use a wider type");
    return sum;
  } else {
    return static_cast<T>(a + b);
  }
}

// The edges of a matrix whose rows are checked and combined.
template <class T>
undirected_graph<T> edges_of(const csr_view<T>& a) {
  const csr<T> back = transpose(a);
  undirected_graph<T> g;
  g.vertices = a.rows;
  const auto add = [&](index_t u, index_t v, T weight) {
    g.edges.emplace_back(static_cast<std::int32_t>(u), static_cast<std::int32_t>(v));
    g.weights.push_back(weight);
  };
  for (index_t u = 0; u < a.rows; ++u) {
    // What leads from u, and what leads to it, by rising vertex; those above u are its edges.
    const auto from = a.columns.subspan(a.offsets[u], a.offsets[u + 1] - a.offsets[u]);
    const std::span<const std::int32_t> to(back.columns.data() + back.offsets[u],
                                           back.columns.data() + back.offsets[u + 1]);
    for (std::size_t i = 0, j = 0; i < from.size() || j < to.size();) {
      const bool has_from = i < from.size() && (j == to.size() || from[i] <= to[j]);
      const bool has_to = j < to.size() && (i == from.size() || to[j] <= from[i]);
      const index_t v = has_from ? from[i] : to[j];
      if (v == u)
        throw argument_error("vertex " + std::to_string(u) + " has an edge to itself; edges join two vertices here");
      const T weight = has_from ? a.values[a.offsets[u] + i] : T(back.values[back.offsets[u] + j]);
      if (has_from && has_to && !(weight == T(back.values[back.offsets[u] + j])))
        throw value_error("the edge from " + std::to_string(u) + " to " + std::to_string(v) + " has weight " +
                          to_text(weight) + ", and " + to_text(T(back.values[back.offsets[u] + j])) +
                          " the other way; an edge has one weight");
      if (v > u) add(u, v, weight);
      i += has_from, j += has_to;
    }
  }
  return g;
}

void require_square(index_t rows, index_t cols);

}  // namespace detail

template <class T>
undirected_graph<T> undirected(const csr_view<T>& a) {
  detail::require_square(a.rows, a.cols);
  require_rows(a, true);
  const double bytes = static_cast<double>(a.entries()) * 2 * (sizeof(std::int64_t) + sizeof(T));
  return detail::with_memory("an undirected graph", bytes, [&] { return detail::edges_of(a); });
}
template <class T>
undirected_graph<T> undirected(const csr<T>& a) {
  return undirected(a.view());
}
template <class T>
undirected_graph<T> undirected(const coo<T>& list) {
  detail::require_square(list.rows, list.cols);
  return undirected(make_csr(list, [](T a, T b) { return detail::add_weights<T>(a, b); }));
}

}  // namespace kleene
