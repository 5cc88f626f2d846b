// shortest_paths: best paths between all pairs of vertices, or from some of them, with the paths themselves.
//
//   csr<double> g = ...;
//   apsp_result<min_plus<double>> r = shortest_paths(ctx, g, {.predecessors = true});
//   if (!r.negative_cycle.empty()) ...            // a cycle of negative length: distances do not exist
//   double d = r.distances(s, t);                 // infinity where t cannot be reached
//   path_result<double> p = r.path(s, t);         // p.vertices from s to t, p.cost summed again along the arcs
//
// The same function serves every selective algebra: shortest_paths(ctx, max_min<float>{}, g) gives widest paths,
// min_max minimax, max_times reliability, or_and reachability. "Better" is what add prefers, "length" what mul makes of
// a path.
//
// Contract
//   graph        csr (entry (i, j) is the arc i -> j; only "not stored" means "no arc", so explicit 0 and 1e-9 are
//                arcs), or a dense square matrix (only zero() means "no arc"). Self loops are legal. Square, or
//                shape_error.
//   ownership    the graph must outlive calls of path(), unchanged: path() and paths() sum costs along its arcs as they
//                are by then, while distances stay as they were (an arc that is gone is an error(internal)). Distances
//                and predecessors are views of memory that the result owns, or of the caller's (apsp_targets; an
//                io::npy_output, say), which must outlive the result and is computed in, not copied to. A result can be
//                moved, not copied.
//   targets      sources x vertices (shape_error), any strides but 0, apart from each other and from the graph
//                (argument_error). After an exception or a cycle their contents are unspecified.
//   distances    sources x vertices; one() from a vertex to itself, zero() (infinity) where there is no path.
//   predecessors int32, same shape: the last vertex before t on a best path from s; -1 for s itself and unreachable
//                ones. Chains always end at s, and the arcs along them re-sum to the distance (floats: within
//                rounding).
//   where        the graph, the targets and the result are in host memory. With a CUDA context the elimination runs on
//                the device: the graph goes there, distances (and predecessors) come back.
//   methods      floyd_warshall: the closure, any weights, O(n^3). dijkstra: one search per source, in parallel
//                (Dijkstra 1959, 4-ary heap), weights that never improve a path (non-negative for min_plus): asked for
//                by name with other weights it is refused (value_error with the arc); automatic then takes
//                floyd_warshall. hierarchy: vertices are contracted in an order that adds few shortcuts (Dibbelt,
//                Strasser and Wagner 2014), and two sweeps over the arcs compute sixteen rows at a time (Delling,
//                Goldberg, Nowatzyk and Werneck 2011). For i32 and i64 over min_plus and max_plus, and weights as of
//                dijkstra; with predecessors none of 0, and sums of 2 n weights must fit the type; else refused
//                (value_error).
//                Automatic takes it where it is faster: rows of road networks and meshes, some dozens or all. Asked
//                for by name on a graph without small separators (a random one) it takes n^3 steps, one after another.
//                `method` and `reason` in the result say what ran and why.
//   cycles       a cycle that improves without end (negative, for min_plus) is never silent: the result holds one
//                witness cycle and no distances. path(), paths() and summarise() then throw a value_error that shows
//                the cycle.
//   integers     min_plus: weights and distances below max/8 in magnitude (unsigned: up to half of infinity), else
//                value_error; of distances overflow_error, as of closures (closure.hpp). widening.hpp goes on in the
//                next wider type by itself. An improving cycle of integers below 64 bits is found whatever overflows.
//   floats       finite weights whose path is longer than the largest float (1e308 + 1e308) are value_error with the
//                pair, for sums and products alike; so is one of max_plus or of negative weights below the lowest. A
//                product of max_times below the smallest float is rounded to 0, which is "no path". Infinite weights
//                are legal.
//   memory       distances (and predecessors) where they have no target, plus O(n block); floyd_warshall from some of
//                the sources takes all n rows beside them; with predecessors n^2 / 8 bytes. dijkstra: for each thread a
//                heap of at most two entries a vertex, or one an arc. hierarchy: 40 bytes a shortcut,
//                for each thread 16 rows. Refused with the number of bytes before any work when there is not enough
//                (error(memory)), and before a target is written.
//   callbacks    the context's progress callback is called between steps, while a hierarchy is made as well, from the
//                calling thread. What it throws arrives as it is; targets are unspecified then. The algebra's functions
//                must not throw.
//   NaN          a weight that is NaN, or outside the algebra's domain, is refused with its position.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/operations/closure.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kleene {

enum class apsp_method : int { automatic, floyd_warshall, dijkstra, hierarchy };
const char* to_string(apsp_method method);
// By name ("auto", "floyd_warshall", "dijkstra", "hierarchy"); error(usage) for an unknown one.
apsp_method apsp_method_from(std::string_view name);

struct apsp_options {
  apsp_method method = apsp_method::automatic;
  bool predecessors = false;
  std::span<const std::int32_t> sources{};  // empty: all vertices, in order
  closure_options closure{};
  bool check_indices = true;  // sparse: columns lie inside and ascend, or value_error; false takes the caller's word
  // What the caller's users call a vertex, in messages and reasons. None: its number, said to be counted from 0.
  std::function<std::string(index_t)> vertex_name{};
};

// Where results go. A null view: into memory of the result's own.
template <class T>
struct apsp_targets {
  matrix_view<T> distances{};                // sources x vertices
  matrix_view<std::int32_t> predecessors{};  // the same; only where the options ask for predecessors (argument_error)
};

template <class T>
struct path_result {
  std::vector<std::int32_t> vertices;  // from s to t; empty where t cannot be reached; {s} for s == t
  T cost{};                            // the algebra's product of the arcs, in order; zero() where there is no path
};

namespace detail {
struct shortest_paths_definitions;  // complete in own/shortest_paths.inl.hpp
}

template <class S>
struct [[nodiscard]] apsp_result {
  static_assert(closed_semiring<S> && is_selective<S>, "paths need a selective semiring: one path gives the result");
  static_assert(is_in_catalog<S> || detail::is_defined<detail::shortest_paths_definitions, S>,
                "no paths over this algebra are compiled into the library: include "
                "kleene/operations/own/shortest_paths.inl.hpp, which compiles them here");
  using algebra = S;
  using T = value_of<S>;

  apsp_result() = default;
  apsp_result(apsp_result&&) noexcept = default;  // not copied: views of its own memory would be left behind
  apsp_result& operator=(apsp_result&&) noexcept = default;

  matrix_view<T> distances;                     // sources x vertices; null where a cycle improves
  matrix_view<std::int32_t> predecessors;       // the same, or null
  std::vector<std::int32_t> sources;            // the vertex of each row
  std::vector<std::int32_t> negative_cycle;     // v0, v1, ..., each once; the last leads back to v0. Empty: none
  apsp_method method = apsp_method::automatic;  // what ran
  std::string reason;                           // and why
  index_t vertices = 0, arcs = 0;
  double seconds = 0;
  double operations = 0;  // floyd_warshall: 2 n^3; else 2 per arc and source

  // The row of vertex s; value_error if s was not among the sources.
  index_t row_of(std::int32_t s) const;
  // The best path. Needs predecessors (argument_error without); s must be a source, t a vertex, and no cycle negative
  // (value_error).
  path_result<T> path(std::int32_t s, std::int32_t t) const;
  // Many paths at once, in parallel.
  std::vector<path_result<T>> paths(const context&, std::span<const std::pair<std::int32_t, std::int32_t>> pairs) const;

  csr_view<T> sparse_graph;  // what path() reads arc weights from: one of the two
  matrix_view<const T> dense_graph;
  matrix<T> own_distances;  // behind the views, where no target was given
  matrix<std::int32_t> own_predecessors;
};

template <class S>
apsp_result<S> shortest_paths(const context& ctx, S, const csr_view<value_of<S>>& graph,
                              const apsp_options& options = {}, const apsp_targets<value_of<S>>& targets = {});
template <class S>
apsp_result<S> shortest_paths(const context& ctx, S, const matrix_view<const value_of<S>>& graph,
                              const apsp_options& options = {}, const apsp_targets<value_of<S>>& targets = {});

// Owners, and shortest paths proper when no algebra is named.
template <class S, class T>
requires std::is_same_v<T, value_of<S>>
apsp_result<S> shortest_paths(const context& ctx, S s, const csr<T>& graph, const apsp_options& options = {},
                              const apsp_targets<T>& targets = {}) {
  return shortest_paths(ctx, s, graph.view(), options, targets);
}
template <class S, class T>
requires std::is_same_v<T, value_of<S>>
apsp_result<S> shortest_paths(const context& ctx, S s, const matrix<T>& graph, const apsp_options& options = {},
                              const apsp_targets<T>& targets = {}) {
  return shortest_paths(ctx, s, graph.view(), options, targets);
}
template <class T>
apsp_result<min_plus<T>> shortest_paths(const context& ctx, const csr<T>& graph, const apsp_options& options = {},
                                        const apsp_targets<T>& targets = {}) {
  return shortest_paths(ctx, min_plus<T>{}, graph.view(), options, targets);
}
template <class T>
apsp_result<min_plus<T>> shortest_paths(const context& ctx, const matrix<T>& graph, const apsp_options& options = {},
                                        const apsp_targets<T>& targets = {}) {
  return shortest_paths(ctx, min_plus<T>{}, graph.view(), options, targets);
}

// What a person asks of the distances, where there are any: a negative cycle is a value_error. Over ordered pairs (s,
// t), s a source, t any vertex, s != t.
template <class T>
struct apsp_summary {
  index_t reachable_pairs = 0, unreachable_pairs = 0;
  bool any_finite = false;
  // Over finite pairs (those neither zero() nor infinite). Integers: exact, in decimal, whatever the size.
  std::string distance_sum = "0";
  double distance_mean = 0;
  T diameter{};                                       // the worst finite distance
  std::int32_t diameter_from = -1, diameter_to = -1;  // 0-based; the first such pair in row order
};
// One pass, its rows in parallel; the answer, rounding of the sum included, is the same whatever the number of threads.
template <class S>
apsp_summary<value_of<S>> summarise(const apsp_result<S>& result, const context& ctx = context::cpu());

}  // namespace kleene
