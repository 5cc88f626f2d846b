// Problems on graphs and sets, as factor graphs.
//
//   ising(couplings, fields)        spins of least energy
//   cut(weights)                    two sides, and as much weight as can be between them
//   independent_set(g)              vertices, no two of them neighbours
//   vertex_cover(g)                 vertices that touch every edge
//   clique(g)                       vertices, each two of them neighbours
//   dominating_set(g)               vertices, one of them in or beside each vertex
//   coloring(g, q)                  q colours, and as few edges as can be with one colour at both ends
//   proper_coloring(g, q)           q colours, none of those edges
//   set_packing(elements, sets)     sets, no two of which share an element
//   max_sat(variables, clauses)     truth values that satisfy clauses
//   general(factors, goal)          any factor graph
//
//   const auto p = independent_set(undirected(list), weights);     // weights of vertices; none: 1 each
//   p.goal, p.factors, p.check(answer)                             // networks/problem.hpp
//
// Contract
//   graphs       undirected and without loops: what undirected(...) makes of a coo or csr, with what it says of pairs
//                given both ways, duplicates and loops (networks/undirected.hpp). One written out by hand is checked as
//                require_simple says. Isolated vertices count; a graph without vertices has one answer, worth 0.
//   answers      a value a vertex, set or variable, in their order: 1 where it is chosen or true, else 0; a colour from
//                0; of spins 0 for +1 and 1 for -1; of a cut the side, 0 or 1, so that two answers are the same cut.
//   weights      of either sign, one a vertex (a set), or shape_error. value_error: a weight that is not finite;
//                weights whose magnitudes add up to more than the type holds, with the sum: floats to its largest
//                number, integers to 2^28 - 2 (int64: 2^60 - 2), the most that the algebra has (algebra/semirings.hpp).
//                So no value overflows, and over integers all are exact.
//   factors      one a variable, one an edge. Constraints of many variables (a dominated vertex of high degree, a long
//                clause, an element of many sets) are one table up to six variables, beyond that a chain of tables of
//                three, of auxiliary variables that carry "one of those so far": no table has more than 64 elements,
//                but for the q x q of a coloring. Vertices with the same neighbourhood are one constraint, and so are
//                elements of the same sets.
//   error        (memory) where there is no room.
//   T            int32 (where nothing says otherwise), int64, float, double.
#pragma once

#include "kleene/networks/problem.hpp"
#include "kleene/networks/undirected.hpp"

#include <cstdint>
#include <vector>

namespace kleene {

// Minimises E = - sum of J_uv s_u s_v over edges - sum of h_v s_v over vertices, spins s = +-1: value 0 is s = +1,
// value 1 is s = -1. J > 0 wants spins alike (a ferromagnet), h > 0 wants +1. No fields: 0 each.
template <class T>
problem<T> ising(const undirected_graph<T>& couplings, const std::vector<T>& fields = {});

// Maximises the weight of edges whose ends are on different sides.
template <class T>
problem<T> cut(const undirected_graph<T>& weights);

// Maximises the weight of the chosen vertices.
template <class T = std::int32_t>
problem<T> independent_set(const simple_graph& g, const std::vector<T>& weights = {});
// As an independent set of the complement: a factor each two vertices that are no neighbours.
template <class T = std::int32_t>
problem<T> clique(const simple_graph& g, const std::vector<T>& weights = {});

// Minimise the weight of the chosen vertices. A vertex dominates itself.
template <class T = std::int32_t>
problem<T> vertex_cover(const simple_graph& g, const std::vector<T>& weights = {});
template <class T = std::int32_t>
problem<T> dominating_set(const simple_graph& g, const std::vector<T>& weights = {});

// Minimises how many edges have one colour at both ends: 0 where q colours are enough. argument_error: q < 1.
template <class T = std::int32_t>
problem<T> coloring(const simple_graph& g, index_t q);
// Forbids such edges; all that are allowed are worth 0. Their number, solutions() over plus_times, is the chromatic
// polynomial's value at q.
template <class T = std::int32_t>
problem<T> proper_coloring(const simple_graph& g, index_t q);

// Maximises the weight of the chosen sets, of elements 0 to elements - 1. An element twice in a set is there once.
// argument_error names a set with an element that there is not.
template <class T = std::int32_t>
problem<T> set_packing(index_t elements, const std::vector<std::vector<std::int32_t>>& sets,
                       const std::vector<T>& weights = {});

// Literals as DIMACS has them: v + 1 where variable v is to be true, -(v + 1) where false; one of them makes the clause
// satisfied. A hard clause has to be, and its weight is not looked at.
template <class T>
struct clause {
  std::vector<std::int32_t> literals;
  T weight = 1;
  bool is_hard = false;
};
// Maximises the weight of the soft clauses that are satisfied. An empty clause never is; one with v and not v
// always is. argument_error names a clause with a literal that there is not; a negative number of variables.
template <class T>
problem<T> max_sat(index_t variables, const std::vector<clause<T>>& clauses);

// All variables are its own, and its cost is the value: the one problem that is checked by its factors. An answer for
// which one of them has an infinity, of either sign, or a NaN is not allowed, and worth forbidden(). Variables in no
// factor are given one of zeros.
template <class T>
problem<T> general(factor_graph<T> factors, direction goal);

}  // namespace kleene
