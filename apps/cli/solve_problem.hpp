// kleene solve: what was read as a problem of the library, over one element type.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/networks/problems.hpp"
#include "solve_numbers.hpp"

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene::cli {

template <class T>
undirected_graph<T> weighted(const solve_input& input, const solve_numbers& numbers) {
  undirected_graph<T> g{input.graph, {}};
  const std::vector<T> weights = numbers_as<T>(input.edges, numbers);
  g.weights.assign(weights.begin(), weights.end());
  return g;
}

template <class T>
problem<T> of_clauses(const io::cnf_file& file) {
  std::vector<clause<T>> clauses;
  clauses.reserve(file.clauses.size());
  for (const io::cnf_clause& c : file.clauses) clauses.push_back({c.literals, static_cast<T>(c.weight), c.is_hard});
  return max_sat<T>(file.variables, clauses);
}

// Products as sums: of logarithms.
inline factor_graph<double> logarithms_of(const io::uai_file& file, bool is_log2) {
  factor_graph<double> g;
  for (const index_t values : file.values) g.add_variable(values);
  for (const io::uai_factor& f : file.factors) {
    std::vector<double> table;
    table.reserve(f.table.size());
    for (const double element : f.table) table.push_back(is_log2 ? std::log2(element) : std::log(element));
    g.add_factor(f.variables, std::move(table));
  }
  return g;
}

template <class T>
problem<T> problem_of(const solve_input& input, const solve_flags& flags, const solve_numbers& numbers) {
  const std::vector<T> weights = numbers_as<T>(input.weights, numbers);
  switch (flags.kind) {
    case solve_kind::ising:
      return ising<T>(weighted<T>(input, numbers), weights);
    case solve_kind::cut:
      return cut<T>(weighted<T>(input, numbers));
    case solve_kind::independent_set:
      return independent_set<T>(input.graph, weights);
    case solve_kind::vertex_cover:
      return vertex_cover<T>(input.graph, weights);
    case solve_kind::clique:
      return clique<T>(input.graph, weights);
    case solve_kind::coloring:
      return coloring<T>(input.graph, flags.colors);
    case solve_kind::dominating_set:
      return dominating_set<T>(input.graph, weights);
    case solve_kind::set_packing:
      return set_packing<T>(input.elements, input.sets, weights);
    case solve_kind::sat:
      return of_clauses<T>(input.clauses);
    case solve_kind::factors:
      break;
  }
  if constexpr (std::is_same_v<T, double>)
    return general(logarithms_of(input.factors, numbers.is_log2), direction::maximise);
  else throw error(fault_code::internal, "factors are real");
}

}  // namespace kleene::cli
