// Satisfiability, and problems that are given as factors.
#include "kleene/data/error.hpp"
#include "networks/problems.hpp"

#include <algorithm>
#include <cstdlib>

namespace kleene {

namespace {

using networks::literal;

template <class T>
void require_clauses(index_t variables, const std::vector<clause<T>>& clauses) {
  if (variables < 0) throw argument_error("satisfiability of " + std::to_string(variables) + " variables");
  networks::magnitude<T> sum;
  for (std::size_t c = 0; c < clauses.size(); ++c) {
    for (const std::int32_t l : clauses[c].literals)
      if (l == 0 || std::abs(index_t{l}) > variables)
        throw argument_error("clause " + std::to_string(c) + " has literal " + std::to_string(l) + "; there are 1 to " +
                             std::to_string(variables) + ", and their negatives");
    if (!clauses[c].is_hard) sum.add("the weight of clause", static_cast<index_t>(c), clauses[c].weight);
  }
  sum.require_fits("a satisfiability problem");
}

// Each literal once, by variable.
std::vector<literal> distinct_literals(const std::vector<std::int32_t>& dimacs) {
  std::vector<literal> literals;
  for (const std::int32_t l : dimacs) literals.push_back({std::abs(l) - 1, l < 0});
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  return literals;
}

bool has_both(const std::vector<literal>& literals) {
  for (std::size_t i = 1; i < literals.size(); ++i)
    if (literals[i].variable == literals[i - 1].variable) return true;
  return false;
}

template <class T>
bool is_satisfied(const clause<T>& c, std::span<const std::int32_t> answer) {
  for (const std::int32_t l : c.literals)
    if (answer[static_cast<std::size_t>(std::abs(l) - 1)] == (l > 0 ? 1 : 0)) return true;
  return false;
}

}  // namespace

template <class T>
problem<T> max_sat(index_t variables, const std::vector<clause<T>>& clauses) {
  return networks::with_room(
      "a satisfiability problem", static_cast<double>(variables) + static_cast<double>(clauses.size()), [&] {
        require_clauses(variables, clauses);
        problem<T> p = networks::start<T>("a satisfiability problem", direction::maximise, variables, 2);
        for (const int v : p.own) p.factors.add_factor({v}, {T(0), T(0)});
        for (const clause<T>& c : clauses) {
          const std::vector<literal> literals = distinct_literals(c.literals);
          const T broken = c.is_hard ? p.forbidden() : T(0), kept = c.is_hard ? T(0) : c.weight;
          if (literals.empty()) p.factors.add_factor({}, {broken});
          else if (has_both(literals)) p.factors.add_factor({}, {kept});
          else networks::add_rule(p, literals, networks::any_of(broken, kept));
        }
        p.verdict_of = [clauses](std::span<const std::int32_t> answer) {
          verdict<T> v;
          for (std::size_t c = 0; c < clauses.size(); ++c) {
            const bool satisfied = is_satisfied(clauses[c], answer);
            if (satisfied && !clauses[c].is_hard) v.value += clauses[c].weight;
            if (satisfied || !clauses[c].is_hard || !v.is_feasible) continue;
            v.is_feasible = false;
            v.why = "clause " + std::to_string(c) + " is hard, and not satisfied";
          }
          return v;
        };
        return p;
      });
}

template <class T>
problem<T> general(factor_graph<T> factors, direction goal) {
  double elements = 0;  // of all tables, and of those that variables in no factor are given
  for (int v = 0; v < factors.variables(); ++v) elements += static_cast<double>(factors.values(v));
  for (const auto& f : factors.factors()) elements += static_cast<double>(f.table.size());
  const double parts = static_cast<double>(factors.factors().size()) + elements * sizeof(T) / networks::bytes_of_part;
  return networks::with_room("a factor graph", parts, [&] {
    problem<T> p;
    p.name = "a factor graph";
    p.goal = goal;
    p.factors = std::move(factors);
    std::vector<bool> is_used(static_cast<std::size_t>(p.factors.variables()));
    for (const auto& f : p.factors.factors())
      for (const int v : f.variables) is_used[static_cast<std::size_t>(v)] = true;
    for (int v = 0; v < p.factors.variables(); ++v) {
      p.own.push_back(v);
      if (!is_used[static_cast<std::size_t>(v)])
        p.factors.add_factor({v}, std::vector<T>(static_cast<std::size_t>(p.factors.values(v)), T(0)));
    }
    p.verdict_of = [factors = p.factors, forbidden = p.forbidden()](std::span<const std::int32_t> answer) {
      const auto forbids = [&](const auto& f) {
        const T value = factors.entry(f, answer);
        return value != value || is_forbidden(value);
      };
      const auto& all = factors.factors();
      const auto first = std::find_if(all.begin(), all.end(), forbids);
      if (first == all.end()) return verdict<T>{true, factors.cost(answer), ""};
      return verdict<T>{false, forbidden, "factor " + std::to_string(first - all.begin()) + " forbids it"};
    };
    return p;
  });
}

#define KLEENE_PROBLEMS_OF_CLAUSES(T)                                  \
  template problem<T> max_sat(index_t, const std::vector<clause<T>>&); \
  template problem<T> general(factor_graph<T>, direction);
KLEENE_PROBLEMS_OF_CLAUSES(std::int32_t)
KLEENE_PROBLEMS_OF_CLAUSES(std::int64_t)
KLEENE_PROBLEMS_OF_CLAUSES(float)
KLEENE_PROBLEMS_OF_CLAUSES(double)
#undef KLEENE_PROBLEMS_OF_CLAUSES

}  // namespace kleene
