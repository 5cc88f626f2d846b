// A problem to solve: its factor graph, whether more or less is better, and how to tell an answer without the factors.
//
//   const problem<int> p = independent_set(undirected(graph));   // networks/problems.hpp
//   p.goal                                    maximise: p.factors over max_plus<int>; minimise: over min_plus<int>
//   p.own_values(assignment)                  the answer in an assignment of all variables: of vertices, in their order
//   p.check(answer)                           what it is worth, and whether it is allowed, from the problem itself
//   solutions<double>(p)                      1 where the factors allow, 0 where not: over plus_times how many answers
//                                             (not for count_solutions, which would count zeros: that takes p.factors)
//
// Contract
//   forbidden    a combination that the problem rules out has forbidden() in a table: zero() of the algebra. Of
//                general() infinities of the other sign and NaN rule out, too (networks/solve.hpp).
//   auxiliary    variables beside the problem's own stand for what is read off those (a running "or"): an answer that
//                is allowed goes with exactly one assignment of them, one that is not with none. So optima, counts and
//                the k best of all variables are those of answers.
//   every variable is in some factor.
//   value        the sum of an assignment's factors is the problem's value, exactly over integers: builders refuse what
//                might leave the algebra's range.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/networks/factor_graph.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kleene {

enum class direction { minimise, maximise };

template <class T>
struct verdict {
  bool is_feasible = true;
  T value = 0;      // of the answer, allowed or not
  std::string why;  // the first thing that is broken, where it is not allowed
};

template <class T>
struct problem {
  using value_type = T;
  using judge = std::function<verdict<T>(std::span<const std::int32_t> answer)>;

  std::string name;
  direction goal = direction::minimise;
  factor_graph<T> factors;
  std::vector<int> own;  // the variables that are the answer, in the order of the problem's vertices
  // Of a variable that holds one of the answer and another one (networks/clusters.hpp).
  struct reading {
    index_t values;                      // that the one of the answer takes
    std::vector<std::int32_t> value_of;  // which of them, of each value of the variable
  };
  std::vector<reading> readings;  // one for each of `own`; none where variables are what they hold
  judge verdict_of;               // of an answer that is one: check() looks first

  T forbidden() const { return goal == direction::minimise ? min_plus<T>::zero() : max_plus<T>::zero(); }
  bool is_better(T a, T b) const { return goal == direction::minimise ? a < b : b < a; }

  // One value for each of `own`. shape_error: of another number of variables.
  std::vector<std::int32_t> own_values(std::span<const std::int32_t> assignment) const;
  // Reads the problem as it was given, never the factors. shape_error: of another number of values; value_error: a
  // value that its variable does not take.
  verdict<T> check(std::span<const std::int32_t> answer) const;
};

extern template struct problem<std::int32_t>;
extern template struct problem<std::int64_t>;
extern template struct problem<float>;
extern template struct problem<double>;

// The same variables and factors, of ones and zeros: one() and zero() of plus_times, or_and, counts, ...
template <class To, class T>
factor_graph<To> solutions(const problem<T>& p) {
  factor_graph<To> g;
  for (int v = 0; v < p.factors.variables(); ++v) g.add_variable(p.factors.values(v));
  for (const auto& f : p.factors.factors()) {
    std::vector<To> table;
    table.reserve(f.table.size());
    for (const T value : f.table) table.push_back(value == value && !is_forbidden(value) ? To(1) : To(0));
    g.add_factor(f.variables, std::move(table));
  }
  return g;
}

}  // namespace kleene
