// What the builders of problems share: weights that are checked, and constraints of any number of variables.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/networks/problems.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kleene::networks {

// Of a factor of one or two variables with two values each, and its part of the checks.
inline constexpr double bytes_of_part = 160;

// Builds a problem of about so many factors: error(memory) where there is no room for them.
template <class Build>
auto with_room(const char* problem, double factors, const Build& build) {
  return detail::with_memory(problem, bytes_of_part * factors, build);
}
inline double parts_of(const simple_graph& g) {
  return static_cast<double>(g.vertices) + static_cast<double>(g.edges.size());
}

// Adds up magnitudes, and refuses what the algebra's range might not hold: infinite and NaN at once, sums at the end.
template <class T>
class magnitude {
 public:
  // what: "the weight of vertex".
  void add(const char* what, index_t number, T weight);
  void require_fits(const std::string& problem) const;

 private:
  std::conditional_t<std::is_floating_point_v<T>, double, unsigned __int128> sum_ = 0;
};

// A problem with so many variables of so many values.
template <class T>
problem<T> start(const char* name, direction goal, index_t variables, index_t values);

// One weight each, checked; 1 each where there are none.
template <class T>
std::vector<T> weights_of(const char* problem, const char* what, const std::vector<T>& weights, index_t count);

// The weight of each of its variables, where it has value 1.
template <class T>
void add_weights(problem<T>& p, const std::vector<T>& weights);

// Their sum over the variables that are 1.
template <class T>
T chosen_weight(const std::vector<T>& weights, std::span<const std::int32_t> answer);

// An own variable, or its negation.
struct literal {
  int variable;
  bool is_negated = false;
  friend auto operator<=>(const literal&, const literal&) = default;
};

// Reads literals one by one, from state 0, and says what the last state is worth. -1: forbidden.
template <class T>
struct rule {
  int next[2][2];  // of a state and a literal's truth
  T worth[2];
};
// State 1: one of them was true.
template <class T>
rule<T> any_of(T none, T some) {
  return {{{0, 1}, {1, 1}}, {none, some}};
}
template <class T>
rule<T> at_most_one() {
  return {{{0, 1}, {1, -1}}, {0, 0}};
}

// A factor of at least one literal, of different variables: one table, or a chain of them.
template <class T>
void add_rule(problem<T>& p, const std::vector<literal>& literals, const rule<T>& r);

}  // namespace kleene::networks
