// Problems: reading an answer off an assignment, and what all builders need.
#include "networks/problems.hpp"

#include "data/counted.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kleene {

template <class T>
std::vector<std::int32_t> problem<T>::own_values(std::span<const std::int32_t> assignment) const {
  if (assignment.size() != static_cast<std::size_t>(factors.variables()))
    throw shape_error(name + ": an assignment has " + detail::counted(std::ssize(assignment), "value", "values") +
                      ", of " + detail::counted(factors.variables(), "variable", "variables"));
  std::vector<std::int32_t> values;
  values.reserve(own.size());
  for (const int v : own) values.push_back(assignment[static_cast<std::size_t>(v)]);
  for (std::size_t i = 0; i < readings.size(); ++i)
    values[i] = readings[i].value_of[static_cast<std::size_t>(values[i])];
  return values;
}

template <class T>
verdict<T> problem<T>::check(std::span<const std::int32_t> answer) const {
  if (answer.size() != own.size())
    throw shape_error(name + ": an answer has " + std::to_string(answer.size()) + " values, of " +
                      std::to_string(own.size()) + " that it takes");
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const index_t values = readings.empty() ? factors.values(own[i]) : readings[i].values;
    if (answer[i] < 0 || answer[i] >= values)
      throw value_error(name + ": value " + std::to_string(i) + " of the answer is " + std::to_string(answer[i]) +
                        ", of " + std::to_string(values) + " from 0");
  }
  return verdict_of(answer);
}

namespace networks {

namespace {

// Variables of a constraint that is one table, of 2^6 elements.
constexpr std::size_t longest_table = 6;

bool truth(const literal& l, int value) { return (value == 1) != l.is_negated; }

// Where r is after literals with the values that the bits of `values` are, the first the highest; -1: forbidden.
template <class T>
int run(const rule<T>& r, int state, const literal* literals, std::size_t count, unsigned values) {
  for (std::size_t i = 0; i < count && state >= 0; ++i)
    state = r.next[state][truth(literals[i], static_cast<int>(values >> (count - 1 - i) & 1u))];
  return state;
}

}  // namespace

template <class T>
void magnitude<T>::add(const char* what, index_t number, T weight) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(weight))
      throw value_error(std::string(what) + " " + std::to_string(number) + " is " + detail::to_text(weight) +
                        "; weights are finite");
    sum_ += std::abs(static_cast<double>(weight));
  } else {
    const __int128 wide = weight;
    sum_ += static_cast<unsigned __int128>(wide < 0 ? -wide : wide);
  }
}

template <class T>
void magnitude<T>::require_fits(const std::string& problem) const {
  const auto limit = std::is_floating_point_v<T> ? static_cast<double>(std::numeric_limits<T>::max())
                                                 : static_cast<double>(std::numeric_limits<T>::max() / 8);
  bool fits = true;
  if constexpr (std::is_floating_point_v<T>) fits = sum_ <= limit;
  else fits = sum_ < static_cast<unsigned __int128>(detail::tropical_range<T>::limit);
  if (fits) return;
  throw value_error(problem + ": the magnitudes of all weights add up to about " +
                    detail::to_text(static_cast<double>(sum_)) + ", and values of this type end at " +
                    detail::to_text(limit) + "; use a wider one");
}

template <class T>
problem<T> start(const char* name, direction goal, index_t variables, index_t values) {
  problem<T> p;
  p.name = name;
  p.goal = goal;
  for (index_t v = 0; v < variables; ++v) p.own.push_back(p.factors.add_variable(values));
  return p;
}

template <class T>
std::vector<T> weights_of(const char* problem, const char* what, const std::vector<T>& weights, index_t count) {
  if (!weights.empty() && static_cast<index_t>(weights.size()) != count)
    throw shape_error(std::string(problem) + " has " + std::to_string(weights.size()) + " weights, of " +
                      std::to_string(count));
  const std::vector<T> all = weights.empty() ? std::vector<T>(static_cast<std::size_t>(count), T(1)) : weights;
  magnitude<T> sum;
  for (std::size_t i = 0; i < all.size(); ++i) sum.add(what, static_cast<index_t>(i), all[i]);
  sum.require_fits(problem);
  return all;
}

template <class T>
void add_weights(problem<T>& p, const std::vector<T>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) p.factors.add_factor({p.own[i]}, {T(0), weights[i]});
}

template <class T>
T chosen_weight(const std::vector<T>& weights, std::span<const std::int32_t> answer) {
  T sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (answer[i] == 1) sum += weights[i];
  return sum;
}

// l0 l1 l2 ... becomes (l0 l1 s0) (s0 l2 s1) ... (s l l), where s are auxiliary: the state after what stands before.
template <class T>
void add_rule(problem<T>& p, const std::vector<literal>& literals, const rule<T>& r) {
  const T no = p.forbidden();
  const std::size_t count = literals.size();
  if (count <= longest_table) {
    std::vector<int> variables;
    for (const literal& l : literals) variables.push_back(l.variable);
    std::vector<T> table(std::size_t{1} << count);
    for (unsigned values = 0; values < table.size(); ++values) {
      const int end = run(r, 0, literals.data(), count, values);
      table[values] = end < 0 ? no : r.worth[end];
    }
    return p.factors.add_factor(std::move(variables), std::move(table));
  }
  int before = p.factors.add_variable(2);
  std::vector<T> table(8, no);
  for (unsigned values = 0; values < 4; ++values)
    if (const int state = run(r, 0, literals.data(), 2, values); state >= 0)
      table[2 * values + static_cast<unsigned>(state)] = 0;
  p.factors.add_factor({literals[0].variable, literals[1].variable, before}, table);
  for (std::size_t i = 2; i + 2 < count; ++i) {
    table.assign(8, no);
    for (unsigned from = 0; from < 2; ++from)
      for (unsigned value = 0; value < 2; ++value)
        if (const int state = run(r, static_cast<int>(from), &literals[i], 1, value); state >= 0)
          table[4 * from + 2 * value + static_cast<unsigned>(state)] = 0;
    const int after = p.factors.add_variable(2);
    p.factors.add_factor({before, literals[i].variable, after}, table);
    before = after;
  }
  for (unsigned e = 0; e < 8; ++e) {
    const int end = run(r, static_cast<int>(e >> 2), &literals[count - 2], 2, e & 3u);
    table[e] = end < 0 ? no : r.worth[end];
  }
  p.factors.add_factor({before, literals[count - 2].variable, literals[count - 1].variable}, table);
}

#define KLEENE_SHARED_BY_PROBLEMS(T)                                                            \
  template class magnitude<T>;                                                                  \
  template problem<T> start(const char*, direction, index_t, index_t);                          \
  template std::vector<T> weights_of(const char*, const char*, const std::vector<T>&, index_t); \
  template void add_weights(problem<T>&, const std::vector<T>&);                                \
  template T chosen_weight(const std::vector<T>&, std::span<const std::int32_t>);               \
  template void add_rule(problem<T>&, const std::vector<literal>&, const rule<T>&);
KLEENE_SHARED_BY_PROBLEMS(std::int32_t)
KLEENE_SHARED_BY_PROBLEMS(std::int64_t)
KLEENE_SHARED_BY_PROBLEMS(float)
KLEENE_SHARED_BY_PROBLEMS(double)
#undef KLEENE_SHARED_BY_PROBLEMS

}  // namespace networks

template struct problem<std::int32_t>;
template struct problem<std::int64_t>;
template struct problem<float>;
template struct problem<double>;

}  // namespace kleene
